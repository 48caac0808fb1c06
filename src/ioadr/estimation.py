"""The whole method on one screen: range, first map, sweeps, result (§ VI)."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.cost.total import TERMS
from ioadr.errors import InputError
from ioadr.geometry.off_plane import enlarged, flattened, reduced, residual
from ioadr.lightfield import DisparityRange, LightField
from ioadr.parameter_files import load_parameters
from ioadr.parameters import Parameters
from ioadr.presets import DEFAULT, preset
from ioadr.result import Estimate, SweepRecord
from ioadr.solver.confidence import confidence_map
from ioadr.solver.coverage import settle_borders
from ioadr.solver.disparity_range import voted_range
from ioadr.solver.finish import finish_in_passes, finishing_passes
from ioadr.solver.holes import sweep_with_holes
from ioadr.solver.initialise import first_map_origins, first_maps
from ioadr.solver.keeping import Keeper
from ioadr.solver.problem import pack_rays
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing, plan
from ioadr.solver.starts import begin, rays_of_starts
from ioadr.way import Origin

FAR_OFF = 2.0
"""Off-plane motion, px, above which a second map is needed."""
SMALLEST = 48
"""Smallest side of the reduced views from which a first map is made, px."""
Progress = Callable[[SweepRecord, NDArray[np.float32], int], None]
"""Called after the first map and every sweep and finishing pass with its record, the current map, and their number."""


def estimate(
    lightfield: LightField | str | os.PathLike[str],
    parameters: Parameters | Mapping[str, Any] | str | os.PathLike[str] | None = None,
    seed: int = 0,
    progress: Progress | bool | None = None,
    threads: int | None = None,
    start: NDArray[np.float32] | None = None,
) -> Estimate:
    """Estimate disparity, depth, normals and visibility of a light field's reference view.

    Parameters
    ----------
    lightfield : LightField, str or path
        A light field, or a path that `ioadr.read` accepts.
    parameters : Parameters, str, path or mapping, optional
        Parameters, the name of a preset, a TOML file of parameters, or values to replace in the preset `best`, such as
        ``{"congruence.weight": 50}``. The default is `best`.
    seed : int
        Seed for the random candidates. Light field, parameters and seed determine every byte, on any
        number of threads.
    progress : bool or callable, optional
        True shows a progress bar, False does not; by default, there is one in notebooks and at an interactive prompt. A
        function is called after the first map and after each sweep, and may raise to stop early.
    threads : int, optional
        Number of CPU threads; all by default.
    start : array [N, M], optional
        A map close to the result, such as that of the previous frame of a video; fewer sweeps are then needed.

    Returns
    -------
    Estimate

    Raises
    ------
    InputError
        The light field cannot be read, or its views have too little texture to find its disparity range.
    TypeError
        An argument has the wrong type.

    Examples
    --------
    Views of a plane at a disparity of one pixel, a texture that moves from view to view:

    >>> import ioadr, numpy as np
    >>> texture = np.random.default_rng(0).random((40, 60))
    >>> views = np.stack([[np.roll(texture, (-row, -column), (0, 1)) for column in range(5)] for row in range(5)])
    >>> estimate = ioadr.estimate(ioadr.LightField(views, range=ioadr.DisparityRange(0, 2)), "fast")
    >>> round(float(np.median(estimate.disparity)), 2)
    1.0
    """
    opened, chosen = _opened(lightfield, parameters), chosen_parameters(parameters)
    with _shown(progress, opened.name) as shown:
        result = _estimated(in_plane(opened, seed, threads), chosen, seed, shown, threads, start)
    return result if opened.layout.planar else replace(result, layout=opened.layout)


def in_plane(lightfield: LightField, seed: int, threads: int | None) -> LightField:
    """Move off-plane views into the plane of the others, with maps of growing size."""
    if lightfield.layout.planar:
        return lightfield
    flat = lightfield.replace(layout=lightfield.layout.flat)
    for factor in _factors(lightfield):
        rough = _estimated(reduced(flat, factor), preset("fast"), seed, None, threads, None)
        with Workers(threads) as workers:
            flat = flattened(
                lightfield, enlarged(rough.disparity, factor, (lightfield.height, lightfield.width)), workers
            )
    return flat


def _factors(lightfield: LightField) -> list[int]:
    """Factors by which views are reduced for a first map, and for a second one if needed."""
    limits = lightfield.range or DisparityRange(-1.0, 1.0)
    far = residual(lightfield, limits.minimum, limits.maximum) > FAR_OFF
    wanted = [4, 2] if far else [2]
    return [factor for factor in wanted if min(lightfield.height, lightfield.width) >= SMALLEST * factor] or [1]


def _estimated(
    lightfield: LightField,
    parameters: Parameters,
    seed: int,
    progress: Progress | None,
    threads: int | None,
    start: NDArray[np.float32] | None,
) -> Estimate:
    """The method."""
    clock, history, tones = time.perf_counter(), list[SweepRecord](), lightfield.tones(parameters.data.least_span)

    def report(record: SweepRecord) -> None:
        history.append(record)
        if progress is not None:
            progress(record, refinement.disparity, total)

    with Workers(threads) as workers:
        rays = pack_rays(lightfield, parameters.data.view_step, tones)
        limits = lightfield.range or voted_range(lightfield, rays, parameters.data.view_step, workers)
        steps, last = plan(parameters, limits, warm=start is not None), closing(parameters, limits)
        total = len(steps) + finishing_passes(parameters.finish) + parameters.coverage.settle
        refinement = Refinement(lightfield, limits, parameters, workers, rays, tones)
        del rays  # the refinement may release them for a while
        maps = first_maps(lightfield, rays_of_starts(refinement), limits, parameters.initialise, workers)
        given = [] if start is None else [_usable(start, maps[0], limits)]
        origins = [Origin.GIVEN] * len(given) + first_map_origins(lightfield, limits, parameters.initialise)
        begin(refinement, given + maps, origins, last)
        keeper = Keeper(refinement, steps, given + maps, origins)
        report(SweepRecord(-1, "initialise", maps[0].size, float("nan"), time.perf_counter() - clock))
        sweeps = (sweep_with_holes(refinement, step, last, seed) for step in steps)
        finish = finish_in_passes(refinement, last, len(steps))
        for record in chain(sweeps, finish, settle_borders(refinement, last, total - 1)):
            keeper.step()
            report(record)
        costs, visible = refinement.final_costs(last)
        if history[-1].kind == "finish":
            history[-1] = replace(history[-1], mean_cost=float(sum(costs[term].mean() for term in TERMS)))
        trust, two_minima = confidence_map(refinement, last, costs["data"], visible)
        disparity = _within(limits, refinement.disparity)
    return Estimate(
        disparity=disparity,
        costs=costs,
        visible_views=visible,
        confidence=trust,
        two_minima=two_minima,
        coverage=refinement.coverage,
        way=keeper.way(disparity),
        image=lightfield.reference_view,
        white=lightfield.white,
        camera=lightfield.camera,
        range=limits,
        parameters=parameters,
        seed=seed,
        layout=lightfield.layout,
        part=lightfield.part,
        name=lightfield.name,
        history=tuple(history),
        seconds={"total": time.perf_counter() - clock},
        source=lightfield.source,
    )


def _within(limits: DisparityRange, disparity: NDArray[np.float32]) -> NDArray[np.float32]:
    """A map inside its range; a mean of equal values may differ from them in its last bit."""
    return np.clip(disparity, np.float32(limits.minimum), np.float32(limits.maximum))


def _opened(lightfield: object, parameters: object) -> LightField:
    if isinstance(lightfield, LightField):
        return lightfield
    if isinstance(lightfield, (str, os.PathLike)):
        if isinstance(parameters, LightField):
            raise TypeError("estimate: the light field comes first, then the parameters. Swap the two.")
        from ioadr.io import read

        return read(lightfield)
    advice = " Wrap an array: ioadr.LightField(views)." if isinstance(lightfield, np.ndarray) else ""
    raise TypeError(f"estimate: expected a LightField or the path of one, not {type(lightfield).__name__}.{advice}")


def chosen_parameters(parameters: object) -> Parameters:
    """The parameters that `estimate` was asked for."""
    if parameters is None or isinstance(parameters, Mapping):
        return preset(DEFAULT).replace(parameters or {})
    if isinstance(parameters, Parameters):
        return parameters
    if isinstance(parameters, (str, os.PathLike)):
        text = os.fspath(parameters)
        return load_parameters(text) if text.endswith(".toml") else preset(text)
    raise TypeError(
        "estimate: expected Parameters, the name of a preset such as 'best', a TOML file or a mapping of values, "
        f"not {type(parameters).__name__}."
    )


@contextmanager
def _shown(progress: Progress | bool | None, name: str) -> Iterator[Progress | None]:
    """The progress callback: the caller's, or a bar if a person is watching."""
    if progress is True or (progress is None and (hasattr(sys, "ps1") or "IPython" in sys.modules)):
        from ioadr.app.live_progress import watched_progress

        with watched_progress(name, always=progress is True) as shown:
            yield shown
    elif callable(progress) or not progress:
        yield progress or None
    else:
        raise TypeError(f"progress: expected True, False or a function, not {type(progress).__name__}.")


def _usable(start: NDArray[np.float32], first: NDArray[np.float32], limits: DisparityRange) -> NDArray[np.float32]:
    """A start map, clipped to the range; the first map where it has no value."""
    if start.shape != first.shape:
        raise InputError(
            f"start: expected a map of {first.shape[1]}×{first.shape[0]} px, as the views are, "
            f"found shape {start.shape}. Give the map of a frame of the same size."
        )
    usable = np.where(np.isfinite(start), start, first)
    return np.clip(usable, limits.minimum, limits.maximum).astype(np.float32)
