"""`ioadr.diagnose`: do the views fit together, one by one and as a whole?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.consistency.order import Order
from ioadr.consistency.single_views import MOST_NAMED, Examination, examined, plain_grey
from ioadr.io.capture import Capture
from ioadr.io.counting import likelier_counting
from ioadr.io.options import Pair, ReadOptions
from ioadr.io.orientation import order_of, remedies
from ioadr.lightfield import LightField

MOST_VIEWS = 400
"""Of more, single ones are only looked at when a diagnosis is asked for."""


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """The examination of a light field, without estimating it."""

    lightfield: LightField
    order: Order
    """Of the views as they are in `lightfield`."""
    places: tuple[Pair, ...]
    """Grid indices of the views in the order of `examination`."""
    names: tuple[str, ...]
    """Their files."""
    examination: Examination
    options: ReadOptions
    """With which the views were read."""
    counting: str | None = None
    """The argument with which the views fit together, if they were counted wrongly; marked as in errors."""

    @property
    def odd(self) -> dict[Pair, str]:
        """Views that do not fit, and why."""
        return {self.places[odd.view]: _what(odd.what, self.places) for odd in self.examination.odd}

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong with the views."""
        return self.order.outcome != "otherwise" and not self.examination.odd and self.counting is None

    @property
    def remedies(self) -> tuple[str, ...]:
        """Arguments that read the views correctly, marked as in errors."""
        if self.counting is not None:
            return (self.counting,)
        order = remedies(self.order, self.options) if self.order.outcome == "otherwise" else []
        return (*order, *(f"⟦skip {row},{column}⟧" for row, column in self.odd))


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
    >>> found = ioadr.diagnose(lightfield)
    >>> found.odd
    {}
    >>> found.healthy
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
    return Diagnosis(lightfield, order, places, names, examination, chosen, counting)


def examine(lightfield: LightField) -> tuple[tuple[Pair, ...], NDArray[np.float32], Examination]:
    """Grid indices of all present views, the middle one first, small pictures of them, and how they fit in."""
    there = np.argwhere(lightfield.present)
    middle = (np.array(lightfield.grid) - 1) // 2
    there = there[np.argsort(np.abs(there - middle).sum(axis=1), kind="stable")]
    places = tuple((int(row), int(column)) for row, column in there)
    images = np.stack([plain_grey(lightfield.views[place]) for place in places])
    offsets = np.array([lightfield.offsets[place] for place in places])[:, :2]
    return places, images, examined(images, offsets - offsets[0], lightfield.width / images.shape[2])


def odd_views(lightfield: LightField, capture: Capture) -> Iterator[str]:
    """A note that names the views that do not fit."""
    if lightfield.view_count > MOST_VIEWS:
        return
    places, images, examination = examine(lightfield)
    counting = likelier_counting(capture, places, images, examination)
    if counting is not None:
        yield f"the views fit together better if they are counted in another order: try {counting}"
    named = [
        f"{capture.name_at(*places[odd.view])} (view {places[odd.view][0]},{places[odd.view][1]}) "
        f"{_what(odd.what, places)}"
        for odd in examination.odd
    ]
    if named:
        more = f"; and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
        yield f"views that do not fit (⟦skip ROW,COL⟧ leaves them out): {'; '.join(named[:MOST_NAMED])}{more}"


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
