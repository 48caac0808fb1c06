"""Disparities of other views outside the reference view's range, and the note about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.errors import Note
from ioadr.layout import Index
from ioadr.lightfield import DisparityRange, LightField
from ioadr.solver.disparity_range import widened_range

MOST_NAMED = 4
"""Largest number of views in the note."""


class Outside(NamedTuple):
    """Textured points of a view, hidden from earlier anchors, that agree on disparities outside the range."""

    view: Index
    points: int
    """Number of such points."""
    clear: int
    """Number of textured points of the view that match clearly."""
    minimum: float
    maximum: float
    """Range that includes them, px."""


class SearchRange:
    """The range of further anchors: that of the reference view, widened by what they see, unless the user gave it."""

    def __init__(self, limits: DisparityRange) -> None:
        self.limits, self.outside = limits, list[Outside]()

    def of(self, part: LightField, where: NDArray[np.bool_], workers: Workers) -> LightField:
        """The anchor `part` with its range; pixels in the mask `where` [N, M] are new in it."""
        wider = widened_range(part, self.limits, where, workers)
        if wider.outside:
            ends = wider.limits.minimum, wider.limits.maximum
            self.outside.append(Outside(part.reference, wider.outside, wider.clear, *ends))
        if self.limits.origin != "user":
            self.limits = wider.limits
        return part.replace(range=self.limits)


def by_view(tiles: Iterable[Outside]) -> list[Outside]:
    """The same views in several tiles, each once."""
    views: dict[Index, Outside] = {}
    for there in tiles:
        known = views.get(there.view, there._replace(points=0, clear=0))
        views[there.view] = Outside(
            there.view,
            known.points + there.points,
            known.clear + there.clear,
            min(known.minimum, there.minimum),
            max(known.maximum, there.maximum),
        )
    return list(views.values())


def range_notes(limits: DisparityRange, outside: Sequence[Outside]) -> tuple[str, ...]:
    """What became of such points: searched in a wider range, or clipped to a range that the user gave."""
    if not outside:
        return ()
    low = min(limits.minimum, *(there.minimum for there in outside))
    high = max(limits.maximum, *(there.maximum for there in outside))
    worst = sorted(outside, key=lambda there: -there.points / there.clear)
    named = ", ".join(f"{t.view[0]} {t.view[1]} ({t.points} of {t.clear})" for t in worst[:MOST_NAMED])
    more = f" and {len(worst) - MOST_NAMED} more" if len(worst) > MOST_NAMED else ""
    text = f"textured points in view{'s' * (len(worst) > 1)} {named}{more}, hidden from the reference view, "
    if limits.origin == "user":
        text += f"lie outside the given range {limits.minimum:g} … {limits.maximum:g} px and have wrong disparities at "
        text += f"its ends; leave ⟦range⟧ out, or widen it: ⟦range {low:g} {high:g}⟧"
    else:
        text += f"lie outside its range; other views are searched in {low:g} … {high:g} px (⟦range MIN MAX⟧ sets the "
        text += "range of all views)"
    return (Note(text),)
