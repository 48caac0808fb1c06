"""Explains a pixel's disparity with the solver's own functions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from functools import lru_cache, partial
from threading import Lock
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.camera import RayModel
from ioadr.cost.congruence import Neighbours, neighbour_weights, neighbours_around
from ioadr.cost.occlusion import Occluders
from ioadr.cost.planar import Planes
from ioadr.cost.total import TERMS, Model, State, look_around_pixel, smoothed_around
from ioadr.errors import InputError
from ioadr.geometry.plane import mark_inliers
from ioadr.geometry.ppp import Rays, point_projection_image
from ioadr.lightfield import DisparityRange, LightField
from ioadr.parameters import NEVER, Parameters, PlanarTerm
from ioadr.presets import preset
from ioadr.result import Estimate
from ioadr.solver import problem
from ioadr.solver.candidates import MOST, propose
from ioadr.solver.curve import cost_curve
from ioadr.solver.explanation import Candidate, CostCurve, Ending, Explanation, PlaneFit, PointImage, Support
from ioadr.solver.pixel_views import hidden_views
from ioadr.solver.refine import Refinement, random_numbers, single_precision
from ioadr.solver.schedule import SweepPlan, closing
from ioadr.tones import Tones

BACK = -1
"""Towards visited pixels, as in the result's costs: up and left."""
COARSE, FINE, NEAR = 257, 97, 0.03
"""Samples of a curve over the whole range, and around the pixel's value within this share of it."""
KEPT = 12
"""Number of stored snapshots of planes, occluders and random numbers, one per parameter set."""
NO_MAP = {"data.occlusion_aware": False, "planar.first_sweep": NEVER} | {f"{term}.weight": 0.0 for term in TERMS[1:]}
"""Parameters for use without a map: only the agreement of the views counts."""


