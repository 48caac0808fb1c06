"""Weights and candidates of each sweep (§ VI-C, Eq. 38, and the schedules behind the published tables)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ioadr.lightfield import DisparityRange
from ioadr.parameters import Parameters
from ioadr.solver.candidates import Heuristics


@dataclass(frozen=True)
class SweepPlan:
    """All settings of one sweep."""

    index: int
    forward: bool
    temperature: float
    congruence_weight: float
    planar_weight: float
    plane_fits: int
    heuristics: Heuristics
    open_holes: bool = False
    """Whether small holes open before it."""
    few_views: bool = False
    """Whether some of many views are enough for it."""

    @property
    def planar(self) -> bool:
        """Whether the sweep belongs to the planar phase, even if J_pg itself is off."""
        return self.plane_fits > 0

    @property
    def kind(self) -> str:
        """The sweep's phase: planar, or the last active term."""
        if self.planar:
            return "planar"
        return "congruence" if self.congruence_weight > 0 else "data"


def plan(parameters: Parameters, limits: DisparityRange, warm: bool = False) -> list[SweepPlan]:
    """All sweeps of an estimation, in order; with a warm start, only the last of each phase."""
    steps = [_sweep(parameters, limits, q) for q in range(parameters.search.sweeps)]
    return _last_of_each_phase(steps, parameters.search.warm_sweeps) if warm else steps


def _last_of_each_phase(steps: list[SweepPlan], count: int) -> list[SweepPlan]:
    """`count` sweeps without planes and half as many, rounded up, with them."""
    before = [step for step in steps if not step.planar]
    planar = [step for step in steps if step.planar]
    return before[max(len(before) - count, 0) :] + planar[max(len(planar) - (count + 1) // 2, 0) :]


def closing(parameters: Parameters, limits: DisparityRange) -> SweepPlan:
    """The last sweep's weights, under which the result is costed, with a single plane fit."""
    last = _sweep(parameters, limits, max(parameters.search.sweeps - 1, 0))
    return replace(last, plane_fits=min(last.plane_fits, 1), few_views=False)


def _sweep(parameters: Parameters, limits: DisparityRange, q: int) -> SweepPlan:
    search, congruence, planar = parameters.search, parameters.congruence, parameters.planar
    growth = 2.0 * (q // 2) if congruence.ramp else 1.0
    is_planar = q >= planar.first_sweep
    return SweepPlan(
        index=q,
        forward=q % 2 == 0,
        temperature=search.temperature * search.cooling ** (q // 2),
        congruence_weight=congruence.weight * growth,
        planar_weight=planar.weight if is_planar else 0.0,
        plane_fits=1 + (q >= planar.refit_from) if is_planar else 0,
        heuristics=_heuristics(parameters, limits, q, is_planar),
        open_holes=q >= search.sweeps - search.hole_sweeps,
        few_views=q < search.few_view_sweeps,
    )


def _heuristics(parameters: Parameters, limits: DisparityRange, q: int, planar: bool) -> Heuristics:
    search = parameters.search
    every = not search.phased
    sigma = search.perturbation * (limits.extent if search.relative_perturbation else 1.0)
    return Heuristics(
        smooth_depth=search.smooth_depth and (every or not planar),
        congruence=search.congruence and (every or not planar),
        smooth_plane=search.smooth_plane and planar,
        random=search.random,
        plane_within=parameters.planar.tolerance if search.gate_plane else math.inf,
        sigma=sigma * (search.late_perturbation if q > search.late_after else 1.0),
        minimum=limits.minimum,
        maximum=limits.maximum,
    )
