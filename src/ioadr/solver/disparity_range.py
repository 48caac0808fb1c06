"""Estimates a disparity range from the light field if neither file nor user gives one.

Textured pixels spread over the image are compared with many views over a wide search. Only those with one clear best
disparity vote, and a vote counts only if others nearby support it, so that stray matches cannot widen the range.
Blurred or enlarged views have little contrast from pixel to pixel: of those, only every second, fourth or eighth pixel
is used.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.errors import InputError
from ioadr.geometry.ppp import Rays
from ioadr.lightfield import DisparityRange, LightField
from ioadr.part import Part
from ioadr.solver.initialise import lowest_point
from ioadr.solver.plane_sweep import pixel_curves
from ioadr.solver.problem import fewer_rays, pack_rays

Mask = NDArray[np.bool_]
SEARCHES = (4.0, 12.0, 40.0)
"""Search ranges in each direction, px; a few pixels try all of them to find which is sufficient for all pixels."""
AT_END, FEW = 0.85, 0.1
"""Share of a search beyond which votes are at its end, and share of clear votes below which those are mistakes. In
repeated texture, farther matches are seen by fewer views, which differ less: 2–5 % of the pixels voted for 39 px. In
views that are right, 12–100 % match clearly."""
PROBES = 150
CELLS = 1000
"""Number of cells of an image, each with one vote; there are more if a cell would exceed 10 px."""
LARGEST_CELL, SMALLEST_CELL = 10, 4
PATCH = 1
ENOUGH_VIEWS = 81
"""Largest number of views that are compared; of more, every second or third in each direction is."""
DISTINCT = 0.7
"""Largest cost of a vote, as a share of that of its best rival."""
SUPPORT = 30
"""Length, px, of a row of cells whose votes must agree."""
MARGIN = 0.05
ACCURACY = 0.25
"""Accuracy of a vote, px in the outermost view."""
FARTHER = 2.5
"""Search of a known range for what lies outside, as a multiple of its larger end. In the bottom row of 9×9 views of a
floor (mixed-7), disparities reach 12.6 px where the centre's end at 6.1."""
SMOOTH = 3.25
"""Factor by which squared differences grow with twice the distance: 4 on smooth images, at most 2.8 on sharp ones."""
COARSEST, SMALLEST_VIEW = 8, 64
"""Largest step between the pixels used of smooth views, px, and the smallest number of them per side."""


def estimate_range(lightfield: LightField, threads: int | None = None) -> DisparityRange:
    """Estimate the disparity range of a light field from its views, ignoring the range it comes with.

    Parameters
    ----------
    lightfield : LightField
        The light field.
    threads : int, optional
        Number of CPU threads; all by default.

    Returns
    -------
    DisparityRange

    Raises
    ------
    InputError
        There is too little texture to find the range.

    Examples
    --------
    >>> limits = ioadr.estimate_range(lightfield)
    >>> limits.minimum < 1 < limits.maximum
    True
    """
    with Workers(threads) as workers:
        return voted_range(lightfield, pack_rays(lightfield), 1, workers)


def voted_range(lightfield: LightField, rays: Rays, view_step: int, workers: Workers) -> DisparityRange:
    """The range that well-textured pixels agree on, with a margin; `rays` are packed with a step."""
    votes = voted(lightfield, rays, view_step, workers)
    if not len(votes.supported):
        raise InputError(
            f"{lightfield.name}: cannot find the disparity range: only {votes.clear} points match clearly. The views "
            "lack texture or repeat it, or were not taken from a grid or line with the camera facing in one direction; "
            "photographs from other positions need poses. If the views are right, give ⟦range MIN MAX⟧."
        )
    low, high = votes.ends
    return DisparityRange(round(low - votes.slack, 3), round(high + votes.slack, 3), "estimated")


class Widened(NamedTuple):
    """A range that textured pixels agree on."""

    limits: DisparityRange
    """The range of the light field, wider if need be."""
    outside: int
    """Number of pixels outside the range of the light field, by more than the accuracy of a vote."""
    clear: int
    """Number of pixels that match clearly."""


