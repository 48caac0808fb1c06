"""`ioadr.read`: recognise, choose views, check sizes, decode, orient."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.capture import Capture, Window
from ioadr.io.limits import check_memory
from ioadr.io.options import ReadOptions
from ioadr.io.registry import find_format
from ioadr.lightfield import DisparityRange, LightField


def read(path: str | os.PathLike[str], options: ReadOptions | None = None, **changes: Any) -> LightField:
    """The light field at `path`, whatever its format; keywords are those of `ReadOptions`.

    `source` of the result says which format was recognised and what was decided on the way.
    """
    chosen = options if options is not None and not changes else ReadOptions.of(**changes)
    capture = open_capture(Path(path), chosen)
    return _light_field(capture, chosen)


def open_capture(path: Path, options: ReadOptions) -> Capture:
    """The views that `options` choose, not yet decoded."""
    found = find_format(path, options)
    try:
        capture = found.open(path, options)
    except OSError as error:
        raise InputError(f"{path}: expected to read it as {found.name}, found: {error}. Check it.") from error
    return capture


def load_views(capture: Capture, window: Window) -> NDArray[Any]:
    """[L, K, N, M, C] of the available views, zero elsewhere."""
    assert capture.available is not None
    _check_complete(capture)
    wanted = capture.index[capture.available]
    shape = (window.height, window.width, capture.channels)
    what = f"{len(wanted)} views of {window.width}×{window.height} px, {capture.channels} × {capture.dtype}"
    check_memory(capture.path, len(wanted) * int(np.prod(shape)) * capture.dtype.itemsize, what)
    loaded = capture.load([int(number) for number in wanted], window)
    if capture.available.all():
        return loaded.reshape(*capture.grid, *shape)
    views = np.zeros((*capture.grid, *shape), capture.dtype)
    views[capture.available] = loaded
    return views


def _light_field(capture: Capture, options: ReadOptions) -> LightField:
    views = load_views(capture, capture.window)
    return LightField(
        views=views,
        camera=capture.camera,
        reference=options.reference,
        eta=options.eta or (1.0, 1.0),
        range=DisparityRange(*options.range, "user") if options.range else capture.range,
        positions=capture.positions,
        present=capture.available,
        white=options.white or capture.white,
        name=capture.path.resolve().name,
        source={"format": capture.format, "path": str(capture.path), "notes": list(capture.notes)},
    )


def _check_complete(capture: Capture) -> None:
    """The message of a missing view names the file and the largest complete centred grid."""
    assert capture.available is not None
    holes = np.argwhere(~capture.available)
    if not capture.complete or len(holes) == 0:
        return
    rows, columns = capture.grid
    names = ", ".join(capture.name_at(row, column) for row, column in holes[:5]) + (" …" if len(holes) > 5 else "")
    what = "Restore it" if len(holes) == 1 else "Restore them"
    raise InputError(
        f"{capture.path}/: expected {rows * columns} views ({rows}×{columns}), "
        f"found {rows * columns - len(holes)}; missing {names}. {what}"
        f"{_complete_centre(capture.available)}, or go on without with --skip missing."
    )


def _complete_centre(available: NDArray[np.bool_]) -> str:
    rows, columns = available.shape
    for border in range(1, (min(rows, columns) - 3) // 2 + 1):
        if available[border : rows - border, border : columns - border].all():
            size = f"{rows - 2 * border}x{columns - 2 * border}"
            return f", use the complete centred grid with --views {size}"
    return ""
