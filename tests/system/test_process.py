"""The installed command as a process: the real estimation, its end, and its interruption."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ioadr.io.results.pfm import read_pfm
from tests.builders import make_views, write_hci_scene

PATIENCE = 180
"""Seconds; the first run ever compiles the kernels."""


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "ioadr", *(str(argument) for argument in arguments)]


def ioadr(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    return write_hci_scene(tmp_path / "waves", make_views(size=(40, 48), disparity=0.7))


def test_from_files_to_files(scene, tmp_path):
    outs = {threads: tmp_path / f"out{threads}" for threads in (1, 2)}
    for threads, out in outs.items():
        done = ioadr("estimate", scene, "--out", out, "--threads", threads, "--no-report", "--set", "search.sweeps=4")
        assert done.returncode == 0, done.stderr
        assert f"{out / 'disparity.pfm'}" in done.stdout
        assert done.stderr.startswith("waves (hci): 3×3 views of 48×40 px\n")
    first, second = ((out / "disparity.pfm").read_bytes() for out in outs.values())
    assert first == second
    assert first.startswith(b"Pf\n48 40\n-1")
    disparity = read_pfm(outs[1] / "disparity.pfm")[8:-8, 8:-8]
    assert np.median(np.abs(disparity - 0.7)) < 0.05


def test_an_error_is_one_paragraph(scene, tmp_path):
    (scene / "input_Cam004.png").unlink()
    done = ioadr("estimate", scene, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr.startswith("ioadr: ")
    assert done.stderr.count("\n") == 1
    assert "input_Cam004.png" in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name == "nt", reason="signals are sent in the POSIX way")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_in_the_middle(scene, tmp_path, number, code):
    long = command("estimate", scene, "--out", tmp_path / "out", "--verbose", "--set", "search.sweeps=1000")
    with subprocess.Popen(long, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("step 2/"):
                process.send_signal(number)
                break
        try:
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == code
    assert "Traceback" not in err
    assert "interrupted" in err
    assert out == ""
    assert [file.name for file in tmp_path.iterdir()] == ["waves"], "nothing is left half-written"


@pytest.mark.skipif(shutil.which("ioadr", path=str(Path(sys.executable).parent)) is None, reason="not installed")
def test_the_installed_command_is_this_package():
    script = Path(sys.executable).parent / "ioadr"
    found = subprocess.run([script, "--version"], capture_output=True, text=True, timeout=60, check=True)
    assert found.stdout == ioadr("--version").stdout
