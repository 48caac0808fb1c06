"""Files that a stranger put where a small one is expected: pipes, and texts whose reading would take hours."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ioadr import InputError
from ioadr.app.batch.storage import Store
from ioadr.evaluation.benchmark import RECORD, _earlier
from ioadr.evaluation.research import read_table
from ioadr.io import read
from ioadr.io.exporting import _earlier as exported
from ioadr.io.options import ReadOptions
from ioadr.io.poses.colmap_model import read_model
from ioadr.io.poses.opencv_storage import read_storage
from ioadr.io.poses.ply_points import read_points
from ioadr.io.readers.transforms import open_transforms
from ioadr.io.results.map_files import _provenance
from ioadr.io.results.save import _earlier_files
from ioadr.io.safety.atomic import MARKER
from ioadr.io.safety.leftovers import JOURNAL, PREFIX, recover

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="pipes and timers are POSIX'")
PATIENCE, WORK = 60.0, 4.0
"""Seconds that a test may wait, and those of CPU time that it may work."""


@pytest.fixture(autouse=True)
def _patience() -> Iterator[None]:
    """What waits for ever fails instead."""

    def give_up(*_: object) -> None:
        raise TimeoutError("it waits for ever")

    before = [signal.signal(number, give_up) for number in (signal.SIGALRM, signal.SIGPROF)]
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    signal.setitimer(signal.ITIMER_PROF, WORK)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.setitimer(signal.ITIMER_PROF, 0)
    for number, handler in zip((signal.SIGALRM, signal.SIGPROF), before, strict=True):
        signal.signal(number, handler)


def pipe(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    return path


@pytest.mark.parametrize(
    ("name", "reader", "expected"),
    [
        (MARKER, _earlier_files, []),
        (MARKER, exported, None),
        (MARKER, _provenance, {}),
        (RECORD, lambda folder: _earlier(folder, "key"), None),
        (MARKER, lambda folder: Store(str(folder)).read(MARKER), None),
    ],
)
def test_a_pipe_in_place_of_what_an_earlier_run_noted(tmp_path, name, reader, expected):
    pipe(tmp_path / name)
    assert reader(tmp_path) == expected


def test_a_pipe_in_place_of_a_journal_is_removed(tmp_path):
    pipe(tmp_path / f"{PREFIX}0123" / JOURNAL)
    recover(tmp_path, alone=True)
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_in_place_of_a_table_is_refused(tmp_path):
    with pytest.raises(InputError, match="not a file"):
        read_table(pipe(tmp_path / "table.csv"))


def test_a_pipe_in_place_of_a_chunk_is_refused(tmp_path):
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array(str(tmp_path / "a.zarr"), shape=(3, 3, 8, 9, 3), chunks=(3, 3, 8, 9, 3), dtype="uint8")
    array[:] = np.arange(3 * 3 * 8 * 9 * 3).reshape(3, 3, 8, 9, 3) % 251
    (chunk,) = (file for file in (tmp_path / "a.zarr").rglob("*") if file.is_file() and file.name != "zarr.json")
    chunk.unlink()
    pipe(chunk)
    with pytest.raises(InputError, match="not a regular file; reading it could wait forever"):
        read(tmp_path / "a.zarr")


def test_long_calibrations_take_time_in_proportion(tmp_path):
    """Each of these took hours: brackets counted again at every line, and all ways to divide a run of spaces."""
    file = tmp_path / "calibration.yml"
    file.write_text("K: [\n" + "1,\n" * 100_000 + "1]\n")
    assert len(read_storage(file)["K"]) == 100_001
    file.write_text("R: 1\nK" + " " * 100_000 + "!\n")
    with pytest.raises(InputError, match="cannot read"):
        read_storage(file)


def test_entries_of_a_calibration_may_be_quoted_and_spaced(tmp_path):
    file = tmp_path / "calibration.yml"
    file.write_text("a : 1\n\"b c\" : 2\n'd':\n  e: [1., .5,\n   -2.]\n")
    assert read_storage(file) == {"a": 1, "b c": 2, "d": {"e": [1.0, 0.5, -2.0]}}


def test_frames_share_what_stands_beside_them(tmp_path):
    """Copied for each frame, a million values for ten thousand frames would take an hour."""
    frames = [{"file_path": "a.png"}] * 1_999
    (tmp_path / "a.png").touch()
    beside = {f"x{n}": n for n in range(200_000)}
    pose: Any = np.eye(4).tolist()
    content = {**beside, "fl_x": 10, "w": 9, "h": 9, "transform_matrix": pose, "frames": [*frames, {"file_path": 1}]}
    (tmp_path / "transforms.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match='frame 1999 has no "file_path"'):
        open_transforms(tmp_path, ReadOptions())


def sparse(path: Path, head: bytes, length: int) -> Path:
    """A file of gigabytes that takes no place on the disk."""
    path.write_bytes(head)
    with path.open("r+b") as stream:
        stream.truncate(length)
    return path


def test_models_and_clouds_are_measured_before_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setenv("IOADR_MEMORY_LIMIT", "1G")
    head = b"ply\nformat binary_little_endian 1.0\nelement vertex 60000000\n"
    head += b"property float x\nproperty float y\nproperty float z\nend_header\n"
    with pytest.raises(InputError, match="the limit is 1 GB"):
        read_points(sparse(tmp_path / "cloud.ply", head, 800_000_000))
    for name in ("cameras", "images", "points3D"):
        sparse(tmp_path / f"{name}.bin", b"", 800_000_000)
    with pytest.raises(InputError, match="the limit is 1 GB"):
        read_model(tmp_path)
