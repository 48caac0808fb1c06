"""`ioadr.diagnose`: do the views fit together, one by one and as a whole?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ioadr.camera import is_posed
from ioadr.consistency.fixed_pattern import is_mosaic
from ioadr.consistency.order import Order
from ioadr.consistency.single_views import MOST_NAMED, Examination, Kind, examine
from ioadr.errors import Note
from ioadr.io.capture import Capture
from ioadr.io.counting import likelier_counting
from ioadr.io.options import Pair, ReadOptions
from ioadr.io.orientation import likely_flips, order_of, remedies
from ioadr.lightfield import LightField

MOST_VIEWS = 400
"""With more views than this, single ones are examined only by `ioadr.diagnose`."""
MOST_SKIPPED = 0.25
"""Largest share of the views that may be left out as a remedy."""
BLOCKS = "edges of JPEG blocks stand out, so near and far were not tested: export the views with less compression"
MOSAIC = "the views look like raw sensor data, with another colour in every second pixel: demosaic them first"
HARMLESS = {"exposure", "blocks"}
"""Kinds of remarks that do not make a map doubtful."""
STILL = "nothing moves from view to view: there is no depth to measure"
REMARKS: dict[Kind, str] = {
    "views": "views that do not fit (⟦skip ROW,COL⟧ leaves them out)",
    "shifts": "views that are displaced (⟦align⟧ corrects them, ⟦skip ROW,COL⟧ leaves them out)",
    "exposure": "views of different brightness (⟦align⟧ corrects them)",
}


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """The examination of a light field, without estimating it."""

    lightfield: LightField
    order: Order
    """Verdict on the order of the views in `lightfield`."""
    places: tuple[Pair, ...]
    """Grid indices of the views in the order of `examination`."""
    names: tuple[str, ...]
    """Files of the views."""
    examination: Examination
    options: ReadOptions
    """Options with which the views were read."""
    capture: Capture
    """The same views as files."""
    counting: str | None = None
    """The argument with which numbered views fit together, if their order was wrong; marked as in errors."""

    @property
    def odd(self) -> dict[Pair, str]:
        """Views that do not fit, and why."""
        return {self.places[odd.view]: _what(odd.what, self.places) for odd in self.examination.odd}

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong with the views."""
        sound = not (self.examination.odd or self.examination.still or "mosaic" in self.lightfield.source.doubts)
        return sound and self.order.outcome != "wrong" and self.counting is None

    @property
    def remedies(self) -> tuple[str, ...]:
        """Arguments that read the views correctly, marked as in errors."""
        if self.counting is not None:
            return (self.counting,)
        order = remedies(self.order, self.options) if self.order.outcome == "wrong" else []
        few = len(self.odd) <= MOST_SKIPPED * len(self.places)
        exposed = [odd.view for odd in self.examination.odd if odd.kind == "exposure"]
        odd_places = [self.places[odd.view] for odd in self.examination.odd if few and odd.view not in exposed]
        skipped = [self.corrected(self.capture.whole_place(*place)) for place in odd_places]
        align = ["⟦align⟧"] if exposed else []
        return (*order, *(f"⟦skip {row},{column}⟧" for row, column in skipped), *align)

    def corrected(self, place: Pair, grid: Pair | None = None) -> Pair:
        """The position of a view in a grid, by default the whole one, once the remedies have corrected the order."""
        if self.order.outcome != "wrong":
            return place
        rows, columns = grid or self.capture.whole or self.capture.grid
        if self.order.transposed:
            place, rows, columns = place[::-1], columns, rows
        flips = likely_flips(self.order)
        return rows - 1 - place[0] if flips[0] else place[0], columns - 1 - place[1] if flips[1] else place[1]


