"""How much of a pixel a near surface covers, and which surface it therefore belongs to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ioadr import DisparityRange, LightField, estimate, preset
from ioadr._jit import Workers
from ioadr.geometry.ppp import Rays
from ioadr.solver.coverage import (
    FURTHEST,
    Settled,
    disc_maximum,
    settle,
    spread_views,
    views_by_distance,
    with_neighbours,
)
from ioadr.solver.problem import pack_rays
from ioadr.solver.reach import BACKGROUND

SIZE, LEFT = 48, 20
"""px, and the first column of the near surface."""
NEAR, FAR = 1.0, 0.0
RANGE = DisparityRange(-0.5, 1.5)
INSIDE = np.s_[6:-6]
COVERAGE = preset("best").coverage


def grid(side: int) -> NDArray[np.float64]:
    steps = np.arange(side) - side // 2
    return np.stack(np.meshgrid(steps, steps, indexing="ij"), axis=-1).astype(np.float64)


SCATTERED = grid(5) + np.random.default_rng(5).uniform(-0.3, 0.3, (5, 5, 2))
LINE = np.stack([np.zeros((1, 9)), np.arange(9.0)[None] - 4], axis=-1)


def half_covered(
    share: float, positions: NDArray[np.float64] | None = None, gamma: float = 2.2, noise: float = 0.0, **options: Any
) -> LightField:
    """A bright surface before a dark wall, both textured; its first column covers `share` of the pixels it lies in."""
    positions = grid(5) if positions is None else positions
    random = np.random.default_rng(2)
    wall, sheet = (random.integers(*bounds, (SIZE, SIZE, 3)) / 255.0 for bounds in ((20, 110), (190, 230)))
    views = np.empty((*positions.shape[:2], SIZE, SIZE, 3), np.float32)
    columns = np.arange(SIZE)
    for index in np.ndindex(*positions.shape[:2]):
        v, h = positions[index] - positions[views.shape[0] // 2, views.shape[1] // 2]
        moved = shifted(sheet**gamma, v * NEAR, h * NEAR)
        edge = LEFT + 1 - share - h * NEAR
        cover = np.clip(columns + 1 - edge, 0, 1)[:, None]
        views[index] = (cover * moved + (1 - cover) * wall**gamma) ** (1 / gamma)
    views += noise * random.standard_normal(views.shape, np.float32)
    return LightField(np.clip(views, 0, 1), positions=positions, range=RANGE, **options)


def shifted(light: NDArray[np.float64], rows: float, columns: float) -> NDArray[np.float64]:
    """light at pixel + (rows, columns), repeating, bilinear."""
    y, x = int(np.floor(rows)), int(np.floor(columns))
    fy, fx = rows - y, columns - x
    taps = [((1 - fy) * (1 - fx), y, x), ((1 - fy) * fx, y, x + 1), (fy * (1 - fx), y + 1, x), (fy * fx, y + 1, x + 1)]
    return sum(weight * np.roll(light, (-i, -j), (0, 1)) for weight, i, j in taps)  # type: ignore[return-value]


def settled(lf: LightField, first: int, threads: int = 1, lean: float = 0.0, **changes: Any) -> Settled:
    """A map whose near surface begins in column `first`, after the pass."""
    disparity = np.full((SIZE, SIZE), FAR, np.float32)
    disparity[:, first:] = NEAR
    term = preset("best").vary({f"coverage.{name}": value for name, value in changes.items()}).coverage
    with Workers(threads) as workers:
        return settle(disparity, pack_rays(lf), term, workers, lean)


LAYOUTS: dict[str, dict[str, Any]] = {
    "grid": {},
    "scattered": {"positions": SCATTERED},
    "line": {"positions": LINE},
    "missing views": {"present": np.random.default_rng(1).random((5, 5)) < 0.7, "reference": (2, 2)},
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("share", "first"), [(0.2, LEFT + 1), (0.35, LEFT + 1), (0.65, LEFT), (0.8, LEFT)])
def test_a_pixel_belongs_to_what_covers_most_of_it(layout, share, first):
    options = dict(LAYOUTS[layout])
    if "present" in options:
        options["present"][2, 2] = True
    found = settled(half_covered(share, **options), LEFT)
    np.testing.assert_array_equal(found.disparity[INSIDE, first:-6], NEAR)
    np.testing.assert_array_equal(found.disparity[INSIDE, 6:first], FAR)
    own = share if first == LEFT else 1 - share
    slack = 0.1 if layout == "scattered" else 0.0  # samples between pixels mix neighbours
    assert abs(np.median(found.coverage[INSIDE, LEFT]) - own) < 0.05 + slack
    assert np.quantile(np.abs(found.coverage[INSIDE, LEFT] - own), 0.9) < 0.1 + slack


@pytest.mark.parametrize("first", [LEFT - 1, LEFT + 1])
def test_a_border_beside_its_place_is_put_right(first):
    found = settled(half_covered(1.0), first).disparity
    np.testing.assert_array_equal(found[INSIDE, 6:LEFT], FAR)
    np.testing.assert_array_equal(found[INSIDE, LEFT:-6], NEAR)


def test_a_prior_for_one_surface_decides_only_where_the_evidence_is_weaker():
    lf = half_covered(0.4)
    near, neither, far = (settled(lf, LEFT, lean=lean).disparity[INSIDE, LEFT] for lean in (1e4, 0.0, -1e4))
    assert (near == NEAR).all()
    assert (far == FAR).all()
    np.testing.assert_array_equal(settled(lf, LEFT, lean=0.01).disparity[INSIDE, LEFT], neither)
    assert (neither == FAR).mean() > 0.9


def test_samples_that_count_light_have_gamma_1():
    found = settled(half_covered(0.4, gamma=1.0), LEFT, gamma=1.0)
    assert abs(np.median(found.coverage[INSIDE, LEFT]) - 0.6) < 0.03
    wrong = settled(half_covered(0.4, gamma=1.0), LEFT)
    assert abs(np.median(wrong.coverage[INSIDE, LEFT]) - 0.6) > 0.03


def test_noise_is_no_evidence():
    found = settled(half_covered(0.25, noise=0.03), LEFT)
    assert np.mean(found.disparity[INSIDE, LEFT] == FAR) > 0.9
    assert np.mean(found.disparity[INSIDE, LEFT + 1] == NEAR) > 0.95
    assert np.mean(found.disparity[INSIDE, LEFT - 1] == FAR) > 0.95


def test_away_from_jumps_coverage_is_1():
    coverage = settled(half_covered(0.4), LEFT).coverage
    assert (coverage[:, : LEFT - 1] == 1).all()
    assert (coverage[:, LEFT + 1 :] == 1).all()


def test_a_surface_without_contrast_stays_and_its_coverage_is_whole():
    lf = half_covered(0.3)
    grey = LightField(np.full_like(lf.views, 0.5), range=lf.range)
    found = settled(grey, LEFT)
    assert (found.disparity[:, LEFT:] == NEAR).all()
    assert (found.disparity[:, :LEFT] == FAR).all()


def test_without_free_views_nothing_changes_and_coverage_is_not_told():
    found = settled(half_covered(0.2, grid(3)), LEFT)
    assert (found.disparity[:, LEFT] == NEAR).all()
    assert np.isnan(found.coverage[:, LEFT]).all()
    assert (found.coverage[:, LEFT + 1 :] == 1).all()


def test_threads_make_no_difference():
    lf = half_covered(0.4, noise=0.02)
    one, three = settled(lf, LEFT), settled(lf, LEFT, threads=3)
    np.testing.assert_array_equal(one.disparity, three.disparity)
    np.testing.assert_array_equal(one.coverage, three.coverage)


def test_neighbours_of_like_colour_confirm_each_other():
    """In a row of pixels: what each says, and what comes of it with half of what is said beside it."""
    evidence = np.array([[-1.5, -3.0, np.nan, 1.5, -9.0, -1.5, 0.5, -0.9]], np.float32)
    known = np.array([[1, 1, np.nan, 1, 1, 0, 1, 1]], np.float32)
    image = np.zeros((1, 8, 3), np.float32)
    found = with_neighbours(evidence, known, image, 0.5)
    np.testing.assert_allclose(found, [[-2.5, -3.25, np.nan, 0, -7.75, -1.5, 0.5, -0.9]])
    np.testing.assert_array_equal(with_neighbours(evidence, known, image, 0.0)[:, :4], evidence[:, :4])
    image[0, 1] = 6.0
    np.testing.assert_allclose(with_neighbours(evidence, known, image, 0.5)[0, 0], -1.5 - np.exp(-1))


def test_views_come_nearest_first():
    rays = pack_rays(half_covered(0.5, SCATTERED))
    places = np.stack([rays.dy, rays.dx], axis=1)
    for v, others in enumerate(views_by_distance(rays, np.arange(25, dtype=np.int32))):
        assert sorted([v, *others]) == list(range(25))
        assert (np.diff(np.linalg.norm(places[others] - places[v], axis=1)) > -1e-3).all()


def test_few_of_many_views_are_spread_evenly():
    """Of 17×17, every second row and column; of 11×11, 81 with the reference view and the corners; of 9×9, all."""
    numbers = {side: spread_views(on_grid(side), 81) for side in (17, 11, 9)}
    rows, columns = np.divmod(numbers[17], 17)
    assert set(zip(rows.tolist(), columns.tolist(), strict=True)) == {(2 * i, 2 * j) for i, j in np.ndindex(9, 9)}
    assert len(set(numbers[11])) == 81
    assert {0, 10, 60, 110, 120} <= set(numbers[11].tolist())
    np.testing.assert_array_equal(numbers[9], np.arange(81))


def on_grid(side: int) -> Rays:
    """Rays of side×side views without samples."""
    dy, dx = np.indices((side, side), np.float32).reshape(2, -1) - np.float32(side // 2)
    fixed = np.int32(1), np.int32(1), 1, 1
    return Rays(np.empty(0, np.uint32), *fixed, dy, dx, np.maximum(np.abs(dy), np.abs(dx)), side * side // 2)


def test_a_disc_grows_by_its_radius():
    values = np.zeros((9, 9), np.float32)
    values[4, 4] = 1
    assert [int(disc_maximum(values, radius).sum()) for radius in (0, 1, 2)] == [1, 5, 13]


def test_tiles_overlap_by_as_much_as_backgrounds_move():
    assert BACKGROUND >= FURTHEST


@pytest.mark.parametrize(("name", "told"), [("paper", False), ("fast", True), ("best", True)])
def test_an_estimate_tells_its_coverage_if_it_has_any(name, told):
    lf = half_covered(0.4)
    records = []
    found = estimate(lf, preset(name).vary({"search.sweeps": 1}), progress=lambda *given: records.append(given[2]))
    assert (found.coverage is not None) == told
    assert len(found.history) == records[-1] + 1
    if found.coverage is not None:
        assert found.coverage.dtype == np.float32
        assert np.mean(found.coverage == 1) > 0.8
        assert 0 <= np.nanmin(found.coverage) < 0.9
