"""Rows of the table: filters of whole maps."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.solver.map_filters import blur, count_torn, rank_middle
from tests.reference import map_filters
from tests.reference.rows import Prepared, Row
from tests.reference.scenes import Problem

TAPS = np.array([0.1, 0.2, 0.4, 0.2, 0.1], np.float32)
GAP, LIMIT = 3, 0.2


def prepare_blur(problem: Problem) -> Prepared:
    out = np.empty_like(problem.disparity)
    return Prepared(partial(blur, problem.disparity, TAPS, out), out, out.size)


def twin_blur(problem: Problem, slack: float) -> NDArray[Any]:
    return map_filters.blurred(problem.disparity.astype(np.float64), TAPS.astype(np.float64))


def prepare_ranks(problem: Problem) -> Prepared:
    out = np.empty_like(problem.disparity)
    return Prepared(partial(rank_middle, np.pad(problem.disparity, 2, mode="edge"), out), out, out.size)


def twin_ranks(problem: Problem, slack: float) -> NDArray[Any]:
    return map_filters.medians(np.pad(problem.disparity.astype(np.float64), 2, mode="edge"))


def prepare_torn(problem: Problem) -> Prepared:
    out = np.empty_like(problem.disparity)
    padded = np.pad(problem.disparity, 2 * GAP, mode="edge")
    return Prepared(partial(count_torn, padded, GAP, np.float32(LIMIT), out), out, out.size)


def twin_torn(problem: Problem, slack: float) -> NDArray[Any]:
    return map_filters.torn(np.pad(problem.disparity.astype(np.float64), 2 * GAP, mode="edge"), GAP, LIMIT + slack)


SMALL = {"size": (9, 21), "grid": (3, 3), "exact": False}
FILTERS = (
    Row("blurred map", "solver.map_filters: blur", prepare_blur, twin_blur, SMALL, rtol=1e-6, floor=1.0,
        why="sums of float32 products of both signs"),
    Row("medians of a map", "solver.map_filters: rank_middle", prepare_ranks, twin_ranks, SMALL),
    Row("torn map", "solver.map_filters: count_torn middle_of_four", prepare_torn, twin_torn, SMALL, slack=1e-5),
)  # fmt: skip
