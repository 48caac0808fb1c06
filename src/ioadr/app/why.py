"""Why a pixel has its depth, in words: the same sentence in the explorer, on reports and in the terminal.

Words are templates. A report stores them with maps of numbers and fills them in at the cursor (`web/why.js`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ioadr.way import STARTS, Origin, Stage, Way

if TYPE_CHECKING:
    from ioadr.result import Estimate
    from ioadr.solver.explanation import Border, Doubt, Ending, SurfaceFit, ViewResiduals

SETTLED = 0.01
"""The step that brought a pixel within this distance of its value after the sweeps proposed it, px."""
AGREED = 5.0
"""Largest mean difference of views that counts as agreement, grey levels."""
FINEST = 0.1
"""Smallest difference that is stated, grey levels."""
STILL = 0.0005
"""Motion that rounds to zero, px."""
DOUBTFUL = 0.9
"""Confidence below which the sentence says what lowered it."""

AGREE = "{visible} of {views} views agree within {deviation} grey levels at {disparity} px ({depth})."
DIFFER = "{visible} of {views} views see it at {disparity} px ({depth}), but differ by {deviation} grey levels."
TRUST = "Confidence: {trust} %."
TRUST_LESS = "Confidence: {trust} %. Main reason for doubt: {reason}."
TWO = "Another disparity explains the views around it nearly as well."
SURFACE = "the surface fitted around it moved it by {moved} px"
SURFACE_OVER = "the surface fitted over {radius} px moved it by {moved} px"
DEPTHS = {"m": "{depth} m", "pose unit": "depth {depth} in the unit of the poses", "relative": "relative depth {depth}"}
"""Templates by the unit of depth."""
MISSING = "This pixel has no disparity."
UNKNOWN = "Its history was not stored; tiles, small parts of an image and results of earlier versions have none."

ORIGINS = {
    Origin.KEPT: "kept",
    Origin.GIVEN: "the given start map",
    Origin.WINDOWS: "plane sweep over windows",
    Origin.PIXELS: "plane sweep, pixel by pixel",
    Origin.LINES: "slopes in the EPIs",
    Origin.NEIGHBOUR: "a neighbour",
    Origin.MEAN: "the mean of neighbours of similar colour",
    Origin.PLANE: "the plane fitted around it",
    Origin.RANDOM: "a random step",
    Origin.MEAN_OR_PLANE: "the mean of its neighbours or the plane fitted around it",
    Origin.REGION: "a surface fitted to its whole region",
    Origin.SURFACE: "a fitted surface",
    Origin.HOLE: "the plane behind a hole",
    Origin.BORDER: "the surface that covers most of it",
}
STEPS = {
    "start": "first map",
    "sweep": "sweep",
    "regions": "regions",
    "surfaces": "surface",
    "holes": "holes",
    "borders": "borders",
}
LATER = {
    Origin.REGION: "a surface fitted to its whole region replaced it",
    Origin.HOLE: "a hole was opened here, and the pixel moved to the plane behind it",
    Origin.BORDER: "at an occlusion boundary, the pixel was assigned to the surface that covers most of it",
}
LATER_STEPS = "regions", "holes", "borders"
REASONS = {
    "vague": "the views barely change with disparity here",
    "vague region": "there is little texture around it",
    "uninformed": "there is no texture here",
    "hidden by noise": "there is no texture here that stands out from noise",
    "pull": "the views favour another disparity",
    "pull of region": "the views around it favour other disparities",
    "residual": "the views around it differ by more than noise explains",
    "torn": "its neighbours do not lie on its surface",
    "torn around": "its surroundings are ragged",
    "torn region": "its wider surroundings are ragged",
    "rival near": "the disparity of a close neighbour fits about as well",
    "rival far": "a disparity from its surroundings fits about as well",
    "rival": "another disparity fits about as well",
    "rival of region": "another disparity fits its region about as well",
    "flat": "the cost barely rises on either side",
    "beyond": "a disparity outside the range would fit as well",
    "unexplained": "no disparity explains the views well",
    "unseen": "few views see it",
    "end": "its region lies at an end of the disparity range",
    "bent": "the surface bends away here",
    "clipped": "its colours are clipped to black or white",
}
"""Reasons of `solver.evidence`, as the end of a sentence."""


@dataclass(frozen=True)
class Facts:
    """Values for a sentence."""

    visible: int
    views: int
    deviation: float
    disparity: float
    depth: float
    unit: str
    """Unit of depth: see `Estimate.depth_unit`."""
    confidence: float
    way: Sequence[Stage]
    """History of the pixel; empty if it was not stored."""
    two_minima: bool
    ending: Ending | None
    """Reasons for doubt; None without the views."""


def facts(estimate: Estimate, row: int, column: int, ending: Ending | None = None) -> Facts:
    """Values of one pixel of a result."""
    disparity = float(estimate.disparity[row, column])
    return Facts(
        visible=int(estimate.visible_views[row, column]),
        views=views_used(estimate),
        deviation=float(estimate.costs["data"][row, column]),
        disparity=disparity,
        depth=float(estimate.depth[row, column]),
        unit=estimate.depth_unit,
        confidence=float(estimate.confidence[row, column]),
        way=estimate.way.at(row, column, disparity) if estimate.way else (),
        two_minima=estimate.two_minima is not None and bool(estimate.two_minima[row, column]),
        ending=ending,
    )


def views_used(estimate: Estimate) -> int:
    """Views used in the estimation."""
    return int(estimate.layout.thinned(estimate.parameters.data.view_step).sum())


def sentence(facts: Facts) -> str:
    """Why a pixel has its disparity."""
    if not np.isfinite(facts.disparity):
        return MISSING
    values = {
        "visible": str(facts.visible),
        "views": str(facts.views),
        "deviation": number(max(facts.deviation, FINEST), 1),
        "disparity": number(facts.disparity, 3),
        "depth": depth_text(facts.depth, facts.unit),
    }
    seen = AGREE if facts.deviation <= AGREED else DIFFER
    parts = [seen.format_map(values), _told(facts), TWO if facts.two_minima else "", _trust(facts)]
    return " ".join(part for part in parts if part)


def _told(facts: Facts) -> str:
    if not facts.way:
        return UNKNOWN
    moved = moved_by_surfaces(facts.way)
    surface = facts.ending.surface if facts.ending else None
    template = SURFACE_OVER if surface and surface.radius else SURFACE
    clause = template.format(radius=surface.radius if surface else 0, moved=number(moved, 3))
    first, then = (f"{clause}; ", f"; {clause}") if abs(moved) >= STILL else ("", "")
    return story(*chapters(facts.way)).format(surface_first=first, surface=then)


def _trust(facts: Facts) -> str:
    trust = str(percent(facts.confidence))
    doubt = main_doubt(facts.ending.doubts) if facts.ending and facts.confidence < DOUBTFUL else None
    return TRUST_LESS.format(trust=trust, reason=REASONS[doubt]) if doubt else TRUST.format(trust=trust)


def main_doubt(doubts: Sequence[Doubt]) -> str | None:
    """The reason that lowered the confidence most."""
    return doubts[0].name if doubts and doubts[0].taken > 0 and doubts[0].name in REASONS else None


def step_name(stage: Stage) -> str:
    """Name of a step, such as "sweep 3"."""
    return STEPS[stage.kind] + (f" {stage.number}" if stage.kind in ("sweep", "surfaces") else "")


def surface_words(surface: SurfaceFit) -> str:
    """The disparity that the views favour, and the fitted surface."""
    if surface.deviation is not None:
        own = f"the views favour {number(surface.target, 4)} ± {number(surface.deviation, 3)} px"
    elif surface.beside_rise:
        own = "its own target is ignored next to an occlusion boundary"
    else:
        own = "the views favour no disparity here"
    if not surface.radius:
        return f"{own}; no surface could be fitted"
    gated = int(np.count_nonzero(surface.weights == 0))
    shape = "curved surface" if surface.curved else "plane"
    return (
        f"{own}; a {shape} fitted over a radius of {surface.radius} px to {len(surface.weights) - gated} of "
        f"{len(surface.weights)} targets gives {number(surface.disparity, 4)} px, or {number(surface.shared, 4)} px "
        f"averaged with the surfaces of nearby pixels"
    )


def residual_words(views: ViewResiduals) -> str:
    """How much the views differed."""
    known = views.residuals[np.isfinite(views.residuals)]
    if not known.size:
        return "no view took part when the surface was fitted"
    if known.size == 1:
        return "only one view took part when the surface was fitted"
    return (
        f"when the surface was fitted, the {known.size} views that took part differed from their mean by "
        f"{number(float(np.median(known)), 1)} grey levels (median; at most {number(float(known.max()), 1)})"
    )


def border_words(border: Border) -> str:
    """The surfaces that meet at the pixel, and the one it belongs to."""
    meet = f"surfaces at {number(border.near, 3)} px and {number(border.far, 3)} px meet here"
    side = "nearer" if border.is_near else "farther"
    if border.coverage is None or border.likelihood is None:
        return f"{meet}; too few views see the background, so the pixel stayed with the {side} one"
    changed = "moved to" if border.is_near != border.was_near else "stayed with"
    return (
        f"{meet}; the nearer one covers about {100 * border.coverage:.0f} % of the pixel, which {changed} the {side} "
        f"one (log-likelihood ratio {number(border.likelihood, 1)}; {number(border.doubt, 1)} needed to switch); "
        f"{np.count_nonzero(border.views)} views decided"
    )


def moved_by_surfaces(way: Sequence[Stage]) -> float:
    """Total change by all finishing passes, px."""
    return sum(after.disparity - before.disparity for before, after in pairwise(way) if after.kind == "surfaces")


def chapters(way: Sequence[Stage]) -> tuple[Origin, int, Origin, Origin, Origin]:
    """Origin of the value after the sweeps, its sweep (0: the first map), and what regions, holes and borders changed.

    A hole that was opened before a sweep belongs to it.
    """
    kinds = [stage.kind for stage in way]
    end = last_sweep(kinds)
    far = [index for index in range(end + 1) if abs(way[index].disparity - way[end].disparity) > SETTLED]
    first = far[-1] + 1 if far else 0
    later = {stage.kind: stage.origin for stage in way[end + 1 :]}
    region, hole, border = (later.get(kind, Origin.KEPT) for kind in LATER_STEPS)
    return way[first].origin, sweep_of(kinds, first), region, hole, border


def last_sweep(kinds: Sequence[str]) -> int:
    """Index of the last sweep, or of the first map."""
    return max(index for index, kind in enumerate(kinds) if kind in ("start", "sweep"))


def sweep_of(kinds: Sequence[str], step: int) -> int:
    """Number of a step's sweep; 0 is the first map."""
    return kinds[: step + 1].count("sweep") + (kinds[step] == "holes")


