"""Replaces torn parts of texture-less surfaces by slanted planes (beyond the paper, decision 19).

On a surface without texture, noise tears the map into patches at different depths. The jumps between them lie where the
reference view has no edge. A plane is fitted to the costs of such an area as a whole; it replaces the map where a
semi-global choice prefers it, region by region, if this removes jumps and the data do not contradict it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.cost.heard import CAP, Heard
from ioadr.geometry.windows import grow
from ioadr.solver.components import label_regions
from ioadr.solver.gloss import blurred
from ioadr.solver.heard_costs import PENALTIES, costs_of_map
from ioadr.solver.jumps import (
    DIFFERENT,
    JUMP,
    RIM_WEIGHT,
    ROUGHEST,
    jumps_at,
    jumps_within,
    rim_pairs,
    rim_scores,
)
from ioadr.solver.plane_search import Area, fit_plane
from ioadr.solver.region_shapes import INNER, core, grown, opened
from ioadr.solver.starts import chance
from ioadr.solver.surface_choice import choose_surface

FloatMap = NDArray[np.float32]
Mask = NDArray[np.bool_]
# Tried: none; noise then decides, which agrees best halfway between pixels: some disparities are always cheap.
SOFTENING = 0.25
"""Weight of each direct neighbour when views are smoothed before costs are computed."""
TORN, AROUND = 0.15, 4.0
"""Jumps per px from which an area is torn, averaged by a Gaussian of that σ in px."""
GROWTH = 4
"""Growth of a torn area before its plane is fitted, px."""
MOST_AREAS = 6
REGIONS = 2
"""Number of regions of a plane, the largest ones, that are joined to their surroundings."""
MOST_PIXELS, FEWEST_PIXELS = 1500, 60
"""Number of pixels of an area for a fit."""
CONTRADICTION = 0.3
"""Additional cost, grey levels, above which a pixel belongs to another surface."""
EXPLAINED = 0.1
"""Additional cost, grey levels, up to which a plane explains a pixel."""
OUTSIDE = np.float32(50.0)
"""Cost beyond the range, grey levels."""
SLOPES = (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3)
"""Slopes of the first planes tried, px of shift per px."""
STEPS = (0.66, 0.05, 0.05)
"""First steps of a fit: px of shift, and px of shift per px."""


@dataclass
class Surface:
    """A map, or a plane as a map, and its costs."""

    disparity: FloatMap
    cost: FloatMap

    def take(self, other: Surface, where: Mask) -> None:
        """Take the values of another surface."""
        self.disparity = np.where(where, other.disparity, self.disparity)
        self.cost = np.where(where, other.cost, self.cost)


@dataclass(frozen=True)
class Scene:
    """The basis on which planes are accepted or rejected."""

    heard: Heard
    guide: NDArray[np.uint32]
    like: list[FloatMap]
    plain: Mask
    """Where the reference view has little contrast."""
    reach: float
    smallest: float
    """Smallest size of a region, px."""
    views: int
    workers: Workers

    @property
    def scale(self) -> tuple[np.float32, np.float32, np.float32]:
        """Definition of a jump, for kernels."""
        return np.float32(self.reach), np.float32(DIFFERENT), np.float32(JUMP)

    def plane(self, numbers: FloatMap, centre: FloatMap) -> Surface:
        """A plane by its value at a centre and its slopes, [3]; its cost is `OUTSIDE` beyond the range."""
        rows, columns = (np.arange(size, dtype=np.float32) for size in self.plain.shape)
        values = numbers[0] + numbers[1] * (rows[:, None] - centre[0]) + numbers[2] * (columns - centre[1])
        heard = self.heard
        last = heard.minimum + heard.step * np.float32(heard.deviation.shape[2] - 1)
        inside = (values >= heard.minimum) & (values <= last)
        return Surface(values, np.where(inside, costs_of_map(heard, values, self.workers), OUTSIDE))


class Verdict(NamedTuple):
    """Gain of a plane, and the regions in which it is accepted."""

    gain: float
    """Grey levels, summed over the accepted regions."""
    accepted: Mask
    surface: Surface


def torn_areas(disparity: FloatMap, plain: Mask, like: list[FloatMap], reach: float, smallest: float) -> list[Mask]:
    """Texture-less areas with many jumps, the largest first."""
    jumps = blurred(jumps_at(disparity, like, reach), AROUND, int(3 * AROUND))
    labels = np.zeros(jumps.shape, np.int32)
    label_regions((jumps > TORN) & plain, labels)
    area = np.bincount(labels.ravel())
    area[0] = 0
    largest = np.argsort(-area, kind="stable")[:MOST_AREAS]
    return [grow(labels == k, GROWTH) for k in largest if area[k] >= smallest]


def verdicts(scene: Scene, surface: Surface, areas: list[Mask], count: int) -> Iterator[Verdict]:
    """Planes that are better than the surface somewhere, the best first; the caller may take them before the next."""
    found = [judged(scene, surface, plane) for area in areas for plane in planes_of(scene, surface, area, count)]
    for verdict in sorted(found, key=lambda item: -item.gain):
        if verdict.gain > 0 and (again := judged(scene, surface, verdict.surface)).gain > 0:
            yield again


def planes_of(scene: Scene, surface: Surface, mask: Mask, count: int) -> Iterator[Surface]:
    """Planes for an area, each fitted to what earlier ones do not explain, then joined to the map around it."""
    pixels = some_pixels(mask)
    for _ in range(count):
        area = area_of(surface, pixels, int(np.count_nonzero(mask)))
        numbers = searched(scene, area)
        plane = scene.plane(numbers, area.centre)
        labels, size = regions_of(scene, surface, plane)
        size[0] = 0
        for k in np.argsort(-size, kind="stable")[:REGIONS]:
            if size[k] >= scene.smallest:
                yield joined(scene, surface, labels == k, numbers, area.centre)
        at = pixels[:, 0], pixels[:, 1]
        pixels = pixels[plane.cost[at] > surface.cost[at] + np.float32(EXPLAINED)]
        if len(pixels) < FEWEST_PIXELS:
            return


def searched(scene: Scene, area: Area) -> FloatMap:
    """The best plane from many combinations of value and slopes, [3]."""
    heard, numbers = scene.heard, np.zeros(3, np.float32)
    values = heard.minimum + heard.step * np.arange(0, heard.deviation.shape[2], 2, dtype=np.float32)
    fit(scene, area, values, np.array(SLOPES, np.float32) / np.float32(scene.reach), CONTRADICTION, numbers)
    return numbers


def joined(scene: Scene, surface: Surface, region: Mask, numbers: FloatMap, centre: FloatMap) -> Surface:
    """A plane near another one, fitted to a region and the map around it, then to the region that this plane gets."""
    numbers, centre = fitted(scene, surface, region, numbers, centre)
    labels, _ = regions_of(scene, surface, scene.plane(numbers, centre))
    shared = np.bincount(labels[region])
    shared[0] = 0
    again = labels == shared.argmax() if shared.any() else region
    return scene.plane(*fitted(scene, surface, again, numbers, centre))


def fitted(
    scene: Scene, surface: Surface, region: Mask, numbers: FloatMap, centre: FloatMap
) -> tuple[FloatMap, FloatMap]:
    """Numbers and centre of a plane near another one, fitted to the data of a region and to the map around it."""
    rim = rim_pairs(region, surface.disparity, scene.like, RIM_WEIGHT)
    area = area_of(surface, some_pixels(region), int(np.count_nonzero(region)), rim)
    moved = numbers + np.array([numbers[1:] @ (area.centre - centre), 0, 0], np.float32)
    none = np.empty(0, np.float32)
    fit(scene, area, none, none, float(CAP), moved)
    return moved, area.centre


def fit(scene: Scene, area: Area, values: FloatMap, slopes: FloatMap, most: float, numbers: FloatMap) -> None:
    """Improve a plane in place."""
    steps = np.array(STEPS, np.float32) / np.float32(scene.reach)
    given = scene.heard, area, values, slopes, steps, np.float32(most), scene.scale
    fit_plane(*given, numbers, np.empty_like(numbers))


def some_pixels(mask: Mask) -> NDArray[np.int64]:
    """Evenly spread pixels of a mask, [P, 2]."""
    pixels = np.argwhere(mask)
    return pixels[:: max(1, len(pixels) // MOST_PIXELS)]


def area_of(surface: Surface, pixels: NDArray[np.int64], size: int, rim: FloatMap | None = None) -> Area:
    """Pixels that stand for an area of `size` px, and its rim."""
    rim = np.empty((0, 4), np.float32) if rim is None else rim
    own, centre = surface.cost[pixels[:, 0], pixels[:, 1]], pixels.mean(axis=0).astype(np.float32)
    return Area(np.ascontiguousarray(pixels), own, np.float32(size / len(pixels)), rim, centre)


def regions_of(scene: Scene, surface: Surface, plane: Surface) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Regions that a semi-global choice gives to a plane, as labels [N, M], and their size in px."""
    margin, labels = np.empty_like(surface.disparity), np.zeros(scene.plain.shape, np.int32)
    penalties = np.float32(RIM_WEIGHT), np.float32(PENALTIES[3])
    given = surface.disparity, plane.disparity, surface.cost, plane.cost, penalties, scene.scale
    for forward in (True, False):
        choose_surface(forward, scene.guide, *given, margin)
    different = (margin < 0) & (np.abs(plane.disparity - surface.disparity) * scene.reach > DIFFERENT)
    count = label_regions(grown(opened(different)) & different, labels) + 1
    return labels, np.bincount(labels.ravel(), minlength=count)


def judged(scene: Scene, surface: Surface, plane: Surface) -> Verdict:
    """Accept regions of a plane without texture that cost no more than noise explains and have fewer jumps.

    A map that is not torn does not fit the noise, so the plane may cost more only in regions that are torn themselves.
    """
    labels, size = regions_of(scene, surface, plane)
    count, flat, jumps = len(size), labels.ravel(), (scene.like, scene.reach)
    thick = np.bincount(core(labels, INNER).ravel(), minlength=count) > 0
    own, new, plain = (np.bincount(flat, values.ravel(), count) for values in (surface.cost, plane.cost, scene.plain))
    length, before, after = rim_scores(labels, count, surface.disparity, plane.disparity, *jumps)
    within = jumps_within(labels, count, surface.disparity, *jumps)
    before += within
    gain = own - new + RIM_WEIGHT * (before - after)
    accepted = (size >= scene.smallest) & thick & (plain > size / 2) & (new < chance(scene.views) * own)
    accepted &= (gain > 0) & (after < before) & (after < ROUGHEST * length)
    accepted &= (new <= own) | (2 * within > TORN * size)  # a jump within the region lies at two of its pixels
    accepted[0] = False
    return Verdict(float(gain[accepted].sum()), accepted[labels], plane)
