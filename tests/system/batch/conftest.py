"""The cluster of the unit tests."""

from tests.unit.app.batch.conftest import cluster, scenes

__all__ = ["cluster", "scenes"]
