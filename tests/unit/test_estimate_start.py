"""Estimations that start from a map, and parts of images that fit together."""

from __future__ import annotations

import numpy as np
import pytest

import ioadr
from ioadr import DisparityRange, InputError, preset
from ioadr.part import Part, Window
from ioadr.solver.refine import random_numbers
from ioadr.solver.schedule import plan
from tests.builders import make_lightfield

RANGE = DisparityRange(-1.0, 1.5)
QUICK = preset("paper").vary({"search.sweeps": 4, "planar.first_sweep": 2, "search.warm_sweeps": 1})


def test_random_numbers_of_a_part_are_those_of_the_whole():
    step = plan(preset("paper"), RANGE)[3]
    whole = random_numbers(7, step, Part.whole(37, 53))
    part = random_numbers(7, step, Part(Window(5, 30, 16, 50), 37, 53))
    for large, small in zip(whole, part, strict=True):
        assert np.array_equal(small, large[5:16, 30:50])


def test_an_image_is_a_part_of_itself():
    lightfield = make_lightfield(size=(24, 30))
    alone = ioadr.estimate(lightfield, QUICK)
    whole = ioadr.estimate(lightfield.crop(Window(0, 0, 24, 30)), QUICK)
    assert alone.disparity.tobytes() == whole.disparity.tobytes()


def test_a_warm_start_runs_the_last_sweeps_of_each_phase():
    parameters = preset("paper")
    assert [step.index for step in plan(parameters, RANGE, warm=True)] == [4, 5, 9]
    assert [step.index for step in plan(parameters.vary({"planar.first_sweep": 10}), RANGE, warm=True)] == [8, 9]
    many = parameters.vary({"search.warm_sweeps": 100})
    assert plan(many, RANGE, warm=True) == plan(many, RANGE)


@pytest.mark.parametrize(("value", "worst"), [(0.7, 0.01), (-1.0, 0.1)])
def test_a_good_start_is_kept_and_a_bad_one_is_not(value, worst):
    start = np.full((32, 36), value, np.float32)
    start[:, :10] = np.nan
    warm = ioadr.estimate(make_lightfield(size=(32, 36), disparity=0.7), QUICK, start=start)
    assert [record.sweep for record in warm.history] == [-1, 1, 3]
    assert np.isfinite(warm.disparity).all()
    assert np.median(np.abs(warm.disparity - 0.7)[8:-8, 8:-8]) < worst


def test_a_start_of_another_size_is_refused():
    with pytest.raises(InputError, match="start: expected a map of 36×32 px"):
        ioadr.estimate(make_lightfield(size=(32, 36)), QUICK, start=np.zeros((36, 32), np.float32))
