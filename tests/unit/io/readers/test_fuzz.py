"""Broken files are refused: no crash, no hang, no other exception, no memory beyond the limit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import zarr

from tests.marks import some_quick

ROOT = Path(__file__).resolve().parents[4]
ALLOWED = 200_000_000
"""Bytes over start-up that a hostile file may cost."""

MEASURE = """
import sys
from ioadr import IoadrError, read
from tests.doors.measure import peak
import h5py, imagecodecs, PIL.Image, scipy.io, zarr
before = peak()
try:
    read(sys.argv[1], **({"quilt": "3x3"} if sys.argv[1].endswith(".png") else {}))
    print("read")
except IoadrError as error:
    print(peak() - before)
"""


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=120)


def test_random_damage(tmp_path):
    """The first of two of which one continues for longer: `make fuzz`."""
    done = python("-m", "tests.fuzz_readers", "--inputs", "60", "--seed", "7", "--keep", str(tmp_path))
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert told["findings"] == 0
    assert told["refused"] > 45
    assert told["growth"] < ALLOWED


def png(folder: Path) -> Path:
    from tests.unit.io.readers.test_bad_input import png_of_size

    png_of_size(folder / "hostile.png", 13_000, 13_000, padding=600_000)
    return folder / "hostile.png"


def npz(folder: Path) -> Path:
    np.savez_compressed(folder / "hostile.npz", views=np.zeros((3, 3, 2400, 2400, 3), np.uint8))
    return folder / "hostile.npz"


def hdf5(folder: Path) -> Path:
    with h5py.File(folder / "hostile.h5", "w") as file:
        file.create_dataset("LF", shape=(9, 9, 9000, 9000, 3), dtype="u1", chunks=(1, 1, 9000, 9000, 3))
    return folder / "hostile.h5"


def zarr_array(folder: Path) -> Path:
    shape = (9, 9, 9000, 9000, 3)
    zarr.create_array(str(folder / "hostile.zarr"), shape=shape, chunks=(9, 9, 9000, 9000, 3), dtype="u1")
    return folder / "hostile.zarr"


def settings(folder: Path) -> Path:
    from tests.builders import write_hci_scene

    return write_hci_scene(folder / "scene", num_cams_x="1000000", num_cams_y="1000000")


@pytest.mark.parametrize("make", some_quick([png, npz, hdf5, zarr_array, settings], [png, zarr_array]))
def test_a_hostile_file_costs_little_memory(make, tmp_path):
    done = python("-c", MEASURE, str(make(tmp_path)))
    assert done.stdout.strip().isdigit(), done.stdout + done.stderr
    assert int(done.stdout) < ALLOWED
