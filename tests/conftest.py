"""What several test files share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """Benchmark data beside the repository, or wherever IOADR_SHARED says."""
    path = Path(os.environ.get("IOADR_SHARED") or Path(__file__).parents[2] / "shared")
    if not (path / "data").is_dir():
        pytest.skip("benchmark data not found; set IOADR_SHARED to the folder that holds data/")
    return path
