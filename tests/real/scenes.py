"""Parts of the benchmark's scenes with their truth, small enough for quick tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ioadr
from ioadr import LightField, Window
from ioadr.evaluation.truth import Truth, load_truth


def scene_part(folder: Path, crop: tuple[int, int, int, int], **reading: Any) -> tuple[LightField, Truth]:
    """The light field and truth of top, left, height, width px of a scene."""
    top, left, height, width = crop
    part = load_truth(folder).crop(Window(top, left, top + height, left + width))
    return ioadr.read(folder, crop=crop, **reading), part
