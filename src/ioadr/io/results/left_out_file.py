"""File of the check with views left out, in the folder of the result."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ioadr.errors import InputError
from ioadr.io.results.save import plain
from ioadr.io.results.typed import checked
from ioadr.io.safety.atomic import atomic_file
from ioadr.io.safety.doors import damage_explained, one_line, small_text
from ioadr.views.leave_out import METHODS

if TYPE_CHECKING:
    from ioadr.layout import Layout
    from ioadr.views.leave_out import LeftOut

NAME = "leave_out.json"
ADVICE = "Check again with ⟦leave-out N⟧, or delete the file."


def left_out_facts(left_out: LeftOut) -> dict[str, Any]:
    """Content of the file."""
    rows = [
        {
            "view": view,
            **{name: {"psnr": left_out.psnr[name][k], "ssim": left_out.ssim[name][k]} for name in left_out.psnr},
        }
        for k, view in enumerate(left_out.index.tolist())
    ]
    means = {name: {"psnr": psnr, "ssim": ssim} for name, (psnr, ssim) in left_out.means().items()}
    kept = len(left_out.views.index)
    return {"kept": kept, "left_out": len(rows), "means": plain(means), "by_view": plain(rows)}


def write_left_out(folder: str | os.PathLike[str], left_out: LeftOut) -> Path:
    """Write the file into the folder of a result."""
    path = Path(folder) / NAME
    with atomic_file(path) as temporary:
        temporary.write_text(json.dumps(left_out_facts(left_out), indent=1) + "\n", encoding="utf-8")
    return path


def load_left_out(folder: str | os.PathLike[str], layout: Layout) -> dict[str, Any] | None:
    """The stored check of a light field of this layout, validated; None if there is none."""
    path = Path(folder) / NAME
    if not path.exists():
        return None
    text = small_text(path, "a check of views left out", ADVICE)
    with damage_explained(path, "a check of views left out", ADVICE):
        try:
            return _checked(json.loads(text), layout)
        except (InputError, KeyError, TypeError) as error:
            raise InputError(f"{path}: not what `ioadr check` writes: {one_line(error)}. {ADVICE}") from error


def _checked(content: Any, layout: Layout) -> dict[str, Any]:
    rows = [_row(row, layout) for row in checked(content["by_view"], tuple[Mapping[str, Any], ...], "by_view")]
    if not rows:
        raise InputError("no views")
    means = {name: _scores(content["means"][name], f"means.{name}") for name in METHODS}
    return {"kept": checked(content["kept"], int, "kept"), "left_out": len(rows), "means": means, "by_view": rows}


def _row(row: Mapping[str, Any], layout: Layout) -> dict[str, Any]:
    place = checked(row["view"], tuple[int, int], "view")
    if not all(0 <= index < length for index, length in zip(place, layout.grid, strict=True)):
        raise InputError(f"view {place[0]} {place[1]}, outside a grid of {layout.grid[0]}×{layout.grid[1]}")
    return {"view": place, **{name: _scores(row[name], f"view {place}") for name in METHODS}}


def _scores(values: Mapping[str, Any], where: str) -> dict[str, float]:
    """PSNR as a JSON value: for equal pictures it is infinite, which JSON has no number for."""
    psnr = np.inf if values["psnr"] == "inf" else checked(values["psnr"], float, where)
    return {"psnr": psnr, "ssim": checked(values["ssim"], float, where)}