class Explainer:
    """Explains pixels of one result, or of a light field without one; thread-safe."""

    def __init__(
        self,
        lightfield: LightField,
        estimate: Estimate | None = None,
        limits: DisparityRange | None = None,
        pack: Callable[[int, Tones], Rays] | None = None,
    ) -> None:
        """`pack` returns the packed views for a `view_step` and tones, so that several explainers can share them."""
        self.lightfield, self.estimate = lightfield, estimate
        chosen = estimate.range if estimate else limits or lightfield.range
        if chosen is None:
            raise InputError("explainer: the disparity range is unknown. Give `limits` or an estimate.")
        self.limits = chosen
        self._pack = pack or lru_cache(2)(partial(problem.pack_rays, lightfield))
        self.parameters = estimate.parameters if estimate else preset("paper").vary(NO_MAP)
        self._kept: OrderedDict[Any, Future[Any]] = OrderedDict()
        self._lock = Lock()

    def explain(
        self, row: int, column: int, parameters: Parameters | None = None, trial: float | None = None
    ) -> Explanation:
        """Evidence for and against disparities of a pixel, under the result's parameters or different ones.

        `trial` is another disparity to examine.
        """
        parameters = (parameters or self.parameters).vary({} if self.estimate else NO_MAP)
        step = closing(parameters, self.limits)
        model, state = self._problem(parameters, step, (row, column))
        chosen = state.disparity[row + model.pad, column + model.pad] if self.estimate else None
        hypotheses = [np.float32(d) for d in (chosen, trial) if d is not None]
        curve = _curve(model, state, row, column, self._samples(hypotheses))
        value = np.float32(curve.minimum[0]) if chosen is None else chosen
        return Explanation(
            row=row,
            column=column,
            disparity=None if chosen is None else float(chosen),
            curve=curve,
            image=self._point_image(model, parameters, row, column, value),
            trial=None if trial is None else self._point_image(model, parameters, row, column, np.float32(trial)),
            support=_support(model, state, row, column, value, parameters) if self.estimate else None,
            plane=_plane_fit(model, state, row, column, parameters) if step.plane_fits else None,
            candidates=tuple(self._candidates(model, state, step, row, column, self.estimate.seed))
            if self.estimate
            else (),
        )

    def ending(self, row: int, column: int) -> Ending:
        """The steps after the sweeps, and the confidence, at a pixel of the result."""
        from ioadr.solver.replay import ending

        if self.estimate is None:
            raise InputError("explainer: the steps after the sweeps need an estimate.")
        return ending(self.lightfield, self.estimate, row, column)

    def prepare(self) -> None:
        """Load kernels and the data that all pixels share, so that the first explanation is as quick as the others."""
        row, column = self.lightfield.height // 2, self.lightfield.width // 2
        self.explain(row, column, trial=self.limits.minimum)
        if self.estimate is None:
            return
        self.ending(row, column)
        if self.estimate.coverage is not None:  # other kernels explain pixels beside a jump
            for border in np.argwhere(self.estimate.coverage != 1)[:1].tolist():
                self.ending(*border)

    def _problem(
        self, parameters: Parameters, step: SweepPlan, pixel: tuple[int, int] | None = None
    ) -> tuple[Model, State]:
        """The inputs of a sweep; with changed parameters, planes are fitted only at `pixel`."""
        with Workers() as workers:
            tones = self.lightfield.tones(parameters.data.least_span)
            rays = self._pack(parameters.data.view_step, tones)
            refinement = Refinement(self.lightfield, self.limits, parameters, workers, rays, tones)
            if self.estimate:
                refinement.disparity = self.estimate.disparity
                refinement.state.cost[:] = _accepted(self.estimate)
            occluders = self._occluders(parameters, rays, workers)
            planes = self._planes(parameters, step, pixel, workers)
            return refinement.model(step, occluders, planes), refinement.state

    def _occluders(self, parameters: Parameters, rays: Rays, workers: Workers) -> Occluders:
        term, make = parameters.data, problem.snapshot_occluders
        return self._once(term, lambda: make(self._map(), rays, self.limits, term, workers))

    def _planes(
        self, parameters: Parameters, step: SweepPlan, pixel: tuple[int, int] | None, workers: Workers
    ) -> Planes:
        term, fits = _geometry(parameters.planar), step.plane_fits
        rays = problem.plane_geometry(self.lightfield, self.limits, term)
        if pixel is None or not fits or term == _geometry(self.parameters.planar):
            return self._once((term, fits), lambda: problem.fit_planes(self._map(), rays, term, fits, workers))
        return _planes_at(pixel, self._map(), rays, term, fits, workers)

    def _map(self) -> NDArray[np.float32]:
        if self.estimate:
            return self.estimate.disparity
        return np.full((self.lightfield.height, self.lightfield.width), self.limits.minimum, np.float32)

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Compute a value once; other threads wait for it. A small cache."""
        with self._lock:
            kept = self._kept.get(key)
            future = self._kept.setdefault(key, kept or Future())
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        if kept is None:
            try:
                future.set_result(make())
            except BaseException as error:
                future.set_exception(error)
                self._kept.pop(key, None)
        return future.result()

    def _samples(self, hypotheses: list[np.float32]) -> NDArray[np.float32]:
        low, high, extent = self.limits.minimum, self.limits.maximum, self.limits.extent
        fine = [np.linspace(d - NEAR * extent, d + NEAR * extent, FINE) for d in hypotheses]
        samples = np.clip(np.concatenate([np.linspace(low, high, COARSE), *fine]), low, high).astype(np.float32)
        return np.unique(np.concatenate([samples, np.array(hypotheses, np.float32)]))

    def _point_image(self, model: Model, parameters: Parameters, row: int, column: int, d: np.float32) -> PointImage:
        rays, used = model.rays, problem.used_views(self.lightfield, parameters.data.view_step)
        count = rays.dy.size
        colours, inside = np.empty((count, 3), np.float32), np.empty(count, bool)
        point_projection_image(rays, row, column, d, colours, inside)
        hidden = hidden_views(model, row, column, d)
        grid = PointImage(
            disparity=float(d),
            colours=np.full((*self.lightfield.grid, 3), np.nan, np.float32),
            inside=np.zeros(self.lightfield.grid, bool),
            hidden=np.zeros(self.lightfield.grid, bool),
        )
        for whole, part in ((grid.colours, colours), (grid.inside, inside), (grid.hidden, hidden & inside)):
            whole[used] = part
        return grid

    def _candidates(
        self, model: Model, state: State, step: SweepPlan, row: int, column: int, seed: int
    ) -> Iterator[Candidate]:
        heuristics, back = single_precision(step.heuristics), -1 if step.forward else 1
        shape = state.cost.shape
        noise, _ = self._once(("random", step.index), lambda: random_numbers(seed, step, self.lightfield.part))
        current = state.disparity[row + model.pad, column + model.pad]
        smoothed = smoothed_around(model, state, row, column, current, _neighbours(model, state, row, column))
        plane = model.planes.plane[row, column] if heuristics.smooth_plane else current
        values = np.empty(MOST, np.float32)
        count = propose(
            heuristics, state.disparity, row, column, model.pad, back, smoothed, plane, noise[row, column], values
        )
        costs = _curve(model, state, row, column, values[:count]).total
        above, beside = 0 <= row + back < shape[0], 0 <= column + back < shape[1]
        neighbours = [("vertical", above), ("horizontal", beside), ("diagonal", above and beside)]
        planar = heuristics.smooth_plane and abs(plane - current) < heuristics.plane_within
        flags = [("random", heuristics.random), ("smoothed", heuristics.congruence), ("plane", planar)]
        flags += [(name, heuristics.smooth_depth and there) for name, there in neighbours]
        names = [name for name, tried in flags if tried]
        for name, value, cost in zip(names, values, costs, strict=False):
            yield Candidate(name, float(value), float(cost))


def _geometry(term: PlanarTerm) -> PlanarTerm:
    """The planar term without values that planes do not depend on."""
    return replace(term, weight=1.0, first_sweep=0, refit_from=0)


def _planes_at(
    pixel: tuple[int, int],
    disparity: NDArray[np.float32],
    rays: RayModel,
    term: PlanarTerm,
    fits: int,
    workers: Workers,
) -> Planes:
    """Planes from the part of the map that the plane at a pixel depends on; zero elsewhere."""
    reach = fits * term.half_width + (fits - 1) * term.kernel_half_width + problem.plane_border(term) + 1
    top, left = (max(index - reach, 0) for index in pixel)
    part = np.ascontiguousarray(disparity[top : pixel[0] + reach + 1, left : pixel[1] + reach + 1])
    planes = problem.fit_planes(part, rays.moved(top, left), term, fits, workers)
    around = (0, 0), (top, disparity.shape[0] - top - part.shape[0]), (left, disparity.shape[1] - left - part.shape[1])
    maps = {"normals": np.pad(planes.normals, around), "robust": np.pad(planes.robust, around)}
    return planes._replace(plane=np.pad(planes.plane, around[1:]), rays=rays, **maps)


def _accepted(estimate: Estimate) -> NDArray[np.float32]:
    """Cost of each pixel after the last sweep; approximately the sum of the terms if the result lacks it."""
    if "accepted" in estimate.costs:
        return estimate.costs["accepted"]
    return np.sum(list(estimate.costs.values()), axis=0)


def _curve(model: Model, state: State, row: int, column: int, disparities: NDArray[np.float32]) -> CostCurve:
    terms = np.empty((len(TERMS) + 1, disparities.size), np.float32)
    plain = model.data._replace(occlusion_aware=False)
    cost_curve(model, plain, state, row, column, disparities, BACK, terms)
    return CostCurve(disparities, dict(zip(TERMS, terms[:-1], strict=True)), terms[-1])


def _neighbours(model: Model, state: State, row: int, column: int) -> Neighbours:
    near = neighbours_around(model.congruence)
    look_around_pixel(model, state, row, column, near)
    return cast(Neighbours, near)


def _support(model: Model, state: State, row: int, column: int, d: np.float32, parameters: Parameters) -> Support:
    """χ of every pixel of W^c; NaN at a centre that does not count."""
    half = parameters.congruence.half_width
    width, near = state.disparity.shape[1], _neighbours(model, state, row, column)
    chi = np.empty(model.congruence.lanes.size, np.float32)
    neighbour_weights(near, model.congruence, d, state.cost[row, column], chi)
    weights = np.full((2 * half + 1, 2 * half + 1), np.nan, np.float32)
    down = (model.congruence.offsets + half * (width + 1)) // width
    weights[down, model.congruence.offsets + half - (down - half) * width] = chi[: down.size]
    return Support(weights, float(smoothed_around(model, state, row, column, d, near)))


def _plane_fit(model: Model, state: State, row: int, column: int, parameters: Parameters) -> PlaneFit:
    term, planes = parameters.planar, model.planes
    window, border = problem.plane_window(term), problem.plane_border(term)
    inlier = np.empty(len(window), bool)
    chord = mark_inliers(planes.normals, row, column, window, border, np.float32(term.inlier_share), inlier)
    pixels = window + np.array([row, column])
    height, width = planes.plane.shape
    low, high = np.array([border, border]), np.array([height - border, width - border])
    used = ((pixels >= low) & (pixels < high)).all(axis=1)
    predicted = float(planes.plane[row, column])
    d = float(state.disparity[row + model.pad, column + model.pad])
    return PlaneFit(
        normal=planes.robust[:, row, column].copy(),
        disparity=predicted,
        counts=abs(predicted - d) < term.tolerance,
        offsets=window[used],
        normals=planes.normals[:, pixels[used, 0], pixels[used, 1]].T.copy(),
        inlier=inlier[used],
        limit=float(2 * np.degrees(np.arcsin(min(chord / 2, 1.0)))),
    )
