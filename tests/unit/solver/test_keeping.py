"""The stored history of a pixel is that of the estimation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ioadr
from ioadr import Window, preset
from ioadr._jit import Workers
from ioadr.app.why import last_sweep
from ioadr.solver.initialise import first_map_origins, first_maps
from ioadr.solver.keeping import sweep_origins
from ioadr.solver.problem import pack_rays
from ioadr.solver.refine import random_numbers
from ioadr.way import Origin, Way
from tests import explored
from tests.marks import some_quick
from tests.reference import search
from tests.reference.scenes import random_problem

LIMIT = 2**-11
"""Share of a difference that half precision may miss it by."""


@pytest.mark.parametrize("name", ["best", "paper", "fast"])
def test_the_maps_are_those_after_each_step(name):
    maps: list[Any] = []
    lightfield = explored.scene().lightfield
    found = ioadr.estimate(lightfield, name, seed=4, progress=lambda record, values, total: maps.append(values.copy()))
    assert found.way is not None
    steps = [index for index, kind in enumerate(found.way.kinds) if kind != "holes"]
    assert len(steps) == len(maps) == len(found.history)
    for step, values in zip(steps, maps, strict=True):
        kept = found.way.map_after(step, found.disparity)
        assert (np.abs(kept - values) <= LIMIT * np.abs(values - found.disparity) + 1e-7).all()
        if step >= last_sweep(found.way.kinds):
            np.testing.assert_array_equal(kept, values)
    for step, before, after in zip(steps[1:], maps[:-1], maps[1:], strict=True):
        if step - 1 in steps:
            np.testing.assert_array_equal(found.way.origins[step] == Origin.KEPT, after == before)


SWEEPS = [("paper", 5), ("paper", 7), ("text", 3), ("best", 4)]


@pytest.mark.parametrize(("name", "sweep"), some_quick(SWEEPS, [case for case in SWEEPS if case[0] != "text"]))
def test_heuristics_are_those_that_the_plain_sweep_took(name, sweep):
    problem = random_problem(1, size=(10, 12), parameters=preset(name), sweep=sweep, exact=False)
    plain = search.Plain(problem)
    noise, chance = random_numbers(problem.seed, problem.step, problem.lf.part)
    search.sweep(plain, noise, chance)
    found = sweep_origins(problem.disparity, plain.disparity, problem.step, noise)
    expected = np.where(plain.disparity == problem.disparity, Origin.KEPT, plain.origin)
    if name == "text":  # tries mean and plane in one sweep
        expected = np.where(np.isin(expected, (Origin.MEAN, Origin.PLANE)), Origin.MEAN_OR_PLANE, expected)
    np.testing.assert_array_equal(found, expected)
    assert len(np.unique(found)) >= 2


def test_the_start_that_won_is_named():
    lightfield, found = explored.scene().lightfield, explored.finished()
    assert found.way is not None
    term = found.parameters.initialise
    with Workers() as workers:
        maps = first_maps(lightfield, pack_rays(lightfield), found.range, term, workers)
    origins = first_map_origins(lightfield, found.range, term)
    assert origins == [Origin.WINDOWS, Origin.PIXELS, Origin.LINES]
    first = found.way.map_after(0, found.disparity)
    for values, origin in zip(maps, origins, strict=True):
        won = found.way.origins[0] == origin
        assert won.sum() > 100
        np.testing.assert_allclose(first[won], values[won], atol=2e-3)


def test_a_map_to_start_from_is_named():
    lightfield, known = explored.scene().lightfield, explored.finished()
    found = ioadr.estimate(lightfield, "best", seed=4, start=known.disparity)
    assert found.way is not None
    given = found.way.origins[0] == Origin.GIVEN
    assert given.mean() > 0.3
    np.testing.assert_allclose(found.way.map_after(0, found.disparity)[given], known.disparity[given], atol=2e-3)
    assert found.way.kinds[0] == "start"


def test_holes_and_borders_are_told_apart():
    _, found = explored.lattice()
    assert found.way is not None
    assert found.way.kinds[-2:] == ("holes", "borders")
    fitted, opened = (found.way.map_after(step, found.disparity) for step in (-3, -2))
    for step, before, after in ((-2, fitted, opened), (-1, opened, found.disparity)):
        np.testing.assert_array_equal(found.way.origins[step] != Origin.KEPT, after != before)
    assert set(np.unique(found.way.origins[-2])) == {Origin.KEPT, Origin.HOLE}
    assert set(np.unique(found.way.origins[-1])) == {Origin.KEPT, Origin.BORDER}
    assert (opened <= fitted).all()


def test_a_small_part_keeps_none():
    lightfield = explored.scene().lightfield
    assert ioadr.estimate(lightfield.crop(Window(0, 0, 16, 16)), "fast").way is None


def test_a_way_has_maps_of_one_size():
    with pytest.raises(ValueError, match="expected 2 maps of one size"):
        Way(("start", "sweep"), np.zeros((2, 3, 4), np.float16), np.zeros((2, 4, 3), np.uint8))
    with pytest.raises(ValueError, match="expected the steps start, sweep"):
        Way(("start", "nap"), np.zeros((2, 3, 4), np.float16), np.zeros((2, 3, 4), np.uint8))
    maps = np.zeros((2, 3, 4), np.float16), np.zeros((2, 3, 4), np.uint8)
    with pytest.raises(ValueError, match="glossy blocks"):
        Way(("start", "surfaces"), *maps, glossy=np.zeros((1, 3, 1), bool))
