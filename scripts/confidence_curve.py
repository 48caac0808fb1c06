"""The tables and the picture of docs/confidence.md, from results that `ioadr estimate` wrote.

    python scripts/confidence_curve.py RESULTS PAGE PICTURE SCENE...

RESULTS holds a folder of results for each scene folder, under the scene's name. What PAGE says between its two marks is
replaced. Ends with an error where confidence does not hold what the page promises.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ioadr.evaluation.sparsification import SHARES, best_sparsification, sparsification_curve
from ioadr.evaluation.truth import Truth, load_truth
from ioadr.io import load_estimate
from ioadr.result import TOLERANCE

HEAD = (
    "| scene | BadPix 0.07 | mean confidence | above 0.9 | of these within 0.07 px | calibration error "
    "| BadPix without the least trusted fifth, relative to all | two minima |\n|---|---|---|---|---|---|---|---|"
)
ROWS = 3
"""Number of rows of panels in the picture."""
BEGIN, END = "<!-- measured by `make confidence` -->\n\n", "\n<!-- end of what was measured -->\n"
POLISHED = ("turntable", "machine")
"""Glossy scenes, which are not checked."""
RIGHT, CALIBRATION, LEFT = 0.9, 0.05, 0.45
"""Limits: smallest share of right pixels above 0.9; largest calibration error and share of remaining bad pixels."""


class Scene(NamedTuple):
    """Measurements on a scene, by the confidence of its pixels."""

    name: str
    trusted: NDArray[np.float32]
    """Confidence of the pixels that are scored."""
    right: NDArray[np.bool_]
    """Whether they are within 0.07 px."""
    two_minima: float
    """Share of them with this mark."""
    curve: NDArray[np.float64]
    """BadPix 0.07 of the remaining pixels, %, by the share dropped."""
    best_curve: NDArray[np.float64]
    """The same if the pixels with the largest errors were dropped."""

    @property
    def left(self) -> float:
        """BadPix without the least trusted fifth, relative to BadPix of all pixels."""
        return float(self.curve[SHARES.index(0.2)] / self.curve[0])


def measured(name: str, disparity: Any, confidence: Any, two_minima: Any, truth: Truth) -> Scene:
    right = np.abs(disparity - truth.disparity)[truth.area] <= TOLERANCE
    curves = sparsification_curve(disparity, confidence, truth), best_sparsification(disparity, truth)
    return Scene(name, confidence[truth.area], right, float(two_minima[truth.area].mean()), *curves)


def bins(trusted: NDArray[Any], right: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Mean confidence, share within 0.07 px and number of the pixels in ten bins; NaN in empty ones."""
    group = np.minimum((10 * trusted).astype(int), 9)
    count = np.bincount(group, minlength=10)
    with np.errstate(invalid="ignore"):
        mean, share = (np.bincount(group, values, minlength=10) / count for values in (trusted, right))
    return mean, share, count


def calibration_error(trusted: NDArray[Any], right: NDArray[Any]) -> float:
    mean, share, count = bins(trusted, right)
    return float(np.nansum(count * np.abs(mean - share)) / count.sum())


def row(scene: Scene) -> str:
    sure, error = scene.trusted > 0.9, calibration_error(scene.trusted, scene.right)
    return (
        f"| {scene.name} | {100 * (1 - scene.right.mean()):.2f} % | {scene.trusted.mean():.3f} "
        f"| {100 * sure.mean():.0f} % | {100 * scene.right[sure].mean():.1f} % | {error:.3f} "
        f"| {scene.left:.2f} | {100 * scene.two_minima:.1f} % |"
    )


def together(scenes: list[Scene]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Confidence of all pixels, and whether they are right."""
    return np.concatenate([scene.trusted for scene in scenes]), np.concatenate([scene.right for scene in scenes])


def tables(scenes: list[Scene]) -> str:
    """What the page says of these scenes."""
    trusted, right = together(scenes)
    error, left = calibration_error(trusted, right), np.mean([scene.left for scene in scenes])
    lines = [
        *(HEAD, *map(row, scenes), ""),
        f"Over all pixels together, the expected calibration error (ten bins) is {error:.3f}. Dropping the least",
        f"trusted fifth leaves {left:.2f} of the bad pixels on average.",
        *("", "| confidence | share of pixels | within 0.07 px |", "|---|---|---|"),
    ]
    for mean, share, count in zip(*bins(trusted, right), strict=True):
        lines.append(f"| {mean:.2f} | {100 * count / len(right):.1f} % | {share:.2f} |")
    return "\n".join(lines) + "\n"


def broken(scenes: list[Scene]) -> list[str]:
    """Promises that these scenes do not keep."""
    shares = {scene.name: float(scene.right[scene.trusted > 0.9].mean()) for scene in scenes}
    found = [f"{name}: {share:.3f}" for name, share in shares.items() if name not in POLISHED and share < RIGHT]
    error, left = calibration_error(*together(scenes)), float(np.mean([scene.left for scene in scenes]))
    found += [f"calibration error {error:.3f}"] if error > CALIBRATION else []
    return found + ([f"bad pixels left {left:.2f}"] if left > LEFT else [])


def renewed(page: str, measured_part: str) -> str:
    """The page with what stands between its marks replaced."""
    before, rest = page.split(BEGIN)
    return before + BEGIN + measured_part + END + rest.split(END)[1]


def draw(scenes: list[Scene], picture: Path) -> None:
    columns = -(-(len(scenes) + 1) // ROWS)
    figure, plots = pyplot.subplots(ROWS, columns, figsize=(2.9 * columns, 2.7 * ROWS), layout="constrained")
    panels = plots.ravel()
    for axes, scene in zip(panels, scenes, strict=False):
        draw_curve(axes, scene)
    panels[0].legend(frameon=False)
    draw_reliability(panels[len(scenes)], *together(scenes))
    for axes in panels[len(scenes) + 1 :]:
        axes.set_axis_off()
    figure.supylabel("BadPix 0.07 of the rest, %")
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, metadata={"Date": None})


def draw_curve(axes: Axes, scene: Scene) -> None:
    dropped = 100 * np.asarray(SHARES)
    axes.plot(dropped, scene.curve, color="#a8325e", label="by confidence")
    axes.plot(dropped, scene.best_curve, color="#8a8893", linestyle="--", label="by the true error")
    axes.set(title=scene.name, xlabel="dropped, %", ylim=(0, None), xlim=(0, 95))


def draw_reliability(axes: Axes, trusted: NDArray[Any], right: NDArray[Any]) -> None:
    mean, share, _ = bins(trusted, right)
    axes.plot([0, 1], [0, 1], color="#8a8893", linestyle="--")
    axes.plot(mean, share, "o-", color="#a8325e")
    axes.set(title="all: reliability", xlabel="confidence", ylabel="share within 0.07 px", xlim=(0, 1), ylim=(0, 1))


def main(results: Path, page: Path, picture: Path, *folders: Path) -> None:
    scenes = []
    for folder in folders:
        found = load_estimate(results / folder.name)
        maps = found.disparity, found.confidence, found.two_minima
        scenes.append(measured(folder.name, *maps, load_truth(folder)))
    page.write_text(renewed(page.read_text(encoding="utf-8"), tables(scenes)), encoding="utf-8")
    draw(scenes, picture)
    if failures := broken(scenes):
        sys.exit(f"confidence does not hold what {page} promises: {'; '.join(failures)}")


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:]))