def diagnose(source: LightField | str | os.PathLike[str], **options: Any) -> Diagnosis:
    """Look for what is wrong with a light field: order of views, single views, exposure.

    Parameters
    ----------
    source : LightField or path
        A light field, or the path of one.
    **options : Any
        For a path: the options of `ioadr.read`.

    Returns
    -------
    Diagnosis
        The verdict on the order of views (`order`), views that do not fit (`odd`) and what to do (`remedies`).

    Raises
    ------
    InputError
        If the path cannot be read as a light field.

    Examples
    --------
    >>> diagnosis = ioadr.diagnose(lightfield)
    >>> diagnosis.odd
    {}
    >>> diagnosis.healthy
    True
    """
    from ioadr.io.reading import open_capture, read

    chosen = ReadOptions.of(**options)
    if isinstance(source, LightField):
        lightfield, capture = source, _as_capture(source)
    else:
        capture, lightfield = open_capture(source, chosen), read(source, chosen)
    places, images, examination = examine(lightfield)
    names = tuple(capture.name_at(*place) for place in places)
    order = order_of(_as_capture(lightfield))
    counting = likelier_counting(capture, places, images, examination)
    return Diagnosis(lightfield, order, places, names, examination, chosen, capture, counting)


def with_odd_views(lightfield: LightField, capture: Capture, step: int = 1) -> LightField:
    """The light field with notes on views that do not fit; the harmful ones are doubts about every map as well.

    The light field has every `step`-th pixel of the capture.
    """
    if lightfield.view_count > MOST_VIEWS:
        return lightfield
    remarks = {kind: Note(text) for kind, text in _remarks(lightfield, capture, step)}
    source = lightfield.source
    # Sound photographs that are far apart differ as much as wrong ones do: there, the map tells.
    posed = is_posed(lightfield.camera)
    doubts = {} if posed else {kind: text for kind, text in remarks.items() if kind not in HARMLESS}
    counting = [text for kind, text in remarks.items() if kind == "counting"]  # it explains what else was noted
    notes = (*counting, *source.notes, *(text for text in remarks.values() if text not in counting))
    return lightfield.with_(source=replace(source, notes=notes, doubts=doubts)) if remarks else lightfield


def _remarks(lightfield: LightField, capture: Capture, step: int) -> Iterator[tuple[str, str]]:
    """Remarks by kind: patterns in all views, all views in a wrong order, or single views that do not fit."""
    if capture.order.blocks:
        yield "blocks", BLOCKS
    if step == 1 and is_mosaic(lightfield.reference_view):
        yield "mosaic", MOSAIC
    places, images, examination = examine(lightfield, step)
    counting = likelier_counting(capture, places, images, examination)
    if counting is not None:
        yield "counting", f"the views fit together better if they are counted in another order: try {counting}"
        return
    if examination.all_alike:
        yield "views", f"all views are the same picture as {capture.name_at(*places[0])}: there is no depth to measure"
        return
    if examination.still:
        yield "views", STILL
    for kind, remark in REMARKS.items():
        named = [
            f"{capture.name_at(*places[odd.view])} ({_place(capture, places[odd.view])}) {_what(odd.what, places)}"
            for odd in examination.odd
            if odd.kind == kind
        ]
        more = f"; and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
        if named:
            yield kind, f"{remark}: {'; '.join(named[:MOST_NAMED])}{more}"


def _place(capture: Capture, place: Pair) -> str:
    """Where a view is, and how ⟦skip⟧ counts it if other views were taken from a larger grid."""
    row, column = capture.whole_place(*place)
    counted = "" if (row, column) == place else f", ⟦skip {row},{column}⟧"
    return f"view {place[0]},{place[1]}{counted}"


def _what(text: str, places: tuple[Pair, ...]) -> str:
    """The reason, with grid indices instead of view numbers."""
    return text.format(*(f"{row},{column}" for row, column in places))


def _as_capture(lightfield: LightField) -> Capture:
    """A light field in memory as a capture."""
    rows, columns, height, width, channels = lightfield.views.shape
    flat = lightfield.views.reshape(-1, height, width, channels)
    return Capture(
        format=lightfield.source.format,
        path=Path(lightfield.source.path or "memory"),
        index=np.arange(rows * columns).reshape(rows, columns),
        height=height,
        width=width,
        channels=channels,
        dtype=lightfield.views.dtype,
        load=lambda numbers, window: flat[list(numbers)][:, window.slices[0], window.slices[1]],
        names=[f"view {row},{column}" for row, column in np.ndindex(rows, columns)],
        available=lightfield.present,
        positions=lightfield.positions[..., :2],
    )
