"""Fingerprints follow names and contents, nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ioadr.errors import InputError
from ioadr.io.safety.fingerprint import digest_files, digest_path, digest_values


def test_content_and_names_count_times_do_not(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").write_text("one")
    first = digest_path(tmp_path / "a")
    os.utime(tmp_path / "a" / "x.txt", (0, 0))
    assert digest_path(tmp_path / "a") == first == digest_path(tmp_path / "b")
    (tmp_path / "b" / "x.txt").write_text("two")
    assert digest_path(tmp_path / "b") != first
    (tmp_path / "a" / "x.txt").rename(tmp_path / "a" / "y.txt")
    assert digest_path(tmp_path / "a") != first


def test_bytes_cannot_move_from_one_file_to_the_next(tmp_path: Path) -> None:
    def two(first: bytes, second: bytes) -> str:
        (tmp_path / "1").write_bytes(first)
        (tmp_path / "2").write_bytes(second)
        return digest_path(tmp_path)

    assert two(b"ab", b"c") != two(b"a", b"bc")


def test_folders_below_count(tmp_path: Path) -> None:
    before = digest_path(tmp_path)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_text("x")
    assert digest_path(tmp_path) != before


def test_values_are_told_apart_and_order_of_keys_is_not() -> None:
    assert digest_values({"a": 1, "b": 2.0}) == digest_values({"b": 2.0, "a": 1})
    assert digest_values("a", "b") != digest_values("ab")


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        digest_files([tmp_path / "gone"], tmp_path)
