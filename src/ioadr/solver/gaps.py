"""Opens gaps so narrow that all of their pixels are mixed: coverage decides (beyond the paper, decision 22).

Every pixel of such a gap is a mixture, so its cost is high on the near surface, and higher still on the far one. Thin
segments that look more like the adjacent farther surface than like their own are tried on its plane. The evidence of
coverage then decides on which side they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.cost.coverage import cover
from ioadr.cost.sight import Matting
from ioadr.geometry.windows import grow
from ioadr.solver.finish import disparity_of
from ioadr.solver.holes import (
    ALIKE,
    AROUND,
    FEWEST,
    JUMP,
    LARGEST,
    Pixels,
    Proposal,
    applied,
    farther_pixels,
    middle_of,
    on_plane,
)
from ioadr.solver.noise import calm_colours, local_noise
from ioadr.solver.refine import Refinement
from ioadr.solver.region_shapes import core
from ioadr.solver.schedule import SweepPlan
from ioadr.solver.segments import label

FloatMap = NDArray[np.float32]
Mask = NDArray[np.bool_]
ROUNDS = 2
"""Number of rounds: an open gap shows the background of the gaps that continue it."""
SMALLEST = 3
"""Smallest size of a segment, px."""
THIN = 2
"""Half the width of the widest gap, px; wider segments are holes, for which the data term decides."""
PASSING = 2.0 * THIN
"""Shift, px of the outermost view, between both surfaces: outer views must see past the widest gap, or its pixels move
with the near surface in all views, like a line painted on it."""
END = 0.5
"""Largest share of a gap's pixels that adjoin the farther surface."""
SEEN = 10
"""Smallest number of pixels of each surface whose colours are compared."""
CONTRAST, NOISE = 12.0, 3.0
"""Smallest difference in colour of the two surfaces: grey levels, or multiple of the noise."""
CLEAR, LOUDEST = 6.0, 8.0
"""Mean evidence for the far surface from which a gap opens, and the value up to which that of a pixel counts."""


def open_gaps(
    refinement: Refinement, closing: SweepPlan, matting_of: Callable[[FloatMap], Matting], disparity: FloatMap
) -> FloatMap:
    """The refinement's map with narrow gaps opened; `matting_of` packs the inputs of coverage for a map."""
    noise = local_noise(refinement, closing)
    for _ in range(ROUNDS):
        proposals = propose(disparity, calm_colours(refinement, noise, ALIKE), noise, refinement)
        if not proposals:
            break
        opened = applied(disparity, proposals)
        clear = with_evidence(opened, matting_of(opened), proposals, refinement.workers)
        if not clear:
            break
        disparity = refinement.disparity = applied(disparity, clear)
    return disparity


def propose(disparity: FloatMap, image: FloatMap, noise: FloatMap, refinement: Refinement) -> list[Proposal]:
    """Thin segments that look like the farther surface and adjoin it, on its plane."""
    jump, passing = (disparity_of(shift, refinement.rays) for shift in (JUMP, PASSING))
    far_like = looks_far(disparity, image, np.maximum(np.float32(CONTRAST), np.float32(NOISE) * noise), jump)
    proposals = []
    for segment in thin_segments(far_like, disparity, jump):
        limit = middle_of(disparity[segment]) - jump
        surface = farther_pixels(disparity, *segment, limit)
        if len(surface[0]) >= FEWEST:
            proposals += on_plane(refinement, disparity, segment, surface)
    return [gap for gap in proposals if np.mean(disparity[gap.rows, gap.columns] - gap.disparity) >= passing]


