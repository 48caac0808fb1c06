"""The first map: structure tensor on the EPIs through the reference view (§ VI-A), or a plane sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.errors import InputError
from ioadr.geometry.ppp import Rays
from ioadr.layout import Line
from ioadr.lightfield import DisparityRange, LightField
from ioadr.parameters import Initialise
from ioadr.solver.plane_sweep import keep_best, plane_cost
from ioadr.solver.problem import contrast
from ioadr.solver.structure_tensor import epi_orientation
from ioadr.way import Origin

FloatMap = NDArray[np.float32]
STEEPEST = 2.5
"""Largest shift between neighbouring views that the structure tensor can follow, px."""
LEVEL, APART, LARGEST = 1.5, 2, 4
"""Largest shift that it follows in sheared EPIs, distance between shears, and the largest shear, px."""
PLAIN, AROUND = 24.0, 4
"""Contrast below which there is no texture, grey levels, and half width of the square that it is measured in, px."""
SHORTEST = 5
"""Smallest number of views in a line for which it is at least as good as a plane sweep."""
WINDOWS = (2, 0)
"""Half widths, px, of the squares over which plane sweeps average; a single map uses the first."""


def first_maps(
    lightfield: LightField, rays: Rays, limits: DisparityRange, parameters: Initialise, workers: Workers
) -> list[FloatMap]:
    """First maps [N, M] inside the range: one, or for `cheapest` all that suit the light field.

    Plane sweeps with windows are good on surfaces; those without, and the structure tensor, keep gaps open.
    """
    if parameters.method == "cheapest":
        maps = plane_sweeps(rays, limits, workers, WINDOWS)
        if follows_lines(lightfield, limits, LARGEST + LEVEL):
            lines = followed_lines(lightfield, limits, parameters, workers)
            # Without texture, the most coherent of several shears is a matter of chance.
            known = not needs_shears(lightfield, limits) or contrast(rays, AROUND) >= PLAIN
            maps.append(np.where(known, lines, maps[0]))
        return maps
    if choose_method(lightfield, limits, parameters) == "plane-sweep":
        return [plane_sweep(rays, limits, workers)]
    return [followed_lines(lightfield, limits, parameters, workers)]


def first_map_origins(lightfield: LightField, limits: DisparityRange, parameters: Initialise) -> list[Origin]:
    """Origin of each map of `first_maps`."""
    if parameters.method == "cheapest":
        return [Origin.WINDOWS, Origin.PIXELS] + [Origin.LINES] * follows_lines(lightfield, limits, LARGEST + LEVEL)
    followed = choose_method(lightfield, limits, parameters) == "structure-tensor"
    return [Origin.LINES if followed else Origin.WINDOWS]


def followed_lines(
    lightfield: LightField, limits: DisparityRange, parameters: Initialise, workers: Workers
) -> FloatMap:
    """The structure tensor's disparities; values far outside the range are filled from their surroundings."""
    disparity, _ = structure_tensor(lightfield, limits, parameters, workers)
    centre, reach = 0.5 * (limits.minimum + limits.maximum), 0.5 * limits.extent * parameters.inpaint_beyond
    outlier = ~(np.abs(disparity - centre) <= reach)
    filled = inpaint(np.where(outlier, np.float32(np.nan), disparity))
    return np.clip(filled, np.float32(limits.minimum), np.float32(limits.maximum))


def choose_method(
    lightfield: LightField, limits: DisparityRange, parameters: Initialise
) -> Literal["structure-tensor", "plane-sweep"]:
    """The structure tensor for long lines of views with small shifts, unless the parameters say otherwise."""
    if parameters.method == "structure-tensor" and not even_lines(lightfield):
        raise InputError(
            f"{lightfield.name}: the structure tensor needs at least three evenly spaced views in line with the "
            "reference view. Use ⟦init plane-sweep⟧, or another ⟦reference⟧."
        )
    if parameters.method in ("structure-tensor", "plane-sweep"):
        return parameters.method
    return "structure-tensor" if follows_lines(lightfield, limits, STEEPEST) else "plane-sweep"


def follows_lines(lightfield: LightField, limits: DisparityRange, steepest: float) -> bool:
    """Whether the structure tensor has enough views in a line, and shifts between them are at most `steepest` px."""
    lines = even_lines(lightfield)
    largest = max((abs(line.step) for line in lines), default=0.0) * max(abs(limits.minimum), abs(limits.maximum))
    return any(len(line.indices) >= SHORTEST for line in lines) and largest <= steepest


def even_lines(lightfield: LightField) -> list[Line]:
    """Lines of evenly spaced views through the reference view, the horizontal one first."""
    return [line for axis in (1, 0) if (line := lightfield.layout.even_line(axis)) is not None]


def plane_sweep(rays: Rays, limits: DisparityRange, workers: Workers, half_width: int = 2) -> FloatMap:
    """The best of fronto-parallel planes a px apart in the outermost view, refined by a parabola."""
    return plane_sweeps(rays, limits, workers, (half_width,))[0]


def plane_sweeps(rays: Rays, limits: DisparityRange, workers: Workers, half_widths: Sequence[int]) -> list[FloatMap]:
    """The same for windows of several sizes, from one set of planes."""
    count = max(int(np.ceil(limits.extent * float(rays.reach.max()))), 2)
    planes = np.linspace(limits.minimum, limits.maximum, count + 1, dtype=np.float32)
    shape = (rays.height, rays.width)
    cost, averaged = np.empty(shape, np.float32), np.empty((len(half_widths), *shape), np.float32)
    before = np.full_like(averaged, np.inf)  # the first plane has no neighbour on one side
    best = np.full((len(half_widths), 4, *shape), np.inf, np.float32)
    for index, d in enumerate(planes):
        workers.rows(plane_cost, rays.height, rays, d, cost)
        for i, half_width in enumerate(half_widths):
            workers.rows(keep_best, rays.height, cost, half_width, index, averaged[i], before[i], best[i])
        averaged, before = before, averaged
    step, lowest, highest = (np.float32(x) for x in (limits.extent / count, limits.minimum, limits.maximum))
    return [np.clip(lowest + (b[0] + lowest_point(b[2], b[1], b[3])) * step, lowest, highest) for b in best]


