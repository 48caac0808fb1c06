"""Notes and doubts about the maps of other views, added to the reference view's estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.consistency.outcome import unreliable
from ioadr.errors import Note
from ioadr.layout import Layout
from ioadr.result import Estimate
from ioadr.views.outside import MOST_NAMED, Outside, range_notes

DOUBT = "every view"
"""Kind of the doubt in `Source.doubts`."""


def remarked(estimate: Estimate, index: NDArray[Any], confidence: NDArray[Any], outside: Sequence[Outside]) -> Estimate:
    """The estimate with remarks about all views; `index` [V, 2] and `confidence` [V, N, M] are those of `Views`."""
    source = estimate.source
    notes = (*source.notes, *range_notes(estimate.range, outside))
    poor = [view for view, values in zip(index.tolist(), confidence, strict=True) if unreliable(values)]
    doubts = dict(source.doubts)
    if poor:
        named = ", ".join(f"{row} {column}" for row, column in poor[:MOST_NAMED])
        more = ", …" if len(poor) > MOST_NAMED else ""
        doubts[DOUBT] = Note(f"hardly any pixel is reliable in {len(poor)} of {len(index)} views ({named}{more})")
    return replace(estimate, source=replace(source, notes=notes, doubts=doubts))


def as_captured(estimate: Estimate, layout: Layout) -> Estimate:
    """The estimate with the layout in which its views were captured, and a note if they were moved into one plane."""
    if layout.planar:
        return estimate
    note = Note(
        f"views up to {np.abs(layout.forward).max():.2g} baseline units out of one plane were moved into it by the map "
        "of the reference view: the maps of other views, and rendered pictures, show the scene from inside the plane"
    )
    source = estimate.source
    return replace(estimate, layout=layout, source=replace(source, notes=(*source.notes, note)))