def widened_range(lightfield: LightField, limits: DisparityRange, where: Mask, workers: Workers) -> Widened:
    """A range, widened if textured pixels of the reference view agree on disparities outside it.

    Only pixels in the mask `where` [N, M] are asked.
    """
    search = FARTHER * max(abs(limits.minimum), abs(limits.maximum))
    votes = voted(lightfield, pack_rays(lightfield), 1, workers, where, search).without_lone(limits)
    if not len(votes.supported):
        return Widened(limits, 0, votes.clear)
    low, high = votes.ends
    minimum = limits.minimum if low >= limits.minimum else round(low - votes.slack, 3)
    maximum = limits.maximum if high <= limits.maximum else round(high + votes.slack, 3)
    outside = sum(int(np.count_nonzero(side)) for side in votes.beyond(limits))
    return Widened(replace(limits, minimum=minimum, maximum=maximum), outside, votes.clear)


class Votes(NamedTuple):
    """Disparities of textured pixels, px."""

    clear: int
    """Number of pixels that match clearly."""
    supported: NDArray[np.float32]
    """Disparities on which several of them agree."""
    reach: float
    """Shift in the outermost view per px of disparity."""

    @property
    def ends(self) -> tuple[float, float]:
        return float(self.supported.min()), float(self.supported.max())

    def beyond(self, limits: DisparityRange) -> tuple[Mask, Mask]:
        """Votes below and above a range by more than their accuracy."""
        slack = ACCURACY / self.reach
        return self.supported < limits.minimum - slack, self.supported > limits.maximum + slack

    def without_lone(self, limits: DisparityRange) -> Votes:
        """Without a vote that is alone on its side of a range; those inside support it, but do not confirm it."""
        lone = [side for side in self.beyond(limits) if np.count_nonzero(side) == 1]
        return self._replace(supported=self.supported[~np.any(lone, axis=0)]) if lone else self

    @property
    def slack(self) -> float:
        """Margin of a range around them, px."""
        low, high = self.ends
        return MARGIN * (high - low) + ACCURACY / self.reach


