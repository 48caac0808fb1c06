"""How good are the maps of all views? Synthetic scenes with exact truth for each of their views, 9×9 unless named.

python -m tests.every_view                             # the six scenes of docs/every-view.md, some minutes
python -m tests.every_view planes-3 mixed-1            # others
python -m tests.every_view planes-3@1x9 mixed-1@cross  # other layouts: ROWSxCOLUMNS, or one of LAYOUTS
python -m tests.every_view mixed-1@3x3@4               # disparities of −4 … 4 px instead of −1.5 … 1.5
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import ioadr
from ioadr.evaluation.synthetic import FAMILIES, Rendered, demo, random_light_field
from ioadr.layout import Layout
from ioadr.views.surfaces import NOTHING

SCENES = ("planes-0", "spheres-1", "spheres-3", "mixed-5", "mixed-7", "demo")
BORDER = 15
"""px along the edges of each view that do not count."""
SAME = 0.03
"""px of disparity by which true maps of two views may differ at one point."""
SEEN_BY = 4
"""Views that see what the centre does not, at least."""
HEAD = (
    "| scene | BadPix 0.07, centre | mean of all views | ratio | bad px, centre | mean | unseen by the centre: px "
    "| covered | within 0.1 px | with the border | | agree, median | 95 % |\n" + 13 * "|---" + "|\n"
)
Map = NDArray[np.floating[Any]]
Mask = NDArray[np.bool_]


class Figures(NamedTuple):
    centre: float
    """BadPix 0.07 of the reference view, %."""
    every: NDArray[np.float64]
    """The same for each view."""
    bad: tuple[float, float]
    """Number of bad pixels: in the reference view, and the mean of all views."""
    hidden: int
    """Pixels that the centre does not see, but four views do."""
    unseen: tuple[float, float]
    """% of what the centre does not see, but four views do: covered, and within 0.1 px."""
    unseen_with_border: tuple[float, float]
    agreement: tuple[float, float]
    """px between maps of views that see the same point: median, and 95 %."""


def inside(values: NDArray[Any]) -> NDArray[Any]:
    """A map without its border."""
    return values[BORDER:-BORDER, BORDER:-BORDER]


def sampled(values: Map, truth: Map, offset: NDArray[np.float64]) -> tuple[Map, Mask]:
    """`values` of a view at the nearest pixel to where it sees each pixel of a view with the true map `truth`.

    The view is `offset` away. Also whether that pixel is inside.
    """
    rows, columns = np.mgrid[: truth.shape[0], : truth.shape[1]]
    y, x = (np.rint(grid - truth * step).astype(int) for grid, step in zip((rows, columns), offset, strict=True))
    within = (y >= 0) & (y < truth.shape[0]) & (x >= 0) & (x < truth.shape[1])
    return values[np.where(within, y, 0), np.where(within, x, 0)], within


def sees(truths: Sequence[Map], offsets: NDArray[np.float64], view: int, other: int) -> Mask:
    """Pixels of `view` whose point `other` sees."""
    there, within = sampled(truths[other], truths[view], offsets[other] - offsets[view])
    return within & (np.abs(there - truths[view]) < SAME)


def measured(views: ioadr.Views, truths: Sequence[Map], hidden: Callable[[tuple[int, int], int], Mask]) -> Figures:
    """All figures. What the centre does not see is measured in every second view (`Rendered.hidden_from_reference`)."""
    errors = np.abs(views.disparity - np.array(truths))
    offsets = np.array([views.layout.offsets[tuple(view)] for view in views.index])
    centre, count = views.number(views.layout.reference), len(views.index)
    apart, unseen, framed = [], [], []
    for view in range(0, count, 2):
        row, column = views.index[view].tolist()
        asked = hidden((row, column), SEEN_BY)
        fine = np.stack([views.source[view] != NOTHING, errors[view] <= 0.1], axis=-1)
        framed.append(fine[asked])
        unseen.append(inside(fine)[inside(asked)])
        for other in (centre, (view + 1) % count, count - 1 - view):
            if other != view:
                there, _ = sampled(views.disparity[other], truths[view], offsets[other] - offsets[view])
                apart.append(inside(np.abs(there - views.disparity[view]))[inside(sees(truths, offsets, view, other))])
    shares = 100 * np.array([np.mean(inside(error) > 0.07) for error in errors])
    inner, whole = (share_of_each(np.concatenate(parts)) for parts in (unseen, framed))
    bad, asked_for = shares * inside(truths[0]).size / 100, len(np.concatenate(unseen))
    median, most = np.quantile(np.concatenate(apart), (0.5, 0.95))
    found = (float(bad[centre]), float(bad.mean())), asked_for, inner, whole, (float(median), float(most))
    return Figures(float(shares[centre]), shares, *found)


def share_of_each(fine: Mask) -> tuple[float, float]:
    """% of the rows [P, 2] for which each column is true; NaN if there are none."""
    covered, right = 100 * fine.mean(axis=0) if len(fine) else (np.nan, np.nan)
    return float(covered), float(right)


class Arrangement(NamedTuple):
    grid: tuple[int, int]
    positions: NDArray[np.float64] | None = None
    present: Mask | None = None


def cross() -> Arrangement:
    """The middle row and column of a 9×9 grid."""
    middle = np.arange(9) == 4
    return Arrangement((9, 9), present=np.logical_or.outer(middle, middle))


def irregular() -> Arrangement:
    """A 5×5 grid with each view moved by up to 0.3."""
    moved = np.random.default_rng(3).uniform(-0.3, 0.3, (5, 5, 2))
    return Arrangement((5, 5), Layout.of((5, 5)).positions[..., :2] + moved)


def ring() -> Arrangement:
    """Twelve views on a circle; one of them is the reference view."""
    angle = np.arange(12) * np.pi / 6
    return Arrangement((1, 12), 3.0 * np.stack([np.sin(angle), np.cos(angle)], axis=-1)[None])


LAYOUTS = {"cross": cross, "irregular": irregular, "ring": ring}


def scene(name: str) -> Rendered:
    """The demo, or a scene of a family by its number, with a layout and the largest disparity: planes-0@3x3@4."""
    if name == "demo":
        return demo()
    title, layout, largest = (*name.split("@"), *("9x9", "1.5")[name.count("@") :])
    family = next(family for family in FAMILIES if title.startswith(family))
    rows, columns = (9, 9) if layout in LAYOUTS else map(int, layout.split("x"))
    grid, positions, present = LAYOUTS[layout]() if layout in LAYOUTS else Arrangement((rows, columns))
    limits = -float(largest), float(largest)
    number = int(title.removeprefix(f"{family}-"))
    rendered = random_light_field(number, family, (192, 192), grid, limits, positions=positions)
    if present is None:
        return rendered
    return replace(rendered, lightfield=rendered.lightfield.replace(present=present))


def figures(name: str, preset: str) -> Figures:
    """Estimate a scene such as planes-0 and measure it."""
    rendered = scene(name)
    views = ioadr.estimate_views(rendered.lightfield, preset)
    truths = [rendered.disparity_of((row, column)) for row, column in views.index.tolist()]
    return measured(views, truths, rendered.hidden_from_reference)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", default=SCENES)
    parser.add_argument("--preset", default="best")
    chosen = parser.parse_args()
    sys.stdout.write(HEAD)
    for name in chosen.scenes:
        found = figures(name, chosen.preset)
        mean = found.every.mean()
        shares = " | ".join(f"{share:.1f} %" for share in (*found.unseen, *found.unseen_with_border))
        apart = " | ".join(f"{value:.3f} px" for value in found.agreement)
        ratio = mean / found.centre
        counts = f"{found.bad[0]:.0f} | {found.bad[1]:.1f} | {found.hidden}"
        sys.stdout.write(
            f"| {name} | {found.centre:.2f} % | {mean:.2f} % | {ratio:.2f} | {counts} | {shares} | {apart} |\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
