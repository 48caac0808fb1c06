"""Filtered views of the finish: the same samples whether they are copied or filtered in place."""

from __future__ import annotations

import numpy as np
import pytest

import ioadr
from ioadr import preset
from ioadr._jit import Workers
from ioadr.solver import filtered_views
from ioadr.solver.filtered_views import FilteredViews, high_pass_rays, softened_rays
from ioadr.solver.problem import pack_rays
from ioadr.solver.refine import Refinement
from tests.builders import make_lightfield

BEST = preset("best")


@pytest.fixture
def lf():
    return make_lightfield(grid=(9, 9), size=(20, 22), disparity=0.7)


def test_in_place_they_are_what_copies_are(lf, monkeypatch):
    """81 views: five chunks and a rest. Asked for in the order of two passes."""
    with Workers(2) as workers:
        refinement = Refinement(lf, ioadr.DisparityRange(-1, 1), BEST, workers)
        soft = softened_rays(refinement.rays, BEST.finish.softening, workers)
        high = high_pass_rays(soft, BEST.finish.high_pass, workers)
        monkeypatch.setattr(filtered_views, "LARGE", 0)
        views = FilteredViews(refinement)
        for _ in range(2):
            np.testing.assert_array_equal(views.soft().samples, soft.samples)
            np.testing.assert_array_equal(views.high().samples, high.samples)
        assert views.high() is views.high(), "filtered once until the other is asked for"
        np.testing.assert_array_equal(refinement.rays.samples, pack_rays(lf).samples)


def test_a_large_light_field_gets_the_same_map(lf, monkeypatch):
    lf = lf.replace(range=ioadr.DisparityRange(-1, 1))
    whole = ioadr.estimate(lf, BEST, threads=1)
    monkeypatch.setattr(filtered_views, "LARGE", 0)
    frugal = ioadr.estimate(lf, BEST, threads=1)
    np.testing.assert_array_equal(frugal.disparity, whole.disparity)
    np.testing.assert_array_equal(frugal.confidence, whole.confidence)
