"""How good are the maps of all views? Synthetic scenes with exact truth for each of their 9×9 views.

python -m tests.every_view                   # the five scenes of docs/every-view.md, some minutes
python -m tests.every_view planes-3 mixed-1  # others
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from numpy.typing import NDArray

import ioadr
from ioadr.evaluation.synthetic import FAMILIES, random_light_field

SCENES = ("planes-0", "spheres-1", "spheres-3", "mixed-5", "mixed-7")
BORDER = 15
"""px along the edges of each view that do not count."""


def bad_pixels(name: str, preset: str) -> tuple[float, NDArray[np.float64]]:
    """BadPix 0.07 of the centre and of every view, %."""
    family = next(family for family in FAMILIES if name.startswith(family))
    rendered = random_light_field(int(name.removeprefix(f"{family}-")), family, size=(192, 192), grid=(9, 9))
    views = ioadr.estimate_views(rendered.lightfield, preset)
    shares = np.array(
        [
            np.mean(inside(np.abs(disparity - rendered.disparity_of((row, column)))) > 0.07)
            for disparity, (row, column) in zip(views.disparity, views.index.tolist(), strict=True)
        ]
    )
    centre = views.index.tolist().index([4, 4])
    return float(100 * shares[centre]), 100 * shares


def inside(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A map without its border."""
    return values[BORDER:-BORDER, BORDER:-BORDER]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", default=SCENES)
    parser.add_argument("--preset", default="best")
    chosen = parser.parse_args()
    sys.stdout.write("| scene | BadPix 0.07, centre | mean of all views | ratio |\n|---|---|---|---|\n")
    for name in chosen.scenes:
        centre, every = bad_pixels(name, chosen.preset)
        sys.stdout.write(f"| {name} | {centre:.2f} % | {every.mean():.2f} % | {every.mean() / centre:.2f} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
