"""The layout of views: what it fills in, the lines through its reference, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr import Layout
from ioadr.layout import regular


def test_a_grid_says_everything_else():
    layout = Layout.of((5, 7))
    assert (layout.grid, layout.reference, layout.eta, layout.view_count) == ((5, 7), (2, 3), (1.0, 1.0), 35)
    assert layout.reach == (2.0, 3.0)
    assert layout.deviation == 0
    np.testing.assert_array_equal(layout.positions[..., :2], regular((5, 7)))
    assert not layout.positions[..., 2].any()


@pytest.mark.parametrize("error", [-1e-13, 0.0, 1e-13])
def test_of_two_views_in_the_middle_the_first_is_the_reference(error):
    """The last bits of positions that were fitted do not decide."""
    positions = regular((3, 4))
    positions[:, -1, 1] += error
    assert Layout.of((3, 4), positions=positions).reference == (1, 1)


def test_positions_out_of_the_plane():
    flat = np.pad(regular((3, 3)), ((0, 0), (0, 0), (0, 1)))
    np.testing.assert_array_equal(Layout.of((3, 3), positions=flat).offsets, Layout.of((3, 3)).offsets)
    assert Layout.of((3, 3), positions=flat).planar
    flat[..., 2] += 7.0
    assert Layout.of((3, 3), positions=flat).planar
    flat[0, 0, 2] += 0.1
    layout = Layout.of((3, 3), positions=flat)
    assert not layout.planar
    assert layout.forward[0, 0] == pytest.approx(0.1)
    assert layout.stored_positions.shape == (3, 3, 3)
    assert layout.flat.planar
    np.testing.assert_array_equal(layout.flat.offsets, layout.offsets)


def test_deviation_is_measured_from_the_regular_grid_wherever_that_lies():
    positions = regular((3, 4)) + 17.0
    assert Layout.of((3, 4), positions=positions).deviation == 0
    positions[2, 1] += (0.0, 0.25)
    assert Layout.of((3, 4), positions=positions).deviation == 0.25


def test_lines_are_in_order_and_leave_out_what_is_missing_or_aside():
    positions, present = regular((3, 5)), np.ones((3, 5), bool)
    positions[:, :, 1] *= -1
    positions[1, 0] += (0.3, 0.0)
    present[1, 3] = False
    layout = Layout.of((3, 5), (1, 2), positions=positions, present=present)
    assert layout.line(1) == [(1, 4), (1, 2), (1, 1)]
    assert layout.line(0) == [(0, 2), (1, 2), (2, 2)]


@pytest.mark.parametrize("axis", [0, 1])
def test_an_even_line_is_the_unbroken_run_through_the_reference(axis):
    grid = (3, 9) if axis == 1 else (9, 3)
    present = np.ones(grid, bool)
    present[(1, 7) if axis == 1 else (7, 1)] = False
    line = Layout.of(grid, (1, 4) if axis == 1 else (4, 1), (0.5, 0.5), present=present).even_line(axis)
    assert line is not None
    assert line.indices.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert line.step == 0.5


def test_uneven_lines_are_none():
    along, across = regular((3, 5)), regular((3, 5))
    along[1, 0] += (0.0, -0.2)
    across[1, 0] += (0.2, 0.0)
    for positions in (along, across):
        assert Layout.of((3, 5), positions=positions).even_line(1) is None
    assert Layout.of((3, 5)).even_line(0) is not None