def story(origin: Origin, sweep: int, region: Origin, hole: Origin, border: Origin) -> str:
    """How a pixel got its value, with placeholders for the effect of surfaces."""
    later = [LATER[step] for step in (region, hole, border) if step in LATER]
    if origin in STARTS:
        here, lost = f"It comes from the first map ({ORIGINS[origin]})", f"of the first map ({ORIGINS[origin]})"
    elif origin == Origin.HOLE:
        here = f"A hole was opened here before sweep {sweep}, and the pixel moved to the plane behind it"
        lost = f"of the plane behind a hole that was opened before sweep {sweep}"
    else:
        here = f"{capital(ORIGINS[origin])} proposed it in sweep {sweep}"
        lost = f"that {ORIGINS[origin]} proposed in sweep {sweep}"
    if not later:
        return here + "{surface}."
    ends = f"{later[0]}{{surface}}" if region in LATER else f"{{surface_first}}{later[0]}"
    return f"The value {lost} changed later: " + "; ".join([ends, *later[1:]]) + "."


def stories(way: Way, result: NDArray[np.float32]) -> tuple[list[str], NDArray[np.uint16], NDArray[np.float32]]:
    """`story` for all pixels: the distinct ones, the index of each pixel's, and the change by surfaces, px."""
    end = last_sweep(way.kinds)
    settled, first = way.map_after(end, result), np.zeros(result.shape, np.intp)
    for index in range(end):
        first[np.abs(way.map_after(index, result) - settled) > SETTLED] = index + 1
    moved = np.zeros(result.shape, np.float32)
    kept = np.zeros(result.shape, np.uint8)
    sweeps = np.array([sweep_of(way.kinds, step) for step in range(end + 1)])
    codes = [np.take_along_axis(way.origins, first[None], 0)[0], sweeps[first]]
    late = dict(zip(way.kinds[end + 1 :], way.origins[end + 1 :], strict=True))
    codes += [late.get(kind, kept) for kind in LATER_STEPS]
    for index, kind in enumerate(way.kinds):
        if kind == "surfaces":
            moved += way.map_after(index, result) - way.map_after(index - 1, result)
    # One number for all codes: to sort rows of five takes ten times as long.
    sizes = len(Origin), len(way.kinds) + 1, *[len(Origin)] * len(LATER_STEPS)
    code = np.ravel_multi_index(codes, sizes)
    there = np.flatnonzero(np.bincount(code.ravel()))
    texts = [
        story(Origin(a), int(sweep), *map(Origin, later))
        for a, sweep, *later in zip(*np.unravel_index(there, sizes), strict=True)
    ]
    return texts, np.searchsorted(there, code).astype(np.uint16), moved


def templates() -> Mapping[str, Any]:
    """Templates from which a page builds the sentence."""
    limits = {"agreed": AGREED, "finest": FINEST, "still": STILL}
    return {
        "agree": AGREE,
        "differ": DIFFER,
        "surface": SURFACE,
        "two": TWO,
        "trust": TRUST,
        "unknown": UNKNOWN,
        "missing": MISSING,
        "depths": DEPTHS,
        **limits,
    }


def number(value: float, digits: int) -> str:
    """A number with a true minus sign, and no sign before zero."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if not float(text) else text.replace("-", "−")


def depth_text(depth: float, unit: str) -> str:
    if not np.isfinite(depth):
        return "depth unknown"
    return DEPTHS[unit].format(depth=f"{float(f'{depth:.3g}'):g}")


def percent(share: float) -> int:
    """A percentage, rounded down: no pixel is fully certain."""
    return int(np.floor(100 * share)) if np.isfinite(share) else 0


def capital(text: str) -> str:
    return text[0].upper() + text[1:]