def lowest_point(before: FloatMap, lowest: FloatMap, after: FloatMap) -> FloatMap:
    """Where a parabola through three costs a step apart is lowest, −½ … ½ steps from the middle; 0 if nowhere."""
    curvature = before + after - 2 * lowest
    usable = np.isfinite(curvature) & (curvature > 0)
    offset = np.divide(0.5 * (before - after), curvature, out=np.zeros_like(lowest), where=usable)
    return np.clip(offset, np.float32(-0.5), np.float32(0.5))


def structure_tensor(
    lightfield: LightField, limits: DisparityRange, parameters: Initialise, workers: Workers
) -> tuple[FloatMap, FloatMap]:
    """Most coherent disparity [N, M] over EPI directions, shears and channels, and its coherence (0 … 1).

    NaN where the lines of all sheared EPIs are too steep.
    """
    taps, scale = _taps(parameters), np.float32(255.0 / lightfield.white)
    best = np.zeros((lightfield.height, lightfield.width), np.float32)
    trust = np.full_like(best, -1.0)
    several = parameters.method == "cheapest" and needs_shears(lightfield, limits)
    for axis in (1, 0):
        line = lightfield.layout.even_line(axis)
        if line is None:
            continue
        stack, centre = _stack(lightfield, line, axis)
        for shear in shears(limits, line.step) if several else [0]:
            views = sheared(stack, centre, shear)
            for channel in range(lightfield.channels):
                epi = np.multiply(np.ascontiguousarray(views[..., channel]), scale, dtype=np.float32)
                slope, coherence = np.empty(epi.shape[1:], np.float32), np.empty(epi.shape[1:], np.float32)
                workers.rows(epi_orientation, len(slope), epi, centre, *taps, slope, coherence)
                if several:
                    coherence[np.abs(slope) > LEVEL] = -1.0
                slope, coherence = (slope, coherence) if axis == 1 else (slope.T, coherence.T)
                better = coherence > trust
                np.copyto(best, (slope + np.float32(shear)) / np.float32(line.step), where=better)
                np.copyto(trust, coherence, where=better)
    return np.where(trust < 0, np.float32(np.nan), best), trust


def needs_shears(lightfield: LightField, limits: DisparityRange) -> bool:
    """Whether EPIs must be sheared, because some of their lines may be too steep to follow."""
    return not follows_lines(lightfield, limits, STEEPEST)


def shears(limits: DisparityRange, step: float) -> list[int]:
    """Shears of EPIs, px per view, after which the lines of views `step` apart are level enough to follow."""
    lowest, highest = sorted((limits.minimum * step, limits.maximum * step))
    first, last = int((lowest + LEVEL) // APART), -int((LEVEL - highest) // APART)
    return [APART * i for i in range(first, last + 1) if abs(APART * i) <= LARGEST]


def sheared(stack: NDArray[Any], centre: int, shear: int) -> NDArray[Any]:
    """Views [K, N, M, C], each moved along m by `shear` px per view from the centre, with replicated edges."""
    if not shear:
        return stack
    columns, shifts = np.arange(stack.shape[2]), shear * (np.arange(len(stack)) - centre)
    sources = np.clip(columns - shifts[:, None], 0, len(columns) - 1)
    return np.stack([view[:, source] for view, source in zip(stack, sources, strict=True)])


def _stack(lightfield: LightField, line: Line, axis: int) -> tuple[NDArray[Any], int]:
    """Views [K, N, M, C] along the line, transposed for a vertical one; index of the reference."""
    row, column = lightfield.reference
    views = (
        lightfield.views[row, line.indices]
        if axis == 1
        else lightfield.views[line.indices, column].transpose(0, 2, 1, 3)
    )
    return views, int(np.flatnonzero(line.indices == lightfield.reference[axis])[0])


def _taps(parameters: Initialise) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Gaussian and its derivative, both with unit gain."""
    i = np.arange(-parameters.half_width, parameters.half_width + 1, dtype=np.float64)
    smooth = np.exp(-0.5 * (i / parameters.sigma) ** 2)
    smooth /= smooth.sum()
    difference = i * smooth
    difference /= (i * difference).sum()
    return smooth.astype(np.float32), difference.astype(np.float32)


def inpaint(values: FloatMap) -> FloatMap:
    """Fill NaN from the surroundings: averages of ever coarser pyramid levels."""
    finite = np.isfinite(values)
    if finite.all():
        return values
    if not finite.any():
        return np.zeros_like(values)
    height, width = values.shape
    padding = ((0, height % 2), (0, width % 2))
    weight = np.pad(finite.astype(np.float32), padding)
    total = np.pad(np.where(finite, values, 0).astype(np.float32), padding)
    shape = (weight.shape[0] // 2, 2, weight.shape[1] // 2, 2)
    count = weight.reshape(shape).sum(axis=(1, 3))
    sums = total.reshape(shape).sum(axis=(1, 3))
    coarse = inpaint(np.divide(sums, count, out=np.full_like(sums, np.nan), where=count > 0))
    fine = np.repeat(np.repeat(coarse, 2, axis=0), 2, axis=1)[:height, :width]
    return np.where(finite, values, fine)
