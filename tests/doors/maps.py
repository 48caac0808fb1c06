"""Maps, truth, masks and results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ioadr.io.results.map_files import write_map
from ioadr.io.results.maps import Label
from ioadr.io.results.pfm import encode_pfm
from tests.builders import make_views, write_hci_scene
from tests.doors import files
from tests.doors.cases import Arguments, Case
from tests.doors.readers import BOMB, DECLARED, NAN, PICKLE
from tests.scenes import make_estimate

SIZE = (40, 48)
RAMP = np.linspace(-0.5, 0.5, SIZE[0] * SIZE[1], dtype=np.float32).reshape(SIZE)
LABEL = Label("disparity", "px", "{}")
TEXTS: dict[str, Any] = {"scale": "1", "offset": "0"}
SPARSE = "sparse file of 32 GB"

Write = Callable[[Path], object]
"""Makes or damages a file."""


def cases() -> Iterator[Case]:
    for door, name in MAPS.items():
        yield Case(door, "missing", partial(_scored, name=name, write=lambda path: None))
        for kind, write in DAMAGES.items():
            yield Case(door, kind, partial(_damaged_map, name=name, damage=write))
        yield Case(door, NAN, partial(_scored, name=name, write=_with_nan))
    for door, kind, write in SPECIAL:
        yield Case(door, kind, partial(_scored, name=MAPS[door], write=write))
    for kind, write in TRUTHS.items():
        yield Case("truth", kind, partial(_truth, name="gt_disp_lowres.pfm", write=write))
    for kind, write in MASKS.items():
        yield Case("mask", kind, partial(_truth, name="mask_fine_lowres.png", write=write))
    yield Case("truth", f"{files.PIPE}, for parameters.cfg", partial(_truth, name="parameters.cfg", write=files.pipe))
    for kind, write in RESULTS.items():
        yield Case("result folder", kind, partial(_result, damage=write))


def scene(folder: Path) -> Path:
    """With truth."""
    made = write_hci_scene(folder / "scene", make_views(size=SIZE))
    (made / "gt_disp_lowres.pfm").write_bytes(encode_pfm(RAMP))
    return made


def _scored(folder: Path, name: str, write: Write) -> Arguments:
    scene(folder)
    write(folder / name)
    return ["evaluate", name, "--truth", "scene"]


def _damaged_map(folder: Path, name: str, damage: Write) -> Arguments:
    write_map(folder / name, RAMP, LABEL)
    return _scored(folder, name, damage)


def _with_nan(path: Path) -> None:
    values = RAMP.copy()
    values[20, 20:23] = np.nan
    write_map(path, values, LABEL)


def _truth(folder: Path, name: str, write: Write) -> Arguments:
    arguments = _scored(folder, "map.pfm", lambda path: write_map(path, RAMP, LABEL))
    files.bomb_png(folder / "scene/mask_fine_lowres.png", SIZE[1], SIZE[0])
    write(folder / "scene" / name)
    return arguments


def _result(folder: Path, damage: Write) -> Arguments:
    make_estimate(RAMP).save(folder / "result", formats=["npz"])
    damage(folder / "result/estimate.npz")
    return ["report", "result"]


def _bytes(content: bytes) -> Write:
    return lambda path: path.write_bytes(content)


def _archive(content: bytes) -> Write:
    return lambda path: files.packed_zeros(path, {"disparity.npy": (content, 0)})


def _zeros(path: Path) -> None:
    """An archive of 144 MB of zeros."""
    files.packed_zeros(path, {"disparity.npy": (files.npy_header((6000, 6000), "<f4"), 4 * 6000**2)})


def _many(path: Path) -> None:
    files.packed_zeros(path, {f"a{number}.npy": (files.npy_header((1, 1)), 1) for number in range(2000)})


def _sparse(path: Path) -> None:
    start = b"Pf\n90000 90000\n-1\n" if path.suffix == ".pfm" else files.npy_header((90000, 90000), "<f4")
    files.sparse(path, start, len(start) + 4 * 90000**2)


def _provenance(**changes: Any) -> Write:
    def damage(path: Path) -> None:
        with np.load(path) as stored:
            arrays = {name: stored[name] for name in stored.files}
        told = json.loads(str(arrays["provenance"])) | changes
        np.savez(path, **{**arrays, "provenance": np.array(json.dumps(told))})

    return damage


MAPS = {
    "PFM map": "map.pfm",
    "NumPy map": "map.npy",
    "NumPy map archive": "map.npz",
    "PNG map": "map.png",
    "TIFF map": "map.tif",
}
DAMAGES: dict[str, Write] = {
    kind: lambda path, change=change: path.write_bytes(change(path.read_bytes()))  # type: ignore[misc]
    for kind, change in files.DAMAGES.items()
}
DAMAGES[files.PIPE] = files.pipe
SPECIAL: tuple[tuple[str, str, Write], ...] = (
    ("PFM map", DECLARED, _bytes(b"Pf\n90000 90000\n-1\n" + bytes(100))),
    ("PFM map", SPARSE, _sparse),
    ("NumPy map", DECLARED, _bytes(files.npy_header((90000, 90000), "<f4"))),
    ("NumPy map", SPARSE, _sparse),
    ("NumPy map", PICKLE, _bytes(files.pickled())),
    ("NumPy map", "light field instead", lambda path: np.save(path, make_views())),
    ("NumPy map archive", DECLARED, _archive(files.npy_header((90000, 90000), "<f4"))),
    ("NumPy map archive", BOMB, _zeros),
    ("NumPy map archive", "too many arrays", _many),
    ("NumPy map archive", PICKLE, _archive(files.pickled())),
    ("PNG map", DECLARED, lambda path: files.bomb_png(path, 30_000, 30_000, 16, 10, **TEXTS)),
    ("PNG map", BOMB, lambda path: files.bomb_png(path, 8_000, 8_000, 16, **TEXTS)),
    ("PNG map", "a picture instead of a map", lambda path: files.bomb_png(path, 48, 40)),
    ("TIFF map", DECLARED, lambda path: files.tiff(path, 30_000, 30_000)),
)
TRUTHS: dict[str, Write] = {
    "missing": lambda path: path.unlink(),
    **DAMAGES,
    DECLARED: _bytes(b"Pf\n90000 90000\n-1\n" + bytes(100)),
    "another size": _bytes(encode_pfm(RAMP[:36])),
}
MASKS: dict[str, Write] = {
    **DAMAGES,
    DECLARED: lambda path: files.bomb_png(path, 30_000, 30_000, rows=10),
    BOMB: lambda path: files.bomb_png(path, 10_500, 10_500),
    "another size": lambda path: files.bomb_png(path, 48, 36),
}
RESULTS: dict[str, Write] = {
    "missing": lambda path: path.unlink(),
    **DAMAGES,
    DECLARED: _archive(files.npy_header((90000, 90000), "<f4")),
    BOMB: _zeros,
    PICKLE: _archive(files.pickled()),
    "written by another program": lambda path: np.savez(path, x=RAMP),
    "wrong type": _provenance(history=3),
    NAN: _provenance(range={"minimum": float("nan"), "maximum": 1.0}),
}
