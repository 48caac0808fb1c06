"""Converts stored samples to comparable ones: alpha, scaling, encoding, white, dark and broken views."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.capture import Capture
from ioadr.io.options import ReadOptions
from ioadr.io.vignetting import vignetted
from ioadr.io.white import Levels, guessed_white
from ioadr.lightfield import WHITE
from ioadr.machine import cores
from ioadr.tones import mean_of_channels

BLACK = 0.02
"""Share of white below which a pixel carries no information."""
FEW_BLACK = 0.01
"""Share of black pixels up to which they are shadows, not the border of the lens' image circle."""
UNSEEN = "their depth is filled in from their surroundings"
NAMED = 6
"""Number of views that a note lists."""
OVERSHOOT = 0.02
"""Depth below black, as a share of white, and share of such samples, that sharpening or resampling may cause."""
STRIDE = 4
"""Step between pixels, for figures that do not need all of them."""


@dataclass(frozen=True)
class Samples:
    """Views [V, N, M, C], C = 1 or 3, which of them are usable, and notes about them."""

    views: NDArray[Any]
    usable: NDArray[np.bool_]
    white: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Decided:
    """Decisions about the samples of a whole light field, so that its parts are treated alike."""

    usable: NDArray[np.bool_]
    white: float
    notes: tuple[str, ...]


def prepared(
    views: NDArray[Any], capture: Capture, options: ReadOptions, stride: int = STRIDE, levels: Levels | None = None
) -> Samples:
    """Samples prepared for the method; `levels` are those of all samples if `views` are only some."""
    names = _names(capture)
    _check_finite(views, capture, names)
    samples = _with_white(_without_alpha(views, capture, options, stride), capture, options, levels)
    _check_positive(samples, capture)
    if options.encoding == "linear":
        samples = _encoded(samples)
    sparse = np.ascontiguousarray(samples.views[:, ::stride, ::stride])
    _check_texture(samples, sparse, capture, names)
    return _without_dark(samples, sparse, names) if options.dark == "drop" else samples


def decided(sparse: NDArray[Any], capture: Capture, options: ReadOptions, levels: Levels) -> Decided:
    """The decisions of `prepared`, from every STRIDE-th row and column and the levels of all samples."""
    samples = prepared(sparse, capture, options, 1, levels)
    white = _with_white(_without_alpha(sparse, capture, options, 1), capture, options, levels).white
    return Decided(samples.usable, white, samples.notes)


def colours(views: NDArray[Any], capture: Capture) -> NDArray[Any]:
    """Views without alpha or weight."""
    return views if capture.channels in (1, 3) else np.ascontiguousarray(views[..., :-1])


def prepared_as(views: NDArray[Any], capture: Capture, options: ReadOptions, decisions: Decided) -> Samples:
    """Prepare a part of the views with the whole's decisions; a part may be dark or uniform."""
    _check_finite(views, capture, _names(capture))
    samples = Samples(colours(views, capture), decisions.usable, decisions.white, decisions.notes)
    return replace(_encoded(samples), notes=decisions.notes) if options.encoding == "linear" else samples


def resized(views: NDArray[Any], scale: float, size: tuple[int, int]) -> NDArray[Any]:
    """Views scaled exactly by `scale`, [V, N', M', C], averaging over the pixels that become one."""
    from PIL import Image

    height, width = size
    result = np.empty((len(views), height, width, views.shape[3]), views.dtype)
    how = Image.Resampling.BICUBIC if scale > 1 else Image.Resampling.BILINEAR
    box = (0.0, 0.0, min(width / scale, views.shape[2]), min(height / scale, views.shape[1]))

    def resize(place: tuple[int, int]) -> None:
        number, channel = place
        plane = Image.fromarray(np.ascontiguousarray(views[number, :, :, channel], dtype=np.float32))
        scaled = np.asarray(plane.resize((width, height), how, box))
        if views.dtype.kind == "u":
            scaled = np.clip(np.rint(scaled), 0, np.iinfo(views.dtype).max)
        result[number, :, :, channel] = scaled

    with ThreadPoolExecutor(cores()) as pool:
        list(pool.map(resize, np.ndindex(len(views), views.shape[3])))
    return result


def _names(capture: Capture) -> list[str]:
    """Names of the views in loading order, for messages."""
    return [f"{capture.name_at(row, column)} (view {row},{column})" for row, column in np.argwhere(capture.available)]


def _check_finite(views: NDArray[Any], capture: Capture, names: list[str]) -> None:
    if views.dtype.kind != "f":
        return
    for view, name in zip(views, names, strict=True):
        if not np.isfinite(view).all():
            raise InputError(
                f"{capture.path}: {name} contains NaN or infinite samples. "
                "Replace them, or leave the view out with ⟦skip ROW,COL⟧."
            )


