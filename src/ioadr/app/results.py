"""Opens the light field that a result came from."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import click

import ioadr
from ioadr.app.sections import option
from ioadr.errors import MARK, InputError

if TYPE_CHECKING:
    from ioadr.io.options import ReadOptions
    from ioadr.lightfield import LightField
    from ioadr.result import Estimate
    from ioadr.views.result import Views

OPTION = "Say where it is with --lightfield PATH."
ESTIMATED = "Give the light field that was estimated."
lightfield_option = option(
    "Input",
    "--lightfield",
    type=click.Path(),
    metavar="PATH",
    help="Light field of the result.  [default: the one that was estimated]",
)


def refuse_reading(reading: ReadOptions, folder: str) -> None:
    """Refuse reading options with a result: its light field is read with those of its estimation."""
    given = [field.name for field in fields(reading) if getattr(reading, field.name) != field.default]
    if given:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise InputError(
            f"{folder}: the light field of a result is read as it was estimated, without {options}. Leave "
            f"{'them' if len(given) > 1 else 'it'} out, or give the light field instead of the result."
        )


def open_lightfield(
    result: Estimate | Views,
    folder: str,
    path: str | None,
    say: Callable[[str], None],
    remedy: str = OPTION,
    all_views: bool = False,
) -> LightField:
    """The light field at `path`, or else where the result in `folder` says it came from; with its reference view.

    `all_views` includes views that the estimation did not use.

    Another light field is refused. One at `path` may have altered pictures, which a note says. A path stored in the
    result is announced, and its light field must have the result's pictures: an untrusted result must not make the
    program open and show other files.
    """
    estimate = _estimate(result)
    if path is not None:
        return _read(result, path, all_views, False, ESTIMATED)
    recorded = estimate.source.path
    if not recorded:
        embedded = _embedded(estimate)
        if embedded is not None:
            say("light field: the built-in scene, rendered again")
            return embedded
        raise InputError(f"{folder}: the result does not say where its light field is. {remedy}")
    if recorded.startswith(("//", "\\\\")) or "://" in recorded:
        raise InputError(f"{folder}: its light field was at {recorded}, which is not on this machine. {remedy}")
    if not _exists(recorded):
        raise InputError(f"{folder}: its light field was at {recorded}, which no longer exists. {remedy}")
    say(f"light field: {recorded}, as recorded in the result")
    return _read(result, recorded, all_views, True, remedy)


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def _embedded(estimate: Estimate) -> LightField | None:
    """The demo's light field, which is in no file, if the result belongs to it."""
    import numpy as np

    from ioadr.evaluation.synthetic import DEMO_SIZE, demo

    if (estimate.source.format, estimate.name, estimate.image.shape[:2]) != ("synthetic", "demo", DEMO_SIZE):
        return None
    lightfield = demo().lightfield
    return lightfield if np.array_equal(lightfield.reference_view, estimate.image) else None


def _read(result: Estimate | Views, path: str, all_views: bool, exact: bool, remedy: str) -> LightField:
    """Read with the estimate's options, align as before, and check."""
    estimate, dropped = _estimate(result), ("view_step",) if all_views else ()
    options = {name: value for name, value in estimate.source.options.items() if name not in dropped}
    try:
        lightfield = ioadr.read(path, **options)
    except InputError as error:
        raise InputError(f"{_without_options(error.marked)} {ESTIMATED}") from error
    try:
        lightfield = _aligned(lightfield, estimate)
        result.check_lightfield(lightfield, exact)
    except InputError as error:
        raise InputError(f"{path}: {error.marked} {remedy}") from error
    return lightfield


def _estimate(result: Estimate | Views) -> Estimate:
    return result if isinstance(result, ioadr.Estimate) else result.estimate


def _aligned(lightfield: LightField, estimate: Estimate) -> LightField:
    """The light field with the estimate's reference view and alignment."""
    from ioadr.consistency.identity import check_layout

    check_layout(lightfield, estimate.layout, estimate.disparity.shape)
    lightfield = lightfield.replace(reference=estimate.layout.reference)
    if not estimate.source.alignment:
        return lightfield
    from ioadr.alignment import Alignment, applied

    return applied(lightfield, Alignment.of(estimate.source.alignment))


def _without_options(text: str) -> str:
    """The sentences of a message that name no option: these commands read with the options of the result."""
    sentences = re.split(r"(?<=[.?]) (?=[A-Z])", text)
    return " ".join([sentences[0], *(sentence for sentence in sentences[1:] if not MARK.search(sentence))])
