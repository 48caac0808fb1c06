"""How good are the maps of all views? Synthetic scenes with exact truth for each of their 9×9 views.

python -m tests.every_view                   # the six scenes of docs/every-view.md, some minutes
python -m tests.every_view planes-3 mixed-1  # others
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import ioadr
from ioadr.evaluation.synthetic import FAMILIES, Rendered, demo, random_light_field
from ioadr.views.surfaces import NOTHING

SCENES = ("planes-0", "spheres-1", "spheres-3", "mixed-5", "mixed-7", "demo")
BORDER = 15
"""px along the edges of each view that do not count."""
SAME = 0.03
"""px of disparity by which true maps of two views may differ at one point."""
SEEN_BY = 4
"""Views that see what the centre does not, at least."""
HEAD = (
    "| scene | BadPix 0.07, centre | mean of all views | ratio | unseen by the centre: covered | within 0.1 px "
    "| with the border | | agree, median | 95 % |\n|---|---|---|---|---|---|---|---|---|---|\n"
)
Map = NDArray[np.floating[Any]]
Mask = NDArray[np.bool_]


class Figures(NamedTuple):
    centre: float
    """BadPix 0.07 of the reference view, %."""
    every: NDArray[np.float64]
    """The same for each view."""
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


def measured(views: ioadr.Views, truths: Sequence[Map]) -> Figures:
    """All figures. What the centre does not see is looked at in every second view."""
    errors = np.abs(views.disparity - np.array(truths))
    offsets = np.array([views.layout.offsets[tuple(view)] for view in views.index])
    centre, count = views.number(views.layout.reference), len(views.index)
    apart, unseen, framed = [], [], []
    for view in range(0, count, 2):
        shown = np.array([sees(truths, offsets, view, other) for other in range(count)])
        asked = ~shown[centre] & (shown.sum(axis=0) >= SEEN_BY)
        fine = np.stack([views.source[view] != NOTHING, errors[view] <= 0.1], axis=-1)
        framed.append(fine[asked])
        unseen.append(inside(fine)[inside(asked)])
        for other in (centre, (view + 1) % count, count - 1 - view):
            if other != view:
                there, _ = sampled(views.disparity[other], truths[view], offsets[other] - offsets[view])
                apart.append(inside(np.abs(there - views.disparity[view]))[inside(shown[other])])
    shares = 100 * np.array([np.mean(inside(error) > 0.07) for error in errors])
    inner, whole = (tuple(100 * np.concatenate(parts).mean(axis=0)) for parts in (unseen, framed))
    median, most = np.quantile(np.concatenate(apart), (0.5, 0.95))
    return Figures(float(shares[centre]), shares, inner, whole, (float(median), float(most)))


def scene(name: str) -> Rendered:
    """The demo, or a scene of a family by its number: planes-0."""
    if name == "demo":
        return demo()
    family = next(family for family in FAMILIES if name.startswith(family))
    return random_light_field(int(name.removeprefix(f"{family}-")), family, size=(192, 192), grid=(9, 9))


def figures(name: str, preset: str) -> Figures:
    """Estimate a scene such as planes-0 and measure it."""
    rendered = scene(name)
    views = ioadr.estimate_views(rendered.lightfield, preset)
    return measured(views, [rendered.disparity_of((row, column)) for row, column in views.index.tolist()])


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
        sys.stdout.write(f"| {name} | {found.centre:.2f} % | {mean:.2f} % | {ratio:.2f} | {shares} | {apart} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
