"""One estimation in its course."""

from __future__ import annotations

import numpy as np

from ioadr import DisparityRange, LightField, preset
from ioadr._jit import Workers
from ioadr.solver import problem
from ioadr.solver.confidence import confidence_map
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing
from tests.builders import make_lightfield


def test_occluders_are_made_once_for_all_that_look_at_a_map(monkeypatch):
    maps = []

    def counted(disparity, *others):
        maps.append(disparity)
        return snapshot(disparity, *others)

    snapshot = problem.snapshot_occluders
    monkeypatch.setattr(problem, "snapshot_occluders", counted)
    parameters, limits = preset("paper"), DisparityRange(-1.0, 1.5)
    with Workers(1) as workers:
        refinement, step = Refinement(make_lightfield(), limits, parameters, workers), closing(parameters, limits)
        refinement.disparity = np.full((20, 24), 0.5, np.float32)
        costs, visible = refinement.final_costs(step)
        confidence_map(refinement, step, costs["data"], visible)
        assert len(maps) == 1
        refinement.disparity = np.full((20, 24), 0.4, np.float32)
        refinement.final_costs(step)
    assert [float(values[0, 0]) for values in maps] == [0.5, np.float32(0.4)]


def test_congruence_counts_from_the_first_sweep_where_the_image_is_plain():
    views = np.full((3, 3, 24, 40, 3), 90, np.uint8)
    views[..., 20:, :] = np.random.default_rng(0).integers(0, 256, (3, 3, 24, 20, 3), np.uint8)
    lf, limits = LightField(views), DisparityRange(-1.0, 1.0)
    with Workers(1) as workers:
        best, paper = (Refinement(lf, limits, preset(name), workers).least_weight for name in ("best", "paper"))
    np.testing.assert_array_equal(best, np.broadcast_to(np.where(np.arange(40) < 16, np.float32(50), 0), (24, 40)))
    assert not paper.any()
