"""Confidence on the demo, whose truth is exact: slant costs no trust, and a range without the truth gets none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ioadr
from ioadr import DisparityRange
from ioadr.evaluation.synthetic import demo

pytestmark = pytest.mark.slow
FLOOR, WALL = 0, 1


@pytest.fixture(scope="module")
def rendered():
    return demo()


def test_the_floor_is_trusted_more_than_the_wall(rendered):
    """The floor falls by 0.035 px of disparity from row to row and is right; objects hide parts of the wall."""
    found = ioadr.estimate(rendered.lightfield, "best", progress=False)
    floor, wall = (found.confidence[rendered.objects == number] for number in (FLOOR, WALL))
    assert np.mean(floor > 0.9) > np.mean(wall > 0.9)
    assert floor.mean() > wall.mean()


@pytest.mark.parametrize("limits", [(-0.1, 0.1), (0.0, 0.01), (1.5, 1.6), (2.2, 4.0), (-3.5, -2.0), (0.8, 2.0)])
def test_where_the_range_excludes_the_truth_hardly_a_pixel_is_trusted(rendered, limits):
    """Of the pixels whose truth is excluded; a narrow range holds a few that are right, and may be trusted."""
    light_field = replace(rendered.lightfield, range=DisparityRange(limits[0], limits[1], "user"))
    found = ioadr.estimate(light_field, "best", progress=False)
    truth = rendered.truth.disparity
    excluded = (truth < limits[0] - 0.07) | (truth > limits[1] + 0.07)
    assert excluded.mean() > 0.8
    assert np.mean(found.confidence[excluded] > 0.5) <= 0.05
