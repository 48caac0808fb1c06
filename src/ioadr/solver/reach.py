"""Reach of an estimation: the margin around a part within which its border affects the result."""

from __future__ import annotations

import math

from ioadr.layout import Layout
from ioadr.lightfield import DisparityRange
from ioadr.parameters import Parameters
from ioadr.part import Window

ALIGNED = 16
"""Parts begin at multiples of this number of px, so that their blocks match those of the whole."""
CARRIED = 32
"""Additional px if no planes are fitted, because sweeps carry values from pixel to pixel; not needed with planes."""
BACKGROUND = 8
"""Reach of the search for backgrounds at borders, px: `FURTHEST` of `solver.coverage`, which takes long to import."""


def estimation_margin(parameters: Parameters, limits: DisparityRange, layout: Layout) -> int:
    """Width of the margin in which a part's border affects the result, px.

    The border cuts off samples of views and occluders beyond it; planes are fitted to normals over a window, which need
    a kernel's width and a border each; sweeps propagate values to the next pixel; the finish fits patches; and the
    border step looks for backgrounds.
    """
    reach = max(layout.reach)
    shift = max(abs(limits.minimum), abs(limits.maximum)) * reach
    hidden = limits.extent * (reach + 0.5)
    planar = parameters.planar
    kernel = planar.kernel_half_width
    fitted = planar.first_sweep < parameters.search.sweeps
    planes = 2 * (planar.half_width + kernel) + 2 * kernel + 1 if fitted else 0
    patches = parameters.finish.passes * (parameters.finish.widest + parameters.finish.occluder_growth)
    patches += BACKGROUND if parameters.coverage.settle else 0
    width = math.ceil(shift + hidden) + parameters.congruence.half_width + max(planes, CARRIED) + patches
    return -(-width // 8) * 8


def with_margin(core: Window, margin: int, height: int, width: int) -> Window:
    """The window of an image of height×width px to estimate for a core."""
    return Window(
        max(core.top - margin, 0) // ALIGNED * ALIGNED,
        max(core.left - margin, 0) // ALIGNED * ALIGNED,
        min(core.bottom + margin, height),
        min(core.right + margin, width),
    )
