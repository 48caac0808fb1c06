"""A synthetic scene as a benchmark folder: views, camera, truth and masks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from ioadr.evaluation.synthetic.rendering import Rendered
from ioadr.io.lightfield_files import write_lightfield
from ioadr.io.results.pfm import write_pfm


def write_scene(rendered: Rendered, folder: str | Path) -> Path:
    """Write `folder`, which must be new, so that `ioadr.read` and `load_truth` read it back."""
    path = write_lightfield(rendered.lightfield, folder)
    write_pfm(path / "gt_disp_lowres.pfm", rendered.truth.disparity)
    for name, mask in rendered.truth.masks.items():
        Image.fromarray(np.where(mask, np.uint8(255), np.uint8(0))).save(path / f"mask_{name}_lowres.png")
    return path
