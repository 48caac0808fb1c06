"""The paper's pictures, made again: its scenes (Fig. 4), and the effect of occlusion awareness on a detail (Fig. 5)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr.colours import Rgb, coloured, rgb8, shown_range
from ioadr.errors import InputError
from ioadr.evaluation.benchmark import Results
from ioadr.evaluation.truth import load_truth
from ioadr.io.reading import read

SIDE = 256
"""Width and height of each picture of a row, px."""
GAP = 6
DETAIL_SCENE = "sideboard"
DETAIL = (0.06, 0.44, 0.25)
"""Top, left and side of the detail, as shares of the image's side: lamps on cords in front of the wall."""
UNAWARE, AWARE = "paper/occlusion-unaware", "paper"


class Picture(NamedTuple):
    name: str
    caption: str
    png: bytes


def draw_pictures(results: Results) -> list[Picture]:
    """All pictures for which scenes and methods are available."""
    made = [_scenes(results), _detail(results)]
    return [picture for picture in made if picture is not None]


def _scenes(results: Results) -> Picture | None:
    """Fig. 4: centre views above their true disparities."""
    views, truths = [], []
    for folder in results.scenes:
        try:
            lightfield = read(folder, views="3x3", flip_rows=False, flip_columns=False)
        except InputError:  # a scene may consist of its truth alone
            return None
        true = load_truth(folder).disparity
        views.append(rgb8(lightfield.reference_view, lightfield.white))
        truths.append(coloured(true, *shown_range(true)))
    caption = f"Fig. 4: centre views and true disparities of {', '.join(results.scene_names)}."
    return Picture("figure_4.png", caption, _png([views, truths]))


def _detail(results: Results) -> Picture | None:
    """Fig. 5: disparity and |error| of a detail, without and with occlusion awareness."""
    wanted = [m for m in (UNAWARE, AWARE) if m in results.method_names]
    folder = next((scene for scene in results.scenes if scene.name == DETAIL_SCENE), None)
    if len(wanted) < 2 or folder is None or any(results.item(folder.name, m).failure for m in wanted):
        return None
    true = load_truth(folder).disparity
    part = _part(true.shape)
    maps = [results.disparity(folder.name, method)[part] for method in wanted]
    low, high = shown_range(true[part])
    errors = [np.abs(values - true[part]) for values in maps]
    largest = max(float(np.nanmax(error)) for error in errors)
    row = [_pair(values, error, (low, high), largest) for values, error in zip(maps, errors, strict=True)]
    caption = (
        f"Fig. 5: a detail of {folder.name}. Disparity and |error| with J_PD, then with J_oa; black is no error, "
        f"white {largest:.2f} px. Mean |error| {errors[0].mean():.3f} px and {errors[1].mean():.3f} px."
    )
    return Picture("figure_5.png", caption, _png([[picture for pair in row for picture in pair]]))


def _part(shape: Sequence[int]) -> tuple[slice, slice]:
    top, left, side = (int(share * min(shape)) for share in DETAIL)
    return slice(top, top + max(side, 1)), slice(left, left + max(side, 1))


def _pair(values: NDArray[Any], error: NDArray[Any], limits: tuple[float, float], largest: float) -> tuple[Rgb, Rgb]:
    grey = np.clip(np.nan_to_num(error, nan=largest) * (255.0 / (largest or 1.0)), 0, 255).astype(np.uint8)
    return coloured(values, *limits), np.repeat(grey[..., None], 3, axis=2)


def _png(rows: Sequence[Sequence[Rgb]]) -> bytes:
    """Rows of pictures, each scaled to `SIDE`, on white."""
    from PIL import Image

    widest = max(len(row) for row in rows)
    size = (widest * (SIDE + GAP) - GAP, len(rows) * (SIDE + GAP) - GAP)
    sheet = Image.new("RGB", size, "white")
    for j, row in enumerate(rows):
        for i, picture in enumerate(row):
            scaled = Image.fromarray(picture).resize((SIDE, SIDE), Image.Resampling.BOX)
            sheet.paste(scaled, (i * (SIDE + GAP), j * (SIDE + GAP)))
    content = io.BytesIO()
    sheet.save(content, "PNG", optimize=True)
    return content.getvalue()
