"""Positions of the tiles of a large image."""

from __future__ import annotations

from dataclasses import dataclass

from ioadr.app.batch.sizing import Need
from ioadr.errors import InputError
from ioadr.io.safety.limits import size
from ioadr.part import Window
from ioadr.solver.reach import ALIGNED, with_margin

GRAIN = 64
"""Cores begin at multiples of this number of px."""
SMALLEST = 128
"""Smallest side of a tile's core, px; below it, the overlap takes most of the time."""


@dataclass(frozen=True)
class Tile:
    """A part to estimate, and its core, which is kept."""

    core: Window
    outer: Window


def tile_side(need: Need, margin: int, memory: int | None, wanted: int = 0) -> int:
    """Side of a tile's core, px: as large as memory allows, or as requested."""
    largest = max(need.height, need.width)
    side = -(-largest // GRAIN) * GRAIN if wanted == 0 else max(GRAIN, wanted // GRAIN * GRAIN)
    least = min(SMALLEST, side)
    while memory is not None and side > least and _bytes(need, side, margin) > memory:
        side -= GRAIN
    if memory is not None and (needed := _bytes(need, side, margin)) > memory:
        raise InputError(
            f"tiles: even a tile of {side} px with a margin of {margin} px needs {size(needed)}; "
            f"{size(memory)} is available. Give workers more memory (--memory, --workers), or read fewer views "
            "(--views)."
        )
    return side


def plan_tiles(height: int, width: int, side: int, margin: int) -> list[Tile]:
    """Tiles in reading order whose cores, of at most `side` px, cover the image."""
    rows, columns = _cuts(height, side), _cuts(width, side)
    tiles = []
    for top, bottom in rows:
        for left, right in columns:
            core = Window(top, left, bottom, right)
            tiles.append(Tile(core, with_margin(core, margin, height, width)))
    return tiles


def _cuts(length: int, side: int) -> list[tuple[int, int]]:
    """Even pieces at multiples of the grain."""
    count = max(1, -(-length // side))
    step = -(-length // count // GRAIN) * GRAIN if count > 1 else length
    step = min(max(step, GRAIN), side) if count > 1 else length
    return [(start, min(start + step, length)) for start in range(0, length, step)]


def _bytes(need: Need, side: int, margin: int) -> int:
    """Bytes of the largest tile; its border is rounded up on one side."""
    height, width = (min(side + 2 * margin + ALIGNED, length) for length in (need.height, need.width))
    return need.part(height, width)
