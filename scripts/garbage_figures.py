"""The figures of docs/garbage.md: what a map looks like when its light field was read wrongly.

python scripts/garbage_figures.py [docs/images]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import pyplot
from numpy.typing import NDArray
from PIL import Image

import ioadr
from ioadr.app.doctor import contact_sheet
from ioadr.evaluation.synthetic import demo

matplotlib.use("agg")
TARGET = Path(__file__).resolve().parents[1] / "docs" / "images"
Views = NDArray[Any]


def main(folder: Path = TARGET) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    views = demo(grid=(5, 5), size=(96, 128)).lightfield.views
    garbage(views, folder / "garbage_maps.png")
    odd = views.copy()
    odd[0, 4] = odd[0, 4][::-1, ::-1]
    sheet = contact_sheet(ioadr.diagnose(ioadr.LightField(odd)))
    small = sheet.resize((480, round(480 * sheet.height / sheet.width)), Image.Resampling.LANCZOS)
    _saved(small, folder / "garbage_sheet.png")


def garbage(views: Views, path: Path) -> None:
    """Maps of the same views in right and wrong arrangements, all in the colours of the right range."""
    dimmed = views.copy()
    dimmed[:, ::2] = (dimmed[:, ::2] * 0.6).astype(views.dtype)
    dark = (views * _vignette(views.shape[2:4])).astype(views.dtype)
    cases: dict[str, tuple[Views, tuple[float, float] | None]] = {
        "right": (views, None),
        "transposed": (views.swapaxes(0, 1), None),
        "rows reversed": (views[::-1], None),
        "both reversed: near is far": (views[::-1, ::-1], None),
        "range too narrow: 0 … 2": (views, (0.0, 2.0)),
        "exposures differ": (dimmed, None),
        "dark rims": (dark, None),
    }
    figure, places = pyplot.subplots(2, 4, figsize=(9, 4), layout="constrained")
    for place in places.flat:
        place.axis("off")
    places.flat[0].imshow(views[2, 2])
    places.flat[0].set_title("the view", fontsize=9)
    for place, (name, (stored, limits)) in zip(places.flat[1:], cases.items(), strict=True):
        found = _estimated(stored, limits)
        place.imshow(found.disparity, vmin=-1.8, vmax=1.9, cmap="viridis")
        place.set_title(f"{name}\nmean confidence {float(np.mean(found.confidence)):.2f}", fontsize=9)
    figure.savefig(path, dpi=100, metadata={"Software": None})
    pyplot.close(figure)
    _saved(Image.open(path).convert("RGB"), path)


def _estimated(views: Views, limits: tuple[float, float] | None) -> ioadr.Estimate:
    chosen = ioadr.DisparityRange(*(limits or (-1.8, 1.9)))
    return ioadr.estimate(ioadr.LightField(np.ascontiguousarray(views), range=chosen), ioadr.preset("fast"))


def _vignette(size: tuple[int, ...]) -> NDArray[np.float64]:
    """[N, M, 1]: a rim of a sixth of the picture falls to black."""
    distance = [np.minimum(np.arange(length), np.arange(length)[::-1]) / (length / 6) for length in size]
    rim: NDArray[np.float64] = np.clip(np.minimum.outer(*distance), 0.0, 1.0)
    return rim[..., None]


def _saved(picture: Image.Image, path: Path) -> None:
    """255 colours: small, and no difference to see."""
    picture.quantize(255, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