def thin_segments(far_like: Mask, disparity: FloatMap, jump: float) -> Iterator[Pixels]:
    """Segments of pixels that look far, on one surface, and end at a farther one.

    A line that ends nowhere may be painted: on boxes and sideboard, most of those that seemed clear were wrong. A strip
    that adjoins the farther surface all along is a border, whose pixels are settled one by one.
    """
    labels: NDArray[np.int64] = np.empty(disparity.shape, np.int64)
    classes = np.repeat(far_like[..., None], 3, axis=2).astype(np.float32)
    label(classes, disparity, np.float32(0.5), np.float32(jump / 2), labels)
    beside = lowest_beside(disparity)
    usable = np.zeros(labels.size, bool)
    usable[labels[far_like & (beside < disparity - jump / 2)]] = True
    usable[labels[core(labels.astype(np.int32) + 1, THIN) > 0]] = False
    pixels = np.flatnonzero(usable[labels])
    order = pixels[np.argsort(labels.reshape(-1)[pixels], kind="stable")]
    for part in np.split(order, np.flatnonzero(np.diff(labels.reshape(-1)[order])) + 1):
        rows, columns = np.divmod(part, labels.shape[1])
        if not SMALLEST <= len(part) <= LARGEST:
            continue
        adjoins = beside[rows, columns] < middle_of(disparity[rows, columns]) - jump
        if 0 < np.mean(adjoins) <= END:
            yield rows, columns


def lowest_beside(disparity: FloatMap) -> FloatMap:
    """The farthest of a pixel's four neighbours."""
    padded = np.pad(disparity, 1, mode="edge")
    return np.minimum.reduce([padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]])


def looks_far(disparity: FloatMap, image: FloatMap, contrast: FloatMap, jump: float) -> Mask:
    """Near pixels whose colour is closer to that of the far surface around them than to that of the near one.

    Near and far are the two halves of the range of disparities around a pixel.
    """
    highest, lowest = grow(disparity, AROUND), -grow(-disparity, AROUND)
    far = (disparity < (highest + lowest) / 2) & (highest - lowest > jump)
    mask = far[..., None].astype(np.float32)
    sums = box_mean(np.concatenate([mask * image, mask, image], axis=2))
    share, least = sums[..., 3:4], np.float32((SEEN - 0.5) / (2 * AROUND + 1) ** 2)
    known = (share >= least) & (1 - share >= least)
    behind = sums[..., :3] / np.maximum(share, least)
    own = (sums[..., 4:] - sums[..., :3]) / np.maximum(1 - share, least)
    across = behind - own
    squared = (across**2).sum(axis=2)
    along = ((image - own) * across).sum(axis=2)
    return ~far & known[..., 0] & (squared > contrast**2) & (along > squared / 2)


def box_mean(values: FloatMap) -> FloatMap:
    """Mean over ± `AROUND` px of [N, M, C]; edges repeated."""
    width = 2 * AROUND + 1
    for axis in (0, 1):
        padded = np.pad(np.moveaxis(values, axis, 0), ((AROUND + 1, AROUND), (0, 0), (0, 0)), mode="edge")
        padded[0] = 0
        sums = np.cumsum(padded, axis=0, dtype=np.float64)
        values = np.moveaxis(((sums[width:] - sums[:-width]) / width).astype(np.float32), 0, axis)
    return values


def with_evidence(
    opened: FloatMap, matting: Matting, proposals: Sequence[Proposal], workers: Workers
) -> list[Proposal]:
    """Proposals whose pixels belong to the far surface by clear evidence, in the map with all of them open."""
    rows, columns = (np.concatenate([proposal[axis] for proposal in proposals]) for axis in (0, 1))
    wanted = np.zeros(opened.shape, np.bool_)
    wanted[rows, columns] = True
    surfaces, told = (np.empty((3, *opened.shape), np.float32) for _ in range(2))
    workers.rows(cover, len(opened), matting, opened, wanted, surfaces, told)
    ends = np.cumsum([len(proposal.rows) for proposal in proposals])
    parts = np.split(np.clip(told[1, rows, columns], -LOUDEST, LOUDEST), ends[:-1])
    decided = [part[np.isfinite(part)] for part in parts]
    return [gap for gap, part in zip(proposals, decided, strict=True) if len(part) and part.mean() < -CLEAR]
