"""The linearised data term: the step of its equations, as sure as it says, and without the pull of noise."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ioadr import DisparityRange, LightField
from ioadr._jit import Workers, task
from ioadr._lanes import WIDTH, load, splat, store
from ioadr.cost.linearised import cubic, cubic_slope, linearise, robust_normal_equation
from ioadr.geometry.ppp import LEVELS, Rays
from ioadr.presets import preset
from ioadr.solver.filtered_views import softened_rays
from ioadr.solver.finish import everywhere
from ioadr.solver.problem import pack_rays
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing
from tests.builders import make_views

SIZE = (56, 60)
INNER = np.s_[5:-6, 5:-6]
SCALE = 4.0
"""Grey levels."""


def plane(disparity: float, noise: float = 0.0, contrast: float = 1.0, seed: int = 0) -> LightField:
    """A textured plane, recorded with noise of so many grey levels."""
    views = make_views((5, 5), SIZE, dtype="float32", disparity=disparity, seed=3).astype(np.float64)
    views = 0.5 + contrast * (views - 0.5)
    views = views + np.random.default_rng(seed).normal(0, noise / 255, views.shape)
    return LightField(np.clip(views, 0, 1).astype(np.float32), range=DisparityRange(-1.0, 1.5))


def step(
    lf: LightField, around: float, noise: float = 0.5, furthest: float = 0.1
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Targets and precisions of all pixels, linearised around one disparity."""
    parameters = preset("best")
    assert lf.range is not None
    target, texture, residual = np.empty((3, lf.height, lf.width), np.float32)
    with Workers(1) as workers:
        refinement = Refinement(lf, lf.range, parameters, workers)
        refinement.disparity = np.full((lf.height, lf.width), around, np.float32)
        model = refinement.model(closing(parameters, lf.range))
        numbers = np.float32(SCALE), np.float32(furthest)
        given = model, refinement.disparity, *numbers, everywhere(refinement.disparity)
        workers.rows(linearise, lf.height, *given, target, texture, residual)
    return target, texture / (residual + np.float32(noise**2))


@task
def equations(rays, n, m, d, seen, scale, out):
    """The sums of sixteen pixels from (n, m) on: out float32 [4 · 16]."""
    gr, gg, rr, ww = robust_normal_equation(rays, n, m, splat(d), seen, scale)
    store(out, 0, gr)
    store(out, WIDTH, gg)
    store(out, 2 * WIDTH, rr)
    store(out, 3 * WIDTH, ww)


