"""The constants of solver/trust_model.py, fitted to synthetic scenes alone.

    python scripts/calibrate_confidence.py [MAPS]

Estimates about sixty small scenes of all families (noise, low texture, gloss, few views, ranges that exclude the
truth), fits the model and prints its numbers. MAPS is a folder in which light fields and maps are kept between runs.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import ioadr
from ioadr._jit import Workers
from ioadr.evaluation.synthetic import FAMILIES, Options, random_light_field
from ioadr.evaluation.synthetic.textures import fractal_noise
from ioadr.lightfield import DisparityRange, LightField
from ioadr.solver.evidence import reasons_to_doubt
from ioadr.solver.problem import pack_rays
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing
from ioadr.solver.trust_model import KNOTS

RIDGE = 1e-4
"""Penalty on squared weights, against overfitting."""
SIZE = (112, 112)
BORDER = 6
"""Width of the image's edge that does not count, px."""


class Case(NamedTuple):
    """One estimation."""

    family: str
    seed: int
    preset: str = "best"
    noise: float | None = None
    gloss: float = 0.0
    grid: tuple[int, int] = (9, 9)
    limits: tuple[float, float] | None = None

    @property
    def name(self) -> str:
        return "_".join(str(value) for value in self).replace(" ", "")


def cases() -> Iterator[Case]:
    for number, family in enumerate(FAMILIES):
        for seed in range(4):
            noise = (None, 1.0, None, 2.5)[seed]
            yield Case(family, 100 + 10 * number + seed, noise=noise)
        yield Case(family, 200 + number, gloss=(20.0, 40.0, 60.0)[number % 3])
        yield Case(family, 210 + number, gloss=(60.0, 20.0, 40.0)[number % 3], noise=1.0)
        yield Case(family, 300 + number, "fast", 1.0)
        yield Case(family, 310 + number, "paper", 1.0)
        yield Case(family, 400 + number, grid=((1, 9), (3, 3), (5, 5))[number % 3], noise=1.0)
        limits = ((0.0, 0.01), (-0.1, 0.1), (1.7, 3.0), (-3.0, -1.8), (0.0, 1.0), (-1.5, -0.5))[number]
        yield Case(family, 500 + number, limits=limits, noise=(None, 1.0)[number % 2])
        limits = ((2.0, 2.3), (0.6, 0.8), (-0.3, 0.0), (-1.0, 0.5), (0.5, 0.51), (2.5, 4.5))[number]
        yield Case(family, 510 + number, limits=limits, noise=(1.0, None)[number % 2])


def views_and_truth(case: Case) -> tuple[LightField, NDArray[Any]]:
    options = None if case.noise is None else Options(noise=case.noise, seed=case.seed)
    rendered = random_light_field(case.seed, case.family, SIZE, case.grid, options=options)  # type: ignore[arg-type]
    lf = rendered.lightfield
    if case.gloss:
        lf = replace(lf, views=with_gloss(lf, case.gloss, case.seed))
    if case.limits:
        lf = replace(lf, range=DisparityRange(*case.limits, "user"))
    return lf, rendered.truth.disparity


def with_gloss(lf: LightField, strength: float, seed: int) -> NDArray[Any]:
    """Soft lights that a polished surface would reflect: they have a disparity that differs from the surface's."""
    random = np.random.default_rng([seed, 7])
    lights = fractal_noise(256, 1.6, random)
    lights = strength * np.clip(lights - 0.8, 0.0, 2.0)
    own = random.uniform(-2.5, 2.5)
    views = lf.views.astype(np.float32)
    for row, column in np.ndindex(lf.grid):
        shift = np.rint(own * lf.offsets[row, column][:2]).astype(int)
        seen = np.roll(lights, tuple(-shift), (0, 1))[: lf.height, : lf.width]
        views[row, column] += seen[..., None]
    return np.clip(np.rint(views), 0, 255).astype(np.uint8)


def estimated(case: Case, folder: Path) -> tuple[LightField, NDArray[np.float32], NDArray[Any]]:
    """Light field, map and truth; from the folder where it has them."""
    lf, truth = views_and_truth(case)
    path = folder / f"{case.name}.npy"
    if not path.is_file():
        np.save(path, ioadr.estimate(lf, case.preset, progress=False).disparity)
    return lf, np.load(path), truth


def sampled(case: Case, folder: Path) -> tuple[dict[str, NDArray[Any]], NDArray[np.bool_]]:
    """Reasons of every second pixel in both directions, and whether it is within 0.07 px."""
    lf, disparity, truth = estimated(case, folder)
    parameters = ioadr.preset(case.preset)
    assert lf.range is not None
    last = closing(parameters, lf.range)
    with Workers(None) as workers:
        refinement = Refinement(lf, lf.range, parameters, workers, pack_rays(lf, parameters.data.view_step))
        refinement.disparity = disparity
        costs, visible = refinement.final_costs(last)
        reasons, _ = reasons_to_doubt(refinement, last, costs["data"], visible)
    kept = np.s_[BORDER:-BORDER:2, BORDER:-BORDER:2]
    return {name: values[kept].ravel() for name, values in reasons.items()}, (abs(disparity - truth) <= 0.07)[
        kept
    ].ravel()


def ramps(reasons: dict[str, NDArray[Any]]) -> NDArray[np.float64]:
    """One column per interval between knots, from 0 to 1 over it."""
    return np.stack(
        [
            np.clip((reasons[name] - low) / (high - low), 0, 1)
            for name, knots in KNOTS.items()
            for low, high in pairwise(knots)
        ],
        axis=-1,
        dtype=np.float64,
    )


def fitted(columns: NDArray[np.float64], right: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Start and weights of least logistic loss, no weight below 0."""

    def loss(numbers: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        odds, weights = numbers[0] - columns @ numbers[1:], numbers[1:]
        slope = (1 / (1 + np.exp(-odds)) - right) / len(right)
        total = np.mean(np.logaddexp(0, odds) - right * odds) + RIDGE * np.sum(weights**2)
        return total, np.concatenate([[slope.sum()], 2 * RIDGE * weights - columns.T @ slope])

    begin = np.concatenate([[4.0], np.full(columns.shape[1], 0.3)])
    bounds = [(None, None)] + [(0, None)] * columns.shape[1]
    result = minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 300})
    numbers: NDArray[np.float64] = result.x
    return numbers


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    samples = [sampled(case, folder) for case in cases()]
    columns = np.concatenate([ramps(reasons) for reasons, _ in samples])
    numbers = fitted(columns, np.concatenate([right for _, right in samples])).round(3) + 0.0
    print(f"START = {numbers[0]}\nWEIGHTS = {{")
    steps = iter(numbers[1:])
    for name, knots in KNOTS.items():
        print(f'    "{name}": ({", ".join(f"{next(steps):g}" for _ in knots[1:])}),')
    print("}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
