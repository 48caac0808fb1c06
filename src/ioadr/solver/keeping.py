"""Records the history of a map after each step (docs/explorer.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.part import Part
from ioadr.solver.refine import Refinement, single_precision
from ioadr.solver.schedule import SweepPlan
from ioadr.way import Origin, Way

FloatMap = NDArray[np.float32]
ROUNDING = 1e-5
"""Largest difference, px, between a random candidate here and in the kernel, which rounds differently."""
SMALL = 0.25
"""Share of an image below which a part keeps no history: it is never shown for a tile or a pixel's surroundings."""


class Keeper:
    """Records a refinement's first map, chosen among `maps`, and the map after each step."""

    def __init__(
        self, refinement: Refinement, steps: Sequence[SweepPlan], maps: Sequence[FloatMap], origins: Sequence[Origin]
    ) -> None:
        self.refinement, self.steps = refinement, list(steps)
        self.kinds = step_kinds(refinement, self.steps)
        self.wanted = is_large(refinement.lightfield.part)
        # At once: kept one by one between a step's own maps, they left gaps that took as much again.
        shape = (len(self.kinds), *refinement.disparity.shape) if self.wanted else (0, 0, 0)
        self.maps, self.origins, self.kept = np.empty(shape, np.float32), np.empty(shape, np.uint8), 0
        if self.wanted:
            chosen = refinement.disparity
            first = np.full(chosen.shape, origins[0], np.uint8)
            for values, origin in reversed(list(zip(maps, origins, strict=True))):
                first[chosen == values] = origin
            self._keep(chosen, first)

    def step(self) -> None:
        """Record the map after any other step, and before it the one with the holes that the step opened first."""
        if not self.wanted:
            return
        if self.kinds[self.kept] == "holes":
            before, opened = self.maps[self.kept - 1], self.refinement.opened
            assert opened is not None
            self._keep(opened, np.where(opened == before, Origin.KEPT, Origin.HOLE).astype(np.uint8))
            self.refinement.opened = None
        before, after, kind = self.maps[self.kept - 1], self.refinement.disparity, self.kinds[self.kept]
        if kind == "sweep":
            assert self.refinement.noise is not None
            step = self.steps[self.kinds[: self.kept].count("sweep")]
            origins = sweep_origins(before, after, step, self.refinement.noise)
        else:
            ends = {"regions": Origin.REGION, "surfaces": Origin.SURFACE, "borders": Origin.BORDER}
            origins = np.where(after == before, Origin.KEPT, ends[kind]).astype(np.uint8)
        self._keep(after, origins)

    def _keep(self, disparity: FloatMap, origins: NDArray[np.uint8]) -> None:
        self.maps[self.kept], self.origins[self.kept] = disparity, origins
        self.kept += 1

    def way(self, disparity: FloatMap) -> Way | None:
        """The history of a finished estimation, given its result."""
        if not self.wanted:
            return None
        glossy = np.array(self.refinement.glossy) if self.refinement.glossy else None
        more = {"spread": self.refinement.spread, "glossy": glossy, "contours": self.refinement.contours}
        return Way.of(self.kinds, [*self.maps[:-1], disparity], self.origins, **more)


def is_large(part: Part) -> bool:
    return part.window.height * part.window.width >= SMALL * part.height * part.width


def step_kinds(refinement: Refinement, steps: Sequence[SweepPlan]) -> list[str]:
    """Kinds of all steps of an estimation, including the first map."""
    finish, coverage = refinement.parameters.finish, refinement.parameters.coverage
    sweeps = [kind for step in steps for kind in (["holes"] * step.open_holes + ["sweep"])]
    ends = ["regions"] * finish.region_passes + ["surfaces"] * finish.passes
    return ["start", *sweeps, *ends, *(["holes"] * coverage.holes + ["borders"]) * coverage.settle]


def sweep_origins(before: FloatMap, after: FloatMap, step: SweepPlan, noise: FloatMap) -> NDArray[np.uint8]:
    """Which heuristic (§ VI-B) gave each pixel the value that a sweep left it with, [N, M].

    A neighbour's value is copied exactly, and a random one can be drawn again; any other value came from the mean or
    the plane. A mean of equal neighbours counts as a neighbour's value.
    """
    heuristics = single_precision(step.heuristics)
    both = heuristics.congruence and heuristics.smooth_plane
    rest = Origin.MEAN_OR_PLANE if both else Origin.PLANE if heuristics.smooth_plane else Origin.MEAN
    origins = np.full(after.shape, rest, np.uint8)
    if heuristics.random:
        origins[np.abs(after - random_candidates(before, heuristics, noise)) <= ROUNDING] = Origin.RANDOM
    if heuristics.smooth_depth:
        for own, other in visited_neighbours(step.forward):
            origins[own][after[own] == after[other]] = Origin.NEIGHBOUR
    origins[after == before] = Origin.KEPT
    return origins


def random_candidates(before: FloatMap, heuristics: Any, noise: FloatMap) -> FloatMap:
    """Eq. 36 for all pixels, mirrored into the range as in `solver.candidates`."""
    low, extent = heuristics.minimum, heuristics.maximum - heuristics.minimum
    offset = np.abs(before + heuristics.sigma * noise - low) % (np.float32(2.0) * extent)
    mirrored: FloatMap = low + np.where(offset <= extent, offset, np.float32(2.0) * extent - offset)
    return mirrored


def visited_neighbours(forward: bool) -> list[tuple[tuple[slice, slice], tuple[slice, slice]]]:
    """Pixels, and their neighbours that the sweep visits before them: vertical, horizontal, diagonal."""
    near, far = (slice(1, None), slice(None, -1)) if forward else (slice(None, -1), slice(1, None))
    every = slice(None)
    return [((near, every), (far, every)), ((every, near), (every, far)), ((near, near), (far, far))]
