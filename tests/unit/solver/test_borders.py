"""Contrast of a border that does not bend the surface behind it."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr._jit import Workers
from ioadr.parameters import Finish
from ioadr.solver.borders import discount
from ioadr.solver.finish import directions, fit

SIZE, LEFT = 40, 15
"""px, and the first column of the near surface."""
NEAR, FAR = 1.0, 0.0


@pytest.mark.parametrize("slope", [0.0, 0.03])
def test_contrast_of_a_border_does_not_bend_the_surface_behind_it(slope):
    """Its pixels favour nearer disparities, more precisely than the faint surface; a steep surface has no borders."""
    far = np.tile(slope * np.arange(SIZE, dtype=np.float32), (SIZE, 1))
    disparity = far.copy()
    disparity[:, LEFT:] += 0.3
    target, precision = disparity.copy(), np.full_like(disparity, 0.06**-2)
    target[:, LEFT - 1] += 0.03
    precision[:, LEFT - 1] = 0.01**-2
    counted = precision.copy()
    with Workers(1) as workers:
        discount(0, SIZE, disparity, directions(), np.float32(0.02), counted)
        bent, straight = (fit(disparity, target, p, Finish(), workers)[8:-8] for p in (precision, counted))
    np.testing.assert_array_equal(np.flatnonzero((counted == 0).any(axis=0)), [LEFT - 1])
    assert (bent - far[8:-8])[:, LEFT - 3 : LEFT].max() > 0.02
    assert np.abs(straight - far[8:-8])[:, LEFT - 8 : LEFT].max() < 0.002


@pytest.mark.parametrize(("width", "counts"), [(2, True), (6, True), (9, False)])
def test_in_a_gap_the_data_at_its_borders_count(width, counts):
    disparity = np.full((SIZE, SIZE), NEAR, np.float32)
    disparity[:, LEFT : LEFT + width] = FAR
    precision = np.ones_like(disparity)
    discount(0, SIZE, disparity, directions(), np.float32(0.06), precision)
    assert (precision[8:-8, LEFT] == counts).all()
    assert (precision[:, :LEFT] == 1).all()