def equation(rays: Rays, n: int, m: int, d: float, seen: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The sums of one pixel, seen by some views: [4]."""
    out = np.empty(4 * WIDTH, np.float32)
    lanes = np.repeat(seen.astype(np.float32), WIDTH)
    equations(rays, n, m, np.float32(d), lanes, np.float32(SCALE), out)
    return out[::WIDTH]


@task
def cubic_lanes(t, out):
    """Weights and derivatives at sixteen fractions: out float32 [8 · 16]."""
    weights, slopes = cubic(load(t, 0)), cubic_slope(load(t, 0), np.float32(1.0))
    for i in range(4):
        store(out, i * WIDTH, weights[i])
        store(out, (4 + i) * WIDTH, slopes[i])


def catmull_rom(t: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights of four taps and their derivatives, from the curve's matrix."""
    matrix = 0.5 * np.array([[0, 2, 0, 0], [-1, 0, 1, 0], [2, -5, 4, -1], [-1, 3, -3, 1]])
    return np.array([1, t, t * t, t**3]) @ matrix, np.array([0, 1, 2 * t, 3 * t * t]) @ matrix


def shifted(
    view: NDArray[np.float64], y: float, x: float, wy: NDArray[np.float64], wx: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Inner pixels of a view [N, M, 3] displaced by whole (y, x) px and weighted by four taps each way."""
    total = np.zeros_like(view[INNER])
    for i, j in np.ndindex(4, 4):
        total += wy[i] * wx[j] * np.roll(view, (-int(y) + 1 - i, -int(x) + 1 - j), (0, 1))[INNER]
    return total


def plain_equation(lf: LightField, d: float, compensated: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(Σ w·g·r, Σ w·g²) of the inner pixels of a plane that nothing hides, from the formulas."""
    views = np.round(np.asarray(lf.views, np.float64) * 255 * LEVELS) / LEVELS
    shape = views[0, 0][INNER].shape
    weights: list[NDArray[np.float64]] = []
    residuals: list[NDArray[np.float64]] = []
    derivatives: list[NDArray[np.float64]] = []
    gain, gain_d = np.zeros((2, *shape[:2]))
    for row, column in np.ndindex(*lf.grid):
        dy, dx = lf.offsets[row, column]
        (wy, uy), (wx, ux) = (catmull_rom(-d * o - np.floor(-d * o)) for o in (dy, dx))
        y, x = np.floor(-d * dy), np.floor(-d * dx)
        r = shifted(views[row, column], y, x, wy, wx) - views[lf.reference][INNER]
        g = -dy * shifted(views[row, column], y, x, uy, wx) - dx * shifted(views[row, column], y, x, wy, ux)
        w = 1 / (1 + (r**2).mean(axis=-1) / SCALE**2)
        for values, item in ((weights, w[..., None]), (residuals, r), (derivatives, g)):
            values.append(item)
        gain += w * (wx @ wx) * (wy @ wy)
        gain_d -= w * (dx * (wx @ ux) * (wy @ wy) + dy * (wy @ uy) * (wx @ wx))
    w, r, g = np.array(weights), np.array(residuals), np.array(derivatives)
    r, g = (values - (w * values).sum(axis=0) / w.sum(axis=0) for values in (r, g))
    gr, gg, rr = ((w * product).sum(axis=0).mean(axis=-1) for product in (g * r, g * g, r * r))
    return gr - compensated * rr / gain * gain_d, gg


def test_cubic_weights_are_the_curves():
    fractions, out = np.linspace(0, 0.999, WIDTH, dtype=np.float32), np.empty(8 * WIDTH, np.float32)
    cubic_lanes(fractions, out)
    for t, found in zip(fractions, out.reshape(8, WIDTH).T, strict=True):
        assert np.allclose(found, np.concatenate(catmull_rom(float(t))), atol=1e-6)


def test_the_equation_is_the_plain_one():
    lf = plane(0.3, noise=3.0)
    rays, d = pack_rays(lf), 0.27
    gr, gg = plain_equation(lf, d, compensated=True)
    for n, m in ((0, 0), (7, 11), (30, 40), (44, 48)):
        found = equation(rays, n + 5, m + 5, d, np.ones(25, bool))
        assert found[0] == pytest.approx(gr[n, m], rel=1e-3, abs=0.02)
        assert found[1] == pytest.approx(gg[n, m], rel=1e-3)


def test_a_wrong_reference_does_not_move_what_one_side_sees():
    """Its error is the same in the residuals of all views; on both sides it cancels, on one it looks like a shift."""
    lf = plane(0.3)
    views = lf.views.copy()
    views[lf.reference] += 4 / 255
    rays = pack_rays(lf.with_(views=views))
    equations = [equation(rays, n, m, 0.3, rays.dx >= 0) for n in range(10, 50, 3) for m in range(10, 50, 3)]
    steps, weights = (np.array(values) for values in zip(*((-gr / gg, gg) for gr, gg, _, _ in equations), strict=True))
    assert np.sqrt(np.average(steps**2, weights=weights)) < 0.02


@pytest.mark.parametrize("offset", [-0.05, 0.02, 0.05])
def test_a_step_leads_to_the_truth(offset):
    target, precision = step(plane(0.3), 0.3 + offset)
    weights = precision[INNER]
    assert abs(np.average(target[INNER] - 0.3, weights=weights)) < 0.1 * abs(offset)
    assert np.sqrt(np.average((target[INNER] - 0.3) ** 2, weights=weights)) < 0.2 * abs(offset)


def test_a_step_is_limited():
    target, _ = step(plane(0.3), 0.4, furthest=0.01)
    assert np.abs(target - 0.4).max() <= 0.01 + 1e-6
    assert np.median(target[INNER]) == pytest.approx(0.39)


def test_precision_tells_the_size_of_the_error():
    """Errors follow the stated deviations over a factor of four in contrast; they are stated with caution."""
    spread = []
    for contrast in (1.0, 0.5, 0.25):
        target, precision = step(plane(0.3, noise=3.0, contrast=contrast), 0.3, furthest=1.0)
        scores = (target - 0.3) * np.sqrt(precision)
        spread.append(float(np.sqrt(np.mean(scores[INNER] ** 2))))
    assert min(spread) > 0.2
    assert max(spread) < 1.0
    assert max(spread) / min(spread) < 2.0


@pytest.mark.parametrize("level", [0, 37, 90, 255])
def test_without_texture_nothing_moves(level):
    """What rounding leaves of derivatives and residuals must not be divided by each other."""
    views = make_views((5, 5), SIZE, disparity=0.3)
    views[:, :, 10:40, 10:40] = level
    target, precision = step(LightField(views, range=DisparityRange(-1.0, 1.5)), 0.3)
    assert precision[20:30, 20:30].max() < 1e-6
    assert (target[20:30, 20:30] == np.float32(0.3)).all()


def test_noise_does_not_pull_towards_half_pixels():
    """Halfway between pixels samples average noise away: uncorrected, every pixel of a noisy plane goes there."""
    lf = plane(0.2, noise=6.0, contrast=0.25)
    bias = []
    for compensated in (False, True):
        gr, gg = plain_equation(lf, 0.2, compensated)
        bias.append(-gr.sum() / gg.sum())
    target, precision = step(lf, 0.2, furthest=1.0)
    found = np.average(target[INNER] - 0.2, weights=precision[INNER])
    assert bias[0] > 0.005
    assert abs(bias[1]) < 0.3 * bias[0]
    assert abs(found) < 0.4 * bias[0]


def test_softening_is_a_small_blur():
    lf = plane(0.3, noise=3.0)
    rays = pack_rays(lf)
    with Workers(2) as workers:
        soft, same = softened_rays(rays, 0.1, workers), softened_rays(rays, 0.0, workers)
    assert np.array_equal(same.samples, rays.samples)

    def red(samples: NDArray[np.uint32]) -> NDArray[np.float64]:
        first = samples[: rays.view_stride].reshape(-1, rays.row_stride)[: lf.height, : lf.width]
        return (first & 1023).astype(np.float64)

    taps = np.array([0.1, 0.8, 0.1])
    padded = np.pad(red(rays.samples), 1, mode="edge")
    blurred = sum(taps[i] * taps[j] * padded[i : i + lf.height, j : j + lf.width] for i, j in np.ndindex(3, 3))
    assert np.abs(red(soft.samples) - blurred).max() <= 0.5 + 1e-3
