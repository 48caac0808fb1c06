"""Submissions: what the benchmark accepts, and every fault named in one run."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ioadr.errors import InputError
from ioadr.evaluation.submission import SCENES, check_submission, parse_runtime, read_runtime, write_submission
from ioadr.io.results.map_files import StoredMap
from ioadr.io.results.pfm import decode_pfm, encode_pfm

FLAT = np.zeros((512, 512), np.float32)


def members(**changes: bytes | None) -> dict[str, bytes]:
    """A valid zip's content; keywords `disp_maps__boxes` replace or, with None, leave out."""
    content = {f"disp_maps/{scene}.pfm": encode_pfm(FLAT) for scene in SCENES}
    content |= {f"runtimes/{scene}.txt": b"12.5\n" for scene in SCENES}
    for name, value in changes.items():
        folder, scene = name.split("__")
        path = f"{folder}/{scene}.{'pfm' if folder == 'disp_maps' else 'txt'}"
        content.pop(path) if value is None else content.update({path: value})
    return content


def zipped(path: Path, content: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in content.items():
            archive.writestr(name, value)
    return path


def test_there_are_twelve_scenes() -> None:
    assert len(SCENES) == len(set(SCENES)) == 12


def test_a_complete_zip_has_no_problems(tmp_path: Path) -> None:
    assert check_submission(zipped(tmp_path / "good.zip", members())) == []


def test_what_we_write_is_valid_and_reads_back(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(512, 512)).astype(np.float32)
    maps = {scene: StoredMap(values, 3.25) for scene in SCENES}
    assert write_submission(tmp_path / "a.zip", maps) == []
    write_submission(tmp_path / "b.zip", maps)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        np.testing.assert_array_equal(decode_pfm(archive.read("disp_maps/herbs.pfm")), values)
        assert archive.read("runtimes/herbs.txt") == b"3.250\n"


def test_every_fault_is_named_in_one_run(tmp_path: Path) -> None:
    content = members(
        disp_maps__boxes=None,
        disp_maps__dino=encode_pfm(np.zeros((500, 512))),
        runtimes__dots=b"fast\n",
        disp_maps__herbs=None,
        disp_maps__stripes=b"P5\n512 512\n255\n",
        runtimes__bedroom=b"-1",
        runtimes__bicycle=b"",
    )
    content["mine/disp_maps/herbs.pfm"] = encode_pfm(FLAT)
    content["readme.txt"] = b"hello"
    holes = FLAT.copy()
    holes[3, 3:5] = np.nan
    content["disp_maps/cotton.pfm"] = encode_pfm(holes)
    problems = check_submission(zipped(tmp_path / "bad.zip", content))
    expected = [
        "disp_maps/boxes.pfm: this file is missing",
        "disp_maps/dino.pfm: expected 512×512 px, found 512×500",
        "runtimes/dots.txt: expected the seconds as a number in the first line, found 'fast'",
        "mine/disp_maps/herbs.pfm: disp_maps/herbs.pfm belongs at the root of the zip, not in a folder",
        "disp_maps/herbs.pfm: this file is missing",
        "disp_maps/stripes.pfm: not a PFM file",
        "runtimes/bedroom.txt: expected the seconds",
        "runtimes/bicycle.txt: expected the seconds",
        "readme.txt: only disp_maps/<scene>.pfm",
        "disp_maps/cotton.pfm: 2 px are NaN",
    ]
    for message in expected:
        assert sum(problem.startswith(message) for problem in problems) == 1, message
    assert len(problems) == len(expected)


def test_a_wholly_nested_zip_says_where_things_belong(tmp_path: Path) -> None:
    problems = check_submission(zipped(tmp_path / "bad.zip", {f"ioadr/{k}": v for k, v in members().items()}))
    assert "disp_maps/: this folder is missing at the root of the zip" in problems
    assert "runtimes/: this folder is missing at the root of the zip" in problems
    assert sum("not in a folder" in problem for problem in problems) == 24


def test_missing_scenes_are_told_when_writing(tmp_path: Path) -> None:
    problems = write_submission(tmp_path / "part.zip", {"boxes": StoredMap(FLAT, None)})
    assert "runtimes/boxes.txt: this file is missing" in problems
    assert "disp_maps/cotton.pfm: this file is missing" in problems
    assert not any(problem.startswith("disp_maps/boxes") for problem in problems)


def test_no_zip_is_named(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("no zip")
    for name in ("text.zip", "nothing.zip"):
        with pytest.raises(InputError, match=name):
            check_submission(tmp_path / name)


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    """A runtime of a gigabyte of zeros is refused after its first kilobytes."""
    path = tmp_path / "bomb.zip"
    content = members(runtimes__boxes=bytes(1 << 26))
    problems = check_submission(zipped(path, content))
    assert problems == ["runtimes/boxes.txt: larger than 1024 bytes"]


@settings(deadline=None, max_examples=40)
@given(st.floats(0, 1e9))
def test_runtimes_read_back(seconds: float) -> None:
    assert parse_runtime(f"{seconds!r}\nsecond line".encode(), "t") == seconds


def test_a_missing_runtime_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"boxes\.txt"):
        read_runtime(tmp_path / "boxes.txt")
