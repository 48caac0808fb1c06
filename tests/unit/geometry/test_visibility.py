"""Which points another view sees."""

from __future__ import annotations

import numpy as np

from ioadr.geometry.visibility import seen_from


def test_a_bar_hides_what_lies_behind_it_on_one_side():
    """A bar of disparity 3 before a plane of 0: the view at column offset 2 has it 6 px further left."""
    disparity = np.zeros((8, 40), np.float32)
    disparity[:, 20:24] = 3.0
    seen = seen_from(disparity, (0.0, 2.0))
    assert np.flatnonzero((~seen).any(axis=0)).tolist() == [14, 15, 16, 17]
    assert seen[:, 20:24].all()
    assert seen_from(disparity, (0.0, 0.0)).all()


def test_a_slanted_surface_does_not_hide_itself():
    disparity = np.broadcast_to(np.linspace(0, 2, 40, dtype=np.float32), (8, 40)).copy()
    for offset in ((0.0, 4.0), (0.0, -4.0), (4.0, 0.0)):
        inside = seen_from(disparity, offset)
        column = np.rint(np.arange(40) - disparity * offset[1])
        row = np.rint(np.arange(8)[:, None] - disparity * offset[0])
        assert np.array_equal(inside, (column >= 0) & (column < 40) & (row >= 0) & (row < 8))


def test_nothing_is_seen_where_there_is_no_disparity():
    assert not seen_from(np.full((4, 5), np.nan, np.float32), (0.0, 1.0)).any()
