"""Every kernel with its plain twin: the one table that tests and micro-benchmarks are made from."""

from __future__ import annotations

from tests.reference.cost_rows import COST
from tests.reference.filter_rows import FILTERS
from tests.reference.finish_rows import FINISH
from tests.reference.geometry_rows import GEOMETRY
from tests.reference.region_rows import REGIONS
from tests.reference.rows import Row
from tests.reference.solver_rows import SOLVER
from tests.reference.view_rows import VIEWS

ROWS = (*GEOMETRY, *COST, *SOLVER, *FINISH, *FILTERS, *REGIONS, *VIEWS)
TWINS: dict[str, Row] = {row.name: row for row in ROWS}
assert len(TWINS) == len(ROWS), "two rows of one name: one of them would not be tested"
