"""Fixtures for all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The benchmark's data, which is no part of the repository: $IOADR_SHARED, or `shared` beside the checkout."""
    folder = Path(os.environ.get("IOADR_SHARED") or ROOT.parent / "shared")
    if not (folder / "data").is_dir():
        pytest.skip(f"no benchmark data in {folder}; name its folder in IOADR_SHARED")
    return folder
