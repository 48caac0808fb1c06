"""Pixels of each view that show the scene: not those without light, nor those filled in by the alignment."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.geometry.similarity import displaced
from ioadr.io.samples import BLACK, FEW_BLACK
from ioadr.lightfield import LightField

Mask = NDArray[np.bool_]


class ValidArea:
    """Masks of a light field's views."""

    def __init__(self, lightfield: LightField) -> None:
        self.shape = lightfield.height, lightfield.width
        self.alignment: dict[str, Any] = dict(lightfield.source.alignment or {})
        self.lit = _lit(lightfield)
        places = [(int(row), int(column)) for row, column in np.argwhere(lightfield.present)]
        self.complete = all(self.mask(place).all() for place in places)

    def mask(self, view: tuple[int, int]) -> Mask:
        """Mask [N, M] of the pixels in which the view at (row, column) of the grid shows the scene."""
        return self.lit & self._taken(view)

    def _taken(self, view: tuple[int, int]) -> Mask:
        """Where an aligned view was resampled from inside the image; outside, its edge is repeated."""
        if not self.alignment:
            return np.ones(self.shape, bool)
        shift, angle = (np.asarray(self.alignment[name])[view] for name in ("shifts", "angles"))
        scales = self.alignment.get("scales")
        places = displaced(self.shape, shift, float(angle), 1.0 if scales is None else float(scales[view[0]][view[1]]))
        inside = [(at >= -0.5) & (at <= size - 0.5) for at, size in zip(places, self.shape, strict=True)]
        return np.asarray(inside[0] & inside[1])


def _lit(lightfield: LightField) -> Mask:
    """[N, M], False where all views are black, as at the corners of plenoptic images."""
    brightest = np.zeros((lightfield.height, lightfield.width))
    for view in lightfield.views[lightfield.present]:
        brightest = np.maximum(brightest, view.max(axis=-1))
    lit = brightest >= BLACK * lightfield.white
    return np.asarray(lit) if np.mean(~lit) > FEW_BLACK else np.ones_like(lit)
