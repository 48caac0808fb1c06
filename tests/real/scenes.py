"""Parts of the benchmark's scenes with their truth, small enough for quick tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import ioadr
from ioadr import LightField
from ioadr.evaluation.truth import Truth, load_truth


def scene_part(folder: Path, crop: tuple[int, int, int, int], **reading: Any) -> tuple[LightField, Truth]:
    """The light field and truth of top, left, height, width px of a scene."""
    top, left, height, width = crop
    truth = load_truth(folder)
    rows, columns = slice(top, top + height), slice(left, left + width)
    masks = {name: mask[rows, columns] for name, mask in truth.masks.items()}
    camera = replace(truth.camera, origin=(float(top), float(left))) if truth.camera else None
    part = Truth(truth.disparity[rows, columns], camera, masks, truth.name, truth.range)
    return ioadr.read(folder, crop=crop, **reading), part