def voted(
    lightfield: LightField,
    rays: Rays,
    view_step: int,
    workers: Workers,
    where: Mask | None = None,
    search: float | None = None,
) -> Votes:
    """The votes of textured pixels: of all, or of those in the mask `where`; `search`, px, if it is known."""
    factor = pixel_distance(lightfield)
    if factor > 1:
        lightfield = with_fewer_pixels(lightfield, factor)
        rays = pack_rays(lightfield, view_step)
        where = None if where is None else where[factor // 2 :: factor, factor // 2 :: factor]
    cell, rays = cell_size(lightfield), fewer_rays(lightfield, rays, view_step, ENOUGH_VIEWS)
    pixels, reach = textured_pixels(lightfield, cell, where), float(rays.reach.max())
    if not len(pixels):
        return Votes(0, np.empty(0, np.float32), reach / factor)
    far = _far_enough(rays, pixels, workers) if search is None else search / factor
    votes = _votes(rays, pixels, _candidates(rays, far), workers)
    supported = _supported(votes, 2.0 / reach, SUPPORT // cell)
    at_end = np.abs(supported).max(initial=0.0) > AT_END * SEARCHES[-1]
    if search is None and at_end and len(votes) < FEW * len(pixels):
        supported = supported[:0]
    return Votes(len(votes), factor * supported, reach / factor)


def pixel_distance(lightfield: LightField) -> int:
    """Distance between pixels, px, at which the reference view is sharp: 1, 2, 4 or 8."""
    grey, factor = lightfield.reference_view.astype(np.float32).mean(axis=-1), 1
    while (
        factor < COARSEST
        and min(grey.shape) >= 2 * factor * SMALLEST_VIEW
        and _contrast(grey, 2 * factor) > SMOOTH * _contrast(grey, factor)
    ):
        factor *= 2
    return factor


def _contrast(grey: NDArray[np.float32], distance: int) -> float:
    """Mean squared difference of pixels at a distance, along columns and along rows."""
    down, right = grey[distance:] - grey[:-distance], grey[:, distance:] - grey[:, :-distance]
    return float((down**2).mean(dtype=np.float64) + (right**2).mean(dtype=np.float64))


def with_fewer_pixels(lightfield: LightField, factor: int) -> LightField:
    """Every factor-th pixel of all views; disparities are smaller by that factor. For smooth views, so no aliasing."""
    views = lightfield.views[:, :, factor // 2 :: factor, factor // 2 :: factor]
    return lightfield.replace(views=views, camera=None, range=None, part=Part.whole(*views.shape[2:4]))


def cell_size(lightfield: LightField) -> int:
    """Side of a cell, px."""
    return int(np.clip(np.sqrt(lightfield.height * lightfield.width / CELLS), SMALLEST_CELL, LARGEST_CELL))


def textured_pixels(lightfield: LightField, cell_size: int, where: Mask | None = None) -> NDArray[np.int64]:
    """[P, 2]: the pixel of strongest contrast in each cell that has any, within the mask `where`."""
    grey = lightfield.reference_view.astype(np.float32).mean(axis=-1) * np.float32(255.0 / lightfield.white)
    rows, columns = np.gradient(grey) if min(grey.shape) > 1 else (grey * 0, grey * 0)
    contrast = rows**2 + columns**2
    if where is not None:
        contrast = np.where(where, contrast, np.float32(0.0))
    pixels = []
    for top in range(0, lightfield.height, cell_size):
        for left in range(0, lightfield.width, cell_size):
            cell = contrast[top : top + cell_size, left : left + cell_size]
            n, m = np.unravel_index(int(cell.argmax()), cell.shape)
            if cell[n, m] >= 1.0:
                pixels.append((top + int(n), left + int(m)))
    return np.asarray(pixels, np.int64).reshape(-1, 2)


def _far_enough(rays: Rays, pixels: NDArray[np.int64], workers: Workers) -> float:
    """The narrowest search that contains the matches of nearly all sample pixels."""
    few = np.ascontiguousarray(pixels[:: max(len(pixels) // PROBES, 1)])  # as all are: one kernel for both
    votes = np.abs(_supported(_votes(rays, few, _candidates(rays, SEARCHES[-1]), workers), 2.0, 2))
    return next((s for s in SEARCHES if np.count_nonzero(votes > AT_END * s) <= 0.01 * len(votes)), SEARCHES[-1])


def _candidates(rays: Rays, search: float) -> NDArray[np.float32]:
    """Disparities a px apart in the outermost view."""
    step = 1.0 / float(rays.reach.max())
    count = int(np.ceil(search / step))
    return (np.arange(-count, count + 1) * step).astype(np.float32)


def _votes(
    rays: Rays, pixels: NDArray[np.int64], candidates: NDArray[np.float32], workers: Workers
) -> NDArray[np.float32]:
    """Best disparity of the pixels whose cost has one clear minimum."""
    curves = np.empty((len(pixels), len(candidates)), np.float32)
    workers.rows(pixel_curves, len(pixels), rays, pixels, candidates, PATCH, curves)
    best = curves.argmin(axis=1)
    rivals = np.abs(np.arange(len(candidates)) - best[:, None]) > 2
    rival = np.where(rivals, curves, np.inf).min(axis=1)
    clear = (curves.min(axis=1) < DISTINCT * rival) & (best > 0) & (best < len(candidates) - 1)
    before, lowest, after = (curves[clear, best[clear] + i] for i in (-1, 0, 1))
    return candidates[best[clear]] + lowest_point(before, lowest, after) * (candidates[1] - candidates[0])


def _supported(votes: NDArray[np.float32], radius: float, number: int) -> NDArray[np.float32]:
    """Votes with at least `number` others, and a sufficient share of all, within `radius` px of disparity."""
    ordered = np.sort(votes)
    near = np.searchsorted(ordered, ordered + radius, "right") - np.searchsorted(ordered, ordered - radius, "left")
    return ordered[near > max(number, 0.002 * len(votes))]
