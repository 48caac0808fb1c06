"""What is replayed around a pixel is what ran there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ioadr
from ioadr import Estimate, LightField
from ioadr._jit import Workers
from ioadr.evaluation.synthetic import demo
from ioadr.solver.coverage import FEWEST, FEWEST_SHARE
from ioadr.solver.explanation import Ending
from ioadr.solver.finish import Finisher
from ioadr.solver.reach import ALIGNED
from ioadr.solver.replay import Replay, ending, surroundings
from ioadr.way import Origin
from tests import explored

Pixel = tuple[int, int]


def chosen(found: Estimate, count: int) -> list[Pixel]:
    """Pixels that the border step moved, pixels of holes, any pixels, and corners."""
    assert found.way is not None
    random, origins = np.random.default_rng(1), found.way.origins
    moved = [random.choice(np.argwhere(origins[-1] == Origin.BORDER), count)]
    holes = np.argwhere(origins[-2] == Origin.HOLE)
    moved += [random.choice(holes, min(count, len(holes)), replace=False)]
    pixels = np.concatenate([*moved, random.integers(0, found.disparity.shape, (2 * count, 2))]).tolist()
    height, width = found.disparity.shape
    return [(n, m) for n, m in [*pixels, (0, 0), (height - 1, width - 1)]]


@pytest.fixture(scope="module")
def endings() -> dict[Pixel, Ending]:
    found, lightfield = explored.finished(), explored.scene().lightfield
    return {pixel: ending(lightfield, found, *pixel) for pixel in chosen(found, 6)}


def check(found: Estimate, pixel: Pixel, told: Ending, rounding: float = 0.0) -> None:
    """The fitted surface, the border and the confidence are those of the result, to the last bit.

    `rounding` is what surface (px) and confidence may be off where the part does not begin with the image: single
    precision rounds its smaller coordinates otherwise.
    """
    assert found.way is not None
    assert found.coverage is not None
    fitted, opened = (found.way.map_after(step, found.disparity) for step in (-3, -2))
    assert told.surface is not None
    assert abs(np.float32(told.surface.shared) - fitted[pixel]) <= rounding
    assert told.surface.weights.shape == (len(told.surface.members),)
    assert told.trust == pytest.approx(found.confidence[pixel], abs=1e-6 + rounding)
    assert [doubt.taken for doubt in told.doubts] == sorted((doubt.taken for doubt in told.doubts), reverse=True)
    if told.border is None:
        assert found.coverage[pixel] == 1
        assert found.disparity[pixel] == opened[pixel]
        return
    settled = told.border.near if told.border.is_near else told.border.far
    changed = told.border.is_near != told.border.was_near
    assert found.disparity[pixel] == (np.float32(settled) if changed else opened[pixel])
    assert changed == (found.way.origins[-1][pixel] == Origin.BORDER)
    if told.border.coverage is None:
        assert not changed
    else:
        share = np.float32(told.border.coverage)
        assert found.coverage[pixel] == (share if told.border.is_near else np.float32(1) - share)


def test_surface_border_and_confidence_are_those_of_the_result(endings):
    found = explored.finished()
    for pixel, told in endings.items():
        check(found, pixel, told)
    assert sum(told.border is not None for told in endings.values()) >= 6


def test_a_hole_that_was_closed_again_is_told():
    """The opening is a separate step, so that the border step begins where it began."""
    lightfield, found = explored.lattice()
    assert found.way is not None
    opened, closed = found.way.origins[-2] == Origin.HOLE, found.way.origins[-1] == Origin.BORDER
    both = np.argwhere(opened & closed)
    assert len(both)
    for pixel in both[:3].tolist():
        told = ending(lightfield, found, *pixel)
        check(found, tuple(pixel), told)
        assert told.border is not None
        assert (told.border.was_near, told.border.is_near) == (False, True)


@pytest.mark.slow
def test_surroundings_are_wide_enough():
    """On an image that is larger than they are: borders are the same to the last bit."""
    lightfield = demo(size=(240, 272), grid=(7, 7)).lightfield
    found = ioadr.estimate(lightfield, "best", seed=2)
    for pixel in [*chosen(found, 10), (120, 136)]:
        window = surroundings(lightfield, found, *pixel, 53, ALIGNED)
        assert window.height < 240
        check(found, pixel, ending(lightfield, found, *pixel), rounding=5e-4)


def test_views_differ_by_what_the_finish_measured(endings):
    """Σ w·r² over the views is the residual of the compiled normal equation; views that count see the pixel."""
    found, lightfield = explored.finished(), explored.scene().lightfield
    term, residual = found.parameters.finish, last_residuals(lightfield, found)
    for pixel, ended in endings.items():
        told = ended.views
        assert told is not None
        total = float((told.weights * np.nan_to_num(told.residuals) ** 2).sum()) / max(float(told.weights.sum()), 1.0)
        assert total == pytest.approx(float(residual[pixel]), rel=2e-3, abs=1e-3)
        assert np.array_equal(told.weights > 0, np.isfinite(told.residuals))
        assert told.residuals.shape == lightfield.grid
    assert term.passes == 2


def last_residuals(lightfield: LightField, found: Estimate) -> Any:
    """Mean squares of the views' residuals around the map before the last finishing pass."""
    term = found.parameters.finish
    assert found.way is not None
    with Workers() as workers:
        replay = Replay(lightfield, found, ioadr.Window(0, 0, lightfield.height, lightfield.width), workers)
        finisher = Finisher(replay.refinement, replay.closing)
        before = replay.map_after(found.way, found.way.kinds.index("surfaces"))
        return finisher.linearised(before, replay.refinement.rays, term.occluder_growth, term.noise, 0.1).residual


def test_views_that_decide_a_border_see_behind_it(endings):
    """Enough views where the coverage is known, too few where it is not."""
    lightfield = explored.scene().lightfield
    fewest = max(FEWEST, round(FEWEST_SHARE * lightfield.view_count))
    borders = [told.border for told in endings.values() if told.border is not None]
    assert borders
    for border in borders:
        assert border.views.shape == lightfield.grid
        assert (np.count_nonzero(border.views) >= fewest) == (border.coverage is not None)


def test_surroundings_begin_where_lattices_do():
    lightfield, found = explored.scene().lightfield, explored.finished()
    window = surroundings(lightfield, found, 60, 70, 21, 48)
    assert window.top % 48 == window.left % 48 == 0
    assert (window.bottom, window.right) == (64, 72)


def test_without_a_finish_only_the_confidence_is_replayed():
    found, lightfield = explored.estimate(), explored.scene().lightfield
    told = ending(lightfield, found, 20, 30)
    assert (told.surface, told.views, told.border) == (None, None, None)
    assert told.trust == pytest.approx(found.confidence[20, 30], abs=1e-6)
