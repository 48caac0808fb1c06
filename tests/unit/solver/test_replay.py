"""What is replayed around a pixel is what ran there."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr._jit import Workers
from ioadr.solver.coverage import FEWEST, FEWEST_SHARE
from ioadr.solver.finish import Finisher
from ioadr.solver.replay import Replay, ending, surroundings
from ioadr.way import Origin
from tests import explored


@pytest.fixture(scope="module")
def pixels() -> list[tuple[int, int]]:
    found = explored.finished()
    assert found.way is not None
    random = np.random.default_rng(1)
    changed = random.choice(np.argwhere(found.way.origins[-1] == Origin.BORDER), 6)
    return [
        (int(n), int(m)) for n, m in [*changed, *random.integers(0, found.disparity.shape, (12, 2)), (0, 0), (63, 71)]
    ]


def test_surface_border_and_confidence_are_those_of_the_result(pixels):
    found, lightfield = explored.finished(), explored.scene().lightfield
    assert found.way is not None
    assert found.coverage is not None
    fitted = found.way.map_after(-2, found.disparity)
    borders = missed = reopened = 0
    for row, column in pixels:
        told = ending(lightfield, found, row, column)
        assert told.surface is not None
        # Maps are kept as differences from the result, to a 2000th of them, and the fit adds up what they are off.
        moved = abs(float(fitted[row, column] - found.disparity[row, column]))
        missed += told.surface.shared != pytest.approx(fitted[row, column], abs=1e-4 + moved / 500)
        assert told.surface.weights.shape == (len(told.surface.members),)
        assert told.trust == pytest.approx(found.confidence[row, column], abs=0.01)
        assert [doubt.taken for doubt in told.doubts] == sorted((doubt.taken for doubt in told.doubts), reverse=True)
        if told.border is not None:
            borders += 1
            if found.way.origins[-1, row, column] == Origin.BORDER and told.border.was_near == told.border.is_near:
                reopened += 1  # a hole that the step opened and closed again: only the closing is kept
                continue
            chosen = told.border.near if told.border.is_near else told.border.far
            assert chosen == pytest.approx(found.disparity[row, column], abs=5e-3)
            if told.border.coverage is not None:
                share = told.border.coverage if told.border.is_near else 1 - told.border.coverage
                assert share == pytest.approx(found.coverage[row, column], abs=0.05)
        else:
            assert found.coverage[row, column] == 1
    assert borders >= 6
    assert reopened <= 1
    # Where a pixel's map is .08 px from its targets, which of them belong to it hangs on the last digits.
    assert missed <= len(pixels) // 10


def test_views_differ_by_what_the_finish_measured(pixels):
    """Σ w·r² over the views is the residual of the compiled normal equation; views that count see the pixel."""
    found, lightfield = explored.finished(), explored.scene().lightfield
    term = found.parameters.finish
    for row, column in pixels:
        with Workers() as workers:
            replay = Replay(lightfield, found, row, column, workers)
            _, told = replay.surface()
            assert told is not None
            assert found.way is not None
            before, *_ = replay.wanted(found.way)
            finisher = Finisher(replay.refinement, replay.closing)
            wish = finisher.linearised(before, replay.refinement.rays, term.occluder_growth, term.noise, 0.1)
        total = float((told.weights * np.nan_to_num(told.residuals) ** 2).sum()) / max(float(told.weights.sum()), 1.0)
        assert total == pytest.approx(float(wish.residual[replay.row, replay.column]), rel=2e-3, abs=1e-3)
        assert np.array_equal(told.weights > 0, np.isfinite(told.residuals))
        assert told.residuals.shape == lightfield.grid


def test_views_that_decide_a_border_see_behind_it(pixels):
    """Enough of them where the coverage is told, too few where it is not."""
    found, lightfield = explored.finished(), explored.scene().lightfield
    fewest = max(FEWEST, round(FEWEST_SHARE * lightfield.view_count))
    borders = [told for pixel in pixels if (told := ending(lightfield, found, *pixel).border) is not None]
    assert borders
    for border in borders:
        assert border.views.shape == lightfield.grid
        assert (np.count_nonzero(border.views) >= fewest) == (border.coverage is not None)


def test_surroundings_begin_where_lattices_do():
    lightfield, found = explored.scene().lightfield, explored.finished()
    window = surroundings(lightfield, found, 60, 70)
    assert window.top % 48 == window.left % 48 == 0
    assert (window.bottom, window.right) == (64, 72)


def test_without_a_finish_only_the_confidence_is_replayed():
    found, lightfield = explored.estimate(), explored.scene().lightfield
    told = ending(lightfield, found, 20, 30)
    assert (told.surface, told.views, told.border) == (None, None, None)
    assert told.trust == pytest.approx(found.confidence[20, 30], abs=0.01)
