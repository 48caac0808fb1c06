"""Streams that are closed, full or no longer read change neither the result nor its exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="streams are redirected by a POSIX shell")
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


def shell(redirected: str) -> subprocess.CompletedProcess[str]:
    """`ioadr …` in a shell; {ioadr} is the command."""
    ioadr = f"'{sys.executable}' -m ioadr"
    command = ["bash", "-o", "pipefail", "-c", redirected.replace("{ioadr}", ioadr)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("closed", ["2>&-", ">&-", ">&- 2>&-"])
def test_a_closed_stream_is_no_error(closed):
    done = shell(f"{{ioadr}} presets {closed}")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_bad_input_is_bad_input_also_where_nobody_can_be_told():
    assert shell("{ioadr} info /nowhere 2>&-").returncode == 2


@FULL
def test_a_full_disk_behind_stdout_is_told():
    done = shell("{ioadr} presets >/dev/full")
    assert done.returncode == 2
    assert done.stderr == (
        "ioadr: standard output: could not be written: No space left on device. "
        "Files that the command wrote are complete.\n"
    )


@FULL
def test_remarks_that_cannot_be_written_are_left_out():
    assert shell("{ioadr} info /nowhere 2>/dev/full").returncode == 2


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_a_console_that_lacks_letters_shows_escapes(tmp_path, encoding):
    (tmp_path / "ħ.txt").write_text("no light field")
    done = shell(f"PYTHONUTF8=0 PYTHONIOENCODING={encoding}:strict {{ioadr}} info '{tmp_path}/ħ.txt'")
    assert done.returncode == 2
    assert r"\u0127.txt" in done.stderr


def test_a_reader_that_leaves_has_all_it_wanted():
    done = shell("{ioadr} presets best | true")
    assert (done.returncode, done.stderr) == (0, "")


def test_odd_numbers_are_told_in_our_words_only(tmp_path):
    """Not by what numpy says of them on the way."""
    views = np.random.default_rng(0).uniform(0.1, 1.0, (3, 3, 24, 24, 3)).astype(np.float32)
    views[0, 2, 5, 5] = np.inf
    np.save(tmp_path / "views.npy", views)
    done = shell(f"{{ioadr}} info '{tmp_path}/views.npy'")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "contains NaN or infinite samples" in done.stderr
