"""The pictures of docs/confidence.md, from results that `ioadr estimate` wrote.

    python scripts/confidence_curve.py SCENES RESULTS docs/images/sparsification.svg

SCENES holds the benchmark's scene folders, RESULTS a folder of results for each of them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ioadr.evaluation.sparsification import SHARES, best_sparsification, sparsification
from ioadr.evaluation.truth import load_truth
from ioadr.io import load_estimate


def main(scenes: Path, results: Path, picture: Path) -> None:
    names = sorted(folder.name for folder in results.iterdir() if (folder / "estimate.npz").is_file())
    figure, plots = pyplot.subplots(
        1, len(names) + 1, figsize=(3.2 * len(names) + 3.2, 3), layout="constrained", squeeze=False
    )
    print("| scene | all pixels | 5 % dropped | 20 % dropped | at best |\n|---|---|---|---|---|")
    trusted, right = [], []
    for axes, name in zip(plots[0], names, strict=False):
        estimate, truth = load_estimate(results / name), load_truth(scenes / name)
        found = sparsification(estimate.disparity, estimate.confidence, truth)
        best = best_sparsification(estimate.disparity, truth)
        trusted.append(estimate.confidence[truth.area])
        right.append(np.abs(estimate.disparity - truth.disparity)[truth.area] <= 0.07)
        at = [SHARES.index(share) for share in (0, 0.05, 0.2)]
        print(f"| {name} | {' | '.join(f'{value:.2f} %' for value in found[at])} | {best[at[-1]]:.2f} % |")
        axes.plot(100 * np.asarray(SHARES), found, color="#a8325e", label="by confidence")
        axes.plot(100 * np.asarray(SHARES), best, color="#8a8893", linestyle="--", label="by the true error")
        axes.set(title=name, xlabel="dropped, %", ylim=(0, None), xlim=(0, 95))
    plots[0][0].set_ylabel("BadPix 0.07 of the rest, %")
    plots[0][-2].legend(frameon=False)
    reliability(plots[0][-1], np.concatenate(trusted), np.concatenate(right))
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, metadata={"Date": None})


def reliability(axes: Axes, trusted: NDArray[Any], right: NDArray[Any]) -> None:
    """Share of pixels within 0.07 px against their confidence, in ten bins of all scenes."""
    group = np.minimum((10 * trusted).astype(int), 9)
    count = np.maximum(np.bincount(group, minlength=10), 1)
    mean, share = (np.bincount(group, values, minlength=10) / count for values in (trusted, right))
    print(f"expected calibration error: {np.sum(count * np.abs(mean - share)) / len(group):.3f}")
    axes.plot([0, 1], [0, 1], color="#8a8893", linestyle="--")
    axes.plot(mean, share, "o-", color="#a8325e")
    axes.set(title="reliability", xlabel="confidence", ylabel="share within 0.07 px", xlim=(0, 1), ylim=(0, 1))


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:4]))
