"""Assigns pixels at depth discontinuities to the surface that covers most of them (`cost.coverage`, decision 12)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.cost.coverage import cover
from ioadr.cost.sight import Matting
from ioadr.geometry.ppp import LEVELS, Rays
from ioadr.parameters import Coverage
from ioadr.result import SweepRecord
from ioadr.solver.contours import agreeing, contour_evidence
from ioadr.solver.finish import directions, disparity_of
from ioadr.solver.gaps import open_gaps
from ioadr.solver.holes import STRICT, open_all_holes
from ioadr.solver.refine import Refinement
from ioadr.solver.regions import colours
from ioadr.solver.schedule import SweepPlan

FloatMap = NDArray[np.float32]
DISCS = (2, 1)
"""Radii, px, around a sample that must be free of nearer surfaces; the smaller one if too few views remain."""
JUMP, MISPLACED = 1.0, 0.2
"""Shift, px of the outermost view, between two surfaces, and by which the near one may be wrong."""
FURTHEST = 8.0
"""Largest motion of the background behind the pixel, px; views in which it moves farther do not count."""
MOST = 81
"""Largest number of views: more are no more independent (`cost.coverage.INDEPENDENT`), and time grows as its square."""
FEWEST, FEWEST_SHARE = 4, 0.1
"""Views, and share of those asked, that must show the pixel and the background behind it."""
QUIET, LOUDEST, ALIKE = 1.0, 8.0, 6.0
"""A neighbour's evidence counts from this value on (C9's logarithm alone gives .92 for the far side), up to the second;
the third is the colour difference, in grey levels, that divides it by e."""


class Settled(NamedTuple):
    """A map with settled borders, and the coverage."""

    disparity: FloatMap
    coverage: FloatMap
    """[N, M], share of each pixel that the surface of its disparity covers; NaN where it is unknown."""
    contours: NDArray[np.float16] | None = None
    """[N, M], evidence of contours for the near surface; None if they were not asked."""


def settle_borders(refinement: Refinement, closing: SweepPlan, index: int) -> Iterator[SweepRecord]:
    """Open holes, then settle borders, if enabled; the work is done when the caller takes the record."""
    term = refinement.parameters.coverage
    if not term.settle:
        return
    begin, before = time.perf_counter(), refinement.disparity
    opened = before
    if term.holes:
        opened = open_all_holes(refinement, closing, STRICT)
    if term.holes and term.gaps:
        opened = open_gaps(refinement, closing, partial(pack_matting, rays=refinement.rays, term=term), opened)
    settled = settle(opened, refinement.rays, term, refinement.workers)
    refinement.disparity, refinement.coverage, refinement.contours = settled
    refinement.opened = opened
    changed = int(np.count_nonzero(np.abs(settled.disparity - before) > 1e-3))
    yield SweepRecord(index, "finish", changed, float("nan"), time.perf_counter() - begin)


def settle(
    disparity: FloatMap,
    rays: Rays,
    term: Coverage,
    workers: Workers,
    lean: float = 0.0,
    slopes: FloatMap | None = None,
) -> Settled:
    """Move pixels at depth discontinuities to the surface that covers most of them, if the evidence is clear (C11).

    `lean` is a prior for the near surface, as a log-likelihood ratio; `slopes` [2, N, M] are those of rims.
    """
    surfaces, told = (np.empty((3, *disparity.shape), np.float32) for _ in range(2))
    # Tried: every second view like a chessboard, in half the time; sideboard .399 → .407 MSE×100 (decision 7).
    matting, everywhere = pack_matting(disparity, rays, term, slopes), np.ones(disparity.shape, np.bool_)
    workers.rows(cover, len(disparity), matting, disparity, everywhere, surfaces, told)
    (near, far, middle), shares = surfaces, told[0]
    was_near, contours = disparity >= middle, None
    if term.contours:
        contours = agreeing(contour_evidence(matting, surfaces, told[1], workers), told[1], was_near)
    likelihood = told[1] if contours is None else told[1] + contours.astype(np.float32)
    evidence = with_neighbours(likelihood + np.float32(lean), told[2], colours(rays), term.neighbours)
    doubt = np.float32(term.doubt)
    is_near = evidence + np.where(was_near, doubt, -doubt) > 0
    # Tried: never from far to near; boxes gain, cotton .241 → .273 and sideboard .507 → .552 lose (decision 12).
    changed = np.isfinite(evidence) & (is_near != was_near)
    settled = np.where(changed, np.where(is_near, near, far), disparity)
    coverage = np.where(settled >= middle, shares, np.float32(1.0) - shares)
    return Settled(settled, np.where(np.isfinite(middle), coverage, np.float32(1.0)), contours)


def with_neighbours(evidence: FloatMap, known: FloatMap, image: FloatMap, share: float) -> FloatMap:
    """A pixel's evidence combined with that of neighbours of similar colour, [N, M] (C10).

    Neighbours do not count if the near surface's colour is unknown, as on thin bars, where all have the same error.
    """
    rows, columns = np.nonzero(known > 0)
    own = np.clip(np.where(known > 0, evidence, np.float32(0.0)), -LOUDEST, LOUDEST).astype(np.float32)
    said = np.pad(own - np.clip(own, -QUIET, QUIET), 1)
    around = np.pad(image, ((1, 1), (1, 1), (0, 0)))
    alone = heard = own[rows, columns]
    for y, x in directions():
        i, j = rows + 1 + y, columns + 1 + x
        difference = np.abs(image[rows, columns] - around[i, j]).mean(axis=1)
        heard = heard + np.float32(share) * np.exp(-difference / np.float32(ALIKE)) * said[i, j]
    found = evidence.copy()
    found[rows, columns] = np.where(heard * alone > 0, heard, np.float32(0.0))
    return found


def pack_matting(disparity: FloatMap, rays: Rays, term: Coverage, slopes: FloatMap | None = None) -> Matting:
    """Pack the inputs of `cover`."""
    levels = np.arange(1024) / (255.0 * LEVELS)
    views = spread_views(rays, MOST)
    return Matting(
        rays=rays,
        light=(255.0 * levels**term.gamma).astype(np.float32),
        gamma=term.gamma,
        views=views,
        others=views[views_by_distance(rays, views)],
        slopes=np.zeros((2, *disparity.shape), np.float32) if slopes is None else slopes,
        ceilings=np.stack([disc_maximum(disparity, radius) for radius in DISCS]),
        jump=np.float32(jump_of(rays)),
        furthest=np.float32(FURTHEST),
        fewest=max(FEWEST, round(FEWEST_SHARE * views.size)),
        misplaced=disparity_of(MISPLACED, rays),
    )


def jump_of(rays: Rays) -> float:
    """Smallest difference between two surfaces, px of disparity."""
    return disparity_of(JUMP, rays)


def spread_views(rays: Rays, most: int) -> NDArray[np.int32]:
    """Numbers of at most `most` evenly spread views, ascending: the reference view, then always the farthest from all
    that were chosen. Of 17×17 views, these are every second row and column."""
    if rays.dy.size <= most:
        return np.arange(rays.dy.size, dtype=np.int32)
    offsets, chosen = _offsets(rays), [int(rays.reference)]
    apart = np.full(len(offsets), np.inf)
    while len(chosen) < most:
        apart = np.minimum(apart, np.round(((offsets - offsets[chosen[-1]]) ** 2).sum(axis=1), 6))
        chosen.append(int(apart.argmax()))
    return np.sort(np.array(chosen, np.int32))


def views_by_distance(rays: Rays, views: NDArray[np.int32]) -> NDArray[np.intp]:
    """[K, K − 1]: for each of these views the places of the others among them, nearest first."""
    offsets = _offsets(rays)[views]
    squares = ((offsets[:, None] - offsets) ** 2).sum(axis=2)
    np.fill_diagonal(squares, -1.0)
    return np.argsort(np.round(squares, 6), axis=1, kind="stable")[:, 1:]


def _offsets(rays: Rays) -> NDArray[np.float64]:
    return np.stack([rays.dy, rays.dx], axis=1).astype(np.float64)


def disc_maximum(values: FloatMap, radius: int) -> FloatMap:
    """Maximum over a disc; edges repeated."""
    padded = np.pad(values, radius, mode="edge")
    height, width = values.shape
    reach = range(-radius, radius + 1)
    inside = [(y + radius, x + radius) for y in reach for x in reach if y * y + x * x <= radius * radius]
    return np.maximum.reduce([padded[y : y + height, x : x + width] for y, x in inside])
