"""Fixtures for all tests."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import chromium
from tests.builders import write_hci_scene
from tests.remembered import views_judged_once

ROOT = Path(__file__).resolve().parent.parent


def pytest_configure() -> None:
    """A shell lets what it runs in the background ignore Ctrl-C, and so would the commands that are tested."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    keep_freed_memory()


def keep_freed_memory() -> None:
    """Let glibc keep some memory that arrays leave: the system would have to clear the pages of each new one."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        trim_threshold, mmap_threshold, most = -1, -3, 32 * 2**20
        mallopt(trim_threshold, 4 * most)
        mallopt(mmap_threshold, most)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Nothing becomes garbage while tests are collected; looking for it takes 2 s in each process.

    All that exists afterwards lives to the end and is not searched again.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The benchmark's data, which are not part of the repository: $IOADR_SHARED, or `shared` next to the checkout."""
    folder = Path(os.environ.get("IOADR_SHARED") or ROOT.parent / "shared")
    if not (folder / "data").is_dir():
        pytest.skip(f"no benchmark data in {folder}; name its folder in IOADR_SHARED")
    return folder


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """One thread for each process of parallel tests, unless a test asks for more: waiting threads only take turns."""
    with pytest.MonkeyPatch.context() as patch:
        if os.environ.get("PYTEST_XDIST_WORKER"):
            patch.setattr("ioadr._jit.cores", lambda: 1)
        yield


@pytest.fixture(scope="session", autouse=True)
def judged_once() -> Iterator[None]:
    with views_judged_once():
        yield


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One for a file: its driver keeps an event loop, which tests of the explorer must not find running."""
    with chromium() as opened:
        yield opened


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    return write_hci_scene(tmp_path / "waves")
