"""Fewer views for steps that only rank hypotheses: starts, regions, rivals (decision 7)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.cost.rivals import costs_at
from ioadr.cost.total import Model
from ioadr.geometry.ppp import Rays
from ioadr.solver.problem import data_weights, fewer_rays, snapshot_occluders
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import SweepPlan

FloatMap = NDArray[np.float32]
Mask = NDArray[np.bool_]
ENOUGH_VIEWS = 49
"""Largest number of views that take part; of more, every second or third in each direction does."""


def few_rays(refinement: Refinement) -> Rays:
    """Evenly spread views of the refinement, enough to rank hypotheses."""
    return fewer_rays(refinement.lightfield, refinement.rays, refinement.parameters.data.view_step, ENOUGH_VIEWS)


def seen_by(few: Rays, model: Model, refinement: Refinement) -> Model:
    """The same model for fewer views; their occluders stay those of all."""
    return model._replace(rays=few, data=data_weights(few, refinement.parameters.data))


def map_costs(refinement: Refinement, closing: SweepPlan, few: Rays, disparity: FloatMap, wanted: Mask) -> FloatMap:
    """Data term of a map [N, M] from a few views, with the occlusions of that map, where requested."""
    term, positions = refinement.parameters.data, refinement.positions
    occluders = snapshot_occluders(disparity, positions, refinement.limits, term, refinement.workers)
    step = replace(closing, congruence_weight=0.0, planar_weight=0.0, plane_fits=0)
    model = seen_by(few, refinement.model(step, occluders=occluders, rays=few), refinement)
    return costs_of(model, disparity, wanted, refinement.workers)


def costs_of(model: Model, disparity: FloatMap, wanted: Mask, workers: Workers) -> FloatMap:
    """Data term of a map [N, M] where requested, NaN elsewhere."""
    rows, columns = (np.ascontiguousarray(index) for index in np.nonzero(wanted))  # or the kernel is compiled twice
    answer = np.empty(len(rows), np.float32)
    workers.rows(costs_at, len(rows), model, rows, columns, disparity[wanted], answer)
    costs = np.full_like(disparity, np.nan)
    costs[wanted] = answer
    return costs