def _check_positive(samples: Samples, capture: Capture) -> None:
    """Refuse negative samples, except a little overshoot: they are probably normalised."""
    if samples.views.dtype.kind != "f" or samples.views.size == 0 or samples.views.min() >= 0:
        return
    share = float(np.mean(samples.views < -OVERSHOOT * samples.white))
    if share > OVERSHOOT:
        raise InputError(
            f"{capture.path}: {100 * share:.0f} % of the samples are below 0, which means black, down to "
            f"{samples.views.min():.3g}. Undo their normalisation, for example by subtracting the smallest value."
        )


def _without_alpha(views: NDArray[Any], capture: Capture, options: ReadOptions, stride: int) -> Samples:
    """Colour without the alpha channel, which may mark views without content."""
    usable, white = np.ones(len(views), bool), options.white or capture.white or WHITE[views.dtype.name]
    if capture.channels in (1, 3):
        note = "⟦alpha views⟧ has no effect: the files have no alpha channel"
        return Samples(views, usable, white, (note,) if options.alpha == "views" else ())
    kind = "weight" if capture.weighted else "alpha"
    use = capture.weighted if options.alpha == "auto" else options.alpha == "views"
    if use:
        seen = views[:, ::stride, ::stride, -1].astype(np.float64)
        opaque = seen.mean(axis=(1, 2))
        usable = ~vignetted(seen) if capture.weighted else opaque >= 0.5 * opaque.max()
    dropped = int(np.count_nonzero(~usable))
    note = f"{kind} channel: {dropped} views mostly transparent, left out" if use else f"{kind} channel ignored"
    return Samples(colours(views, capture), usable, white, (note,))


def _with_white(samples: Samples, capture: Capture, options: ReadOptions, levels: Levels | None) -> Samples:
    """White: given, or guessed from the samples if it cannot be the type's maximum."""
    if options.white is not None or capture.white is not None:
        return samples
    guess = guessed_white(samples.views.dtype, levels or Levels.of(samples.views))
    if guess is None:
        return samples
    return _replaced(samples, white=guess[0], note=f"{guess[1]}: white taken as {guess[0]:.5g} (⟦white⟧)")


def _encoded(samples: Samples) -> Samples:
    """Convert linear light to sRGB code values, in which noise is uniform."""
    light = samples.views.astype(np.float32) / np.float32(samples.white)
    np.maximum(light, 0, out=light)
    code = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** np.float32(1 / 2.4) - 0.055)
    return Samples(code.astype(np.float32), samples.usable, 1.0, (*samples.notes, "linear samples encoded as sRGB"))


def _check_texture(samples: Samples, sparse: NDArray[Any], capture: Capture, names: list[str]) -> None:
    """Refuse a view of a single colour, unless it is black (a dark view) or all views are alike."""
    if np.ptp(sparse[samples.usable]) == 0 and np.ptp(samples.views[samples.usable]) == 0:
        return
    suspects = np.flatnonzero(samples.usable & (np.ptp(sparse, axis=(1, 2, 3)) == 0))
    for number in suspects:
        view, name = samples.views[number], names[number]
        if np.ptp(view) == 0 and view.flat[0] > 0:
            raise InputError(
                f"{capture.path}: {name} has one constant value ({view.flat[0]}), so nothing can be matched. "
                "Check the file, or leave the view out with ⟦skip ROW,COL⟧."
            )


def _without_dark(samples: Samples, sparse: NDArray[Any], names: list[str]) -> Samples:
    """Drop vignetted views; note pixels that are black in all views."""
    dark = np.zeros_like(samples.usable)
    dark[samples.usable] = vignetted(mean_of_channels(sparse[samples.usable], np.float64))
    if dark.any():
        listed = [name for name, is_dark in zip(names, dark, strict=True) if is_dark]
        some = ", ".join(listed[:NAMED]) + (" …" if len(listed) > NAMED else "")
        count = f"{len(listed)} view{'s' * (len(listed) != 1)}"
        note = f"{count} darker than the others, entirely or in part, left out (⟦dark keep⟧): {some}"
        samples = _replaced(samples, usable=samples.usable & ~dark, note=note)
    black = float(np.mean(sparse.max(axis=0).max(axis=-1) < BLACK * samples.white))
    if black > FEW_BLACK:
        samples = _replaced(samples, note=f"{100 * black:.0f} % of the pixels are black in all views: {UNSEEN}")
    return samples


def _replaced(samples: Samples, note: str | None = None, **changes: Any) -> Samples:
    return replace(samples, notes=samples.notes if note is None else (*samples.notes, note), **changes)
