"""The cluster and the command line of the unit tests."""

from tests.unit.app.batch.conftest import cluster
from tests.unit.app.conftest import cli

__all__ = ["cli", "cluster"]
