"""Kernels do what their plain twins do."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from ioadr._cache_folder import PACKAGE, ROOMS
from tests.marks import some_quick
from tests.reference.rows import Row
from tests.reference.table import TWINS

SEEDS = range(3)


def compare(row: Row, seed: int) -> None:
    problem = row.problem(seed)
    prepared = row.prepare(problem)
    prepared.call()
    expected, decided = row.expected(problem)
    assert decided.mean() >= 1 - row.undecided
    found = np.where(decided, prepared.result, 0.0).astype(np.float64)
    expected = np.where(decided, expected, 0.0)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(found[~finite], expected[~finite])
    found, expected = found[finite], expected[finite]
    allowed = row.rtol * np.maximum(np.abs(expected), row.floor)
    np.testing.assert_array_less(np.abs(found - expected), allowed + np.finfo(np.float32).tiny)


@pytest.mark.parametrize("seed", some_quick(SEEDS, SEEDS[:1]))
@pytest.mark.parametrize("name", TWINS)
def test_agree(name, seed):
    compare(TWINS[name], seed)


def kernels() -> set[str]:
    """Every compiled function of the package, `room.module.function`."""
    found = set()
    for path in (path for room in ROOMS for path in (PACKAGE / room).glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                marks = {mark.id for mark in node.decorator_list if isinstance(mark, ast.Name)}
                found |= {f"{path.parent.name}.{path.stem}.{node.name}"} if marks & {"kernel", "task"} else set()
    return found


def test_every_kernel_has_a_twin():
    covered = set().union(*(row.kernels for row in TWINS.values()))
    assert kernels() - covered == set()
    assert covered - kernels() == set(), "the table names kernels that are gone"
