"""Which cases of a parametrised test run in `make test`; the others run in `make test-slow`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def some_quick(cases: Iterable[Any], quick: Iterable[Any]) -> list[Any]:
    """The cases; those that are not in `quick` are slow."""
    chosen = list(quick)
    return [case if case in chosen else pytest.param(*_values(case), marks=pytest.mark.slow) for case in cases]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
