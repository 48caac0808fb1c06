"""Where the tiles of a large image lie, and how far they overlap."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ioadr.app.batch.sizing import Need
from ioadr.errors import InputError
from ioadr.io.safety.limits import size
from ioadr.lightfield import DisparityRange
from ioadr.parameters import Parameters
from ioadr.part import Window

GRAIN, ALIGNED = 64, 16
"""px; cores and what is estimated around them begin at multiples, so that blocks of tiles lie as the whole's do."""
SMALLEST = 128
"""px of a tile's core that are worth its overlap."""
CARRIED = 32
"""px more where no planes are fitted, for what sweeps carry from pixel to pixel; with them seams differ no more."""


@dataclass(frozen=True)
class Tile:
    """A part that is estimated, and its core, which is kept."""

    core: Window
    outer: Window


def overlap(parameters: Parameters, limits: DisparityRange, reach: float) -> int:
    """Pixels around a tile's core within which a tile's border can be felt.

    A view is missing where the border cuts off its sample; an occluder that lies beyond the border hides nothing;
    planes are fitted to what normals over a window say, which need a kernel's width and a border each; sweeps pass on
    what they find to the next pixel; and the finish fits patches.
    """
    shift = max(abs(limits.minimum), abs(limits.maximum)) * reach
    hidden = limits.extent * (reach + 0.5)
    planar = parameters.planar
    kernel = planar.kernel_half_width
    fitted = planar.first_sweep < parameters.search.sweeps
    planes = 2 * (planar.half_width + kernel) + 2 * kernel + 1 if fitted else 0
    patches = parameters.finish.passes * (parameters.finish.widest + parameters.finish.occluder_growth)
    width = math.ceil(shift + hidden) + parameters.congruence.half_width + max(planes, CARRIED) + patches
    return -(-width // 8) * 8


def tile_side(need: Need, margin: int, memory: int | None, wanted: int = 0) -> int:
    """Pixels of a tile's core, as many as memory allows or as are wanted."""
    largest = max(need.height, need.width)
    side = -(-largest // GRAIN) * GRAIN if wanted == 0 else max(GRAIN, wanted // GRAIN * GRAIN)
    while memory is not None and side > GRAIN and _bytes(need, side, margin) > memory:
        side -= GRAIN
    if memory is not None and (_bytes(need, side, margin) > memory or side < min(SMALLEST, wanted or SMALLEST)):
        needed = _bytes(need, SMALLEST, margin)
        raise InputError(
            f"tiles: expected memory for tiles of {SMALLEST} px with {margin} px around them, {size(needed)}, "
            f"found {size(memory)}. Give workers more memory (--memory, --workers), or read fewer views (--views)."
        )
    return side


def plan_tiles(height: int, width: int, side: int, margin: int) -> list[Tile]:
    """Tiles in reading order whose cores, of at most `side` px, cover the image."""
    rows, columns = _cuts(height, side), _cuts(width, side)
    tiles = []
    for top, bottom in rows:
        for left, right in columns:
            outer = Window(
                max(top - margin, 0) // ALIGNED * ALIGNED,
                max(left - margin, 0) // ALIGNED * ALIGNED,
                min(bottom + margin, height),
                min(right + margin, width),
            )
            tiles.append(Tile(Window(top, left, bottom, right), outer))
    return tiles


def _cuts(length: int, side: int) -> list[tuple[int, int]]:
    """Even pieces at multiples of the grain."""
    count = max(1, -(-length // side))
    step = -(-length // count // GRAIN) * GRAIN if count > 1 else length
    step = min(max(step, GRAIN), side) if count > 1 else length
    return [(start, min(start + step, length)) for start in range(0, length, step)]


def _bytes(need: Need, side: int, margin: int) -> int:
    """Of the largest tile; its border is rounded up on one side."""
    height, width = (min(side + 2 * margin + ALIGNED, length) for length in (need.height, need.width))
    return need.part(height, width)
