"""Fixtures for all tests."""

from __future__ import annotations

import os
import signal
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


@pytest.fixture(scope="session")
def shared() -> Path:
    """The benchmark's data, which is no part of the repository: $IOADR_SHARED, or `shared` beside the checkout."""
    folder = Path(os.environ.get("IOADR_SHARED") or ROOT.parent / "shared")
    if not (folder / "data").is_dir():
        pytest.skip(f"no benchmark data in {folder}; name its folder in IOADR_SHARED")
    return folder


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
