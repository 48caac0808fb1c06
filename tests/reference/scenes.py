"""Random small light fields with a map on them: what kernels and their twins are both given."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr import Camera, DisparityRange, LightField, Parameters, preset
from ioadr._jit import Workers
from ioadr.cost.total import Model
from ioadr.solver.problem import pack_rays
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import SweepPlan, plan

EXACT = 1 / 16
"""px; disparities that are multiples of it make float32 sums of bilinear samples exact."""


@dataclass(frozen=True)
class Problem:
    """A light field, a map of its reference view, and all that the costs of hypotheses depend on."""

    lf: LightField
    disparity: NDArray[np.float32]
    parameters: Parameters
    sweep: int = 0
    """Whose weights and candidates count."""
    seed: int = 0
    count: int = 24
    """Hypotheses to try."""
    exact: bool = True
    """Whether disparities are multiples of EXACT."""
    workers: Workers = field(default_factory=lambda: Workers(1))

    @property
    def limits(self) -> DisparityRange:
        assert self.lf.range is not None
        return self.lf.range

    @property
    def step(self) -> SweepPlan:
        return plan(self.parameters, self.limits)[self.sweep]

    @cached_property
    def cost(self) -> NDArray[np.float32]:
        """What each pixel is said to cost, in quarters of a grey level."""
        generator = np.random.default_rng([self.seed, 1])
        return (generator.integers(0, 40, self.disparity.shape) / 4).astype(np.float32)

    @cached_property
    def refinement(self) -> Refinement:
        """The same problem in the form that kernels need."""
        rays = pack_rays(self.lf, self.parameters.data.view_step)
        refinement = Refinement(self.lf, self.limits, self.parameters, self.workers, rays)
        refinement.disparity = self.disparity
        refinement.state.cost[:] = self.cost
        return refinement

    @cached_property
    def model(self) -> Model:
        return self.refinement.model(self.step)

    @cached_property
    def where(self) -> NDArray[np.int64]:
        """Pixels of the hypotheses [H, 2], corners of the image among them."""
        height, width = self.disparity.shape
        corners = [(0, 0), (height - 1, width - 1), (0, width - 1), (height - 1, 0)]
        generator = np.random.default_rng([self.seed, 2])
        rest = np.sort(generator.integers(0, height * width, self.count - len(corners)))
        return np.array([*corners, *zip(*divmod(rest, width), strict=True)], np.int64)

    @cached_property
    def d(self) -> NDArray[np.float32]:
        """Disparities of the hypotheses [H], ends of the range among them."""
        generator = np.random.default_rng([self.seed, 3])
        low, high = self.limits.minimum, self.limits.maximum
        values = generator.uniform(low, high, self.count)
        values[:4] = low, high, high, low
        return self.rounded(values)

    def rounded(self, values: NDArray[Any]) -> NDArray[np.float32]:
        """float32 inside the range, multiples of EXACT if the problem is exact."""
        values = np.round(values / EXACT) * EXACT if self.exact else values
        return np.clip(values, self.limits.minimum, self.limits.maximum).astype(np.float32)

    @property
    def hypotheses(self) -> list[tuple[int, int, float]]:
        return [(int(n), int(m), float(d)) for (n, m), d in zip(self.where, self.d, strict=True)]


def random_problem(seed: int = 0, **options: Any) -> Problem:
    """A problem whose layout, samples and map depend on `seed`; options fix some of it."""
    generator = np.random.default_rng([seed, 0])
    grid = options.pop("grid", None) or tuple(int(i) for i in generator.integers(3, 6, 2))
    size = options.pop("size", None) or tuple(int(i) for i in generator.integers(9, 20, 2))
    dtype = options.pop("dtype", None) or str(generator.choice(["uint8", "uint16", "float32"]))
    channels = options.pop("channels", None) or int(generator.choice([1, 3]))
    limits = options.pop("limits", (-1.5, 2.0))
    parameters = options.pop("parameters", preset("paper")).vary(options.pop("changes", {}))
    exact = options.get("exact", True)
    corner = generator.random() < 0.3
    lf = LightField(
        random_views(generator, (*grid, *size, channels), dtype),
        camera=Camera(100.0, 35.0, 500.0, 3.0, size[1], size[0]),
        reference=options.pop("reference", None) or ((0, grid[1] - 1) if corner else None),
        range=DisparityRange(*limits),
    )
    return Problem(lf, random_map(generator, size, limits, exact), parameters, seed=seed, **options)


def random_views(generator: np.random.Generator, shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    """Noise, smoothed a little so that neighbours have something to do with each other."""
    noise = generator.random(shape)
    noise = (noise + np.roll(noise, 1, axis=2) + np.roll(noise, 1, axis=3)) / 3
    white = {"uint8": 255, "uint16": 65535}.get(dtype)
    return np.round(noise * white).astype(dtype) if white else noise.astype(dtype)


def random_map(
    generator: np.random.Generator, size: tuple[int, int], limits: tuple[float, float], exact: bool
) -> NDArray[np.float32]:
    """A slanted ground with boxes in front of it, inside the limits."""
    low, high = limits
    n, m = np.mgrid[: size[0], : size[1]]
    slope = generator.uniform(-0.04, 0.04, 2)
    ground = low + 0.25 * (high - low) + slope[0] * n + slope[1] * m + generator.normal(0, 0.01, size)
    for _ in range(3):
        top, left = (int(generator.integers(0, length)) for length in size)
        rows, columns = (int(i) for i in generator.integers(1, 7, 2))
        ground[top : top + rows, left : left + columns] = generator.uniform(low, high)
    ground = np.round(ground / EXACT) * EXACT if exact else ground
    return np.clip(ground, low, high).astype(np.float32)
