"""Estimates maps of every view: a few anchors, surfaces carried to all views, borders settled in each."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.errors import InputError
from ioadr.estimation import chosen_parameters, estimate, in_plane
from ioadr.layout import Index
from ioadr.lightfield import DisparityRange, LightField
from ioadr.parameters import Parameters
from ioadr.result import Estimate
from ioadr.solver.coverage import jump_of, settle
from ioadr.solver.problem import pack_rays
from ioadr.views import anchors
from ioadr.views.outlines import with_traced_outlines
from ioadr.views.outside import SearchRange
from ioadr.views.pose import captured
from ioadr.views.remarks import as_captured, remarked
from ioadr.views.result import Views
from ioadr.views.surfaces import NOTHING, Sight, Surface, link_of, look, slopes_of, with_smooth_rims

LEAN, CAUTION = 2.0, 4.0
"""When borders are settled: prior for the near surface, as a log-likelihood ratio, and the factor of the evidence that
moves a pixel to the other surface. With few views, all on one side of some borders, four in five wrong decisions were
for the far surface (spheres-20 and spheres-23), while outlines are carried to less than a tenth of a pixel."""
Progress = Callable[[str, int, int], None]
"""Progress callback (what, done, total): anchors first, then views; `total` is an upper limit."""


def estimate_views(
    lightfield: LightField | str | os.PathLike[str],
    parameters: Parameters | Mapping[str, Any] | str | os.PathLike[str] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    threads: int | None = None,
    most_anchors: int = anchors.MOST,
    work: str | os.PathLike[str] | None = None,
) -> Views:
    """Estimate one geometry for a whole light field: a disparity map of every view, all of the same surfaces.

    The reference view is estimated as by `estimate`, and its surfaces are carried to all views. Further views, the
    anchors, are then estimated where most is still uncovered; each adds the surfaces that no earlier one saw.

    Parameters
    ----------
    lightfield : LightField, str or path
        A light field, or a path that `ioadr.read` accepts.
    parameters : Parameters, str, path or mapping, optional
        As for `estimate`. The default is `best`.
    seed : int
        Seed for the random candidates. Light field, parameters and seed determine every byte, on any number of threads.
    progress : callable, optional
        Called as `progress(what, done, total)` after each anchor and each view; may raise to stop early.
    threads : int, optional
        Number of CPU threads; all by default.
    most_anchors : int
        Largest number of views to estimate, including the reference view.
    work : str or path, optional
        Folder in which each anchor is stored as it finishes. The next run with the same light field, parameters and
        seed continues from there. Delete it afterwards. By default, nothing is stored.

    Returns
    -------
    Views

    Raises
    ------
    InputError
        The light field cannot be read, `most_anchors` is less than 1, or the views are smaller than 2×2 px.

    Examples
    --------
    >>> views = ioadr.estimate_views(lightfield, "fast")
    >>> views.disparity.shape  # [view, row, column]
    (25, 40, 60)
    >>> round(float(np.median(views.map_of((0, 4)))), 2)
    1.0
    """
    if most_anchors < 1:
        raise InputError(f"most_anchors: expected at least 1, the reference view, found {most_anchors}.")
    report = progress or (lambda what, done, total: None)
    opened = _opened(lightfield)
    _check(opened)
    flat, estimator = in_plane(opened, seed, threads), _estimator(work, threads)
    first = estimator(flat, chosen_parameters(parameters), seed)
    report("anchor", 1, most_anchors)
    with Workers(threads) as workers:
        views = _spread(workers, flat.replace(range=first.range), first, most_anchors, report, estimator)
    return views if opened.layout.planar else _as_captured(views, opened)


def _as_captured(views: Views, opened: LightField) -> Views:
    """Maps of views that were moved into one plane, with the cameras and pictures as captured."""
    given = opened.replace(range=views.lightfield.range) if views.lightfield else None
    return replace(views, estimate=as_captured(views.estimate, opened.layout), lightfield=given)


Estimator = Callable[[LightField, Parameters, int], Estimate]


def _estimator(work: str | os.PathLike[str] | None, threads: int | None) -> Estimator:
    """Estimates a reference view, or loads it from the folder `work`."""

    def alone(lightfield: LightField, parameters: Parameters, seed: int) -> Estimate:
        return estimate(lightfield, parameters, seed, False, threads)

    if work is None:
        return alone
    from ioadr.io.results.kept_estimates import keeping

    return keeping(work, alone)


def _spread(
    workers: Workers,
    lightfield: LightField,
    first: Estimate,
    most_anchors: int,
    report: Progress,
    estimator: Estimator,
) -> Views:
    """Spread surfaces from the reference view to all others."""
    index = [(int(row), int(column)) for row, column in np.argwhere(lightfield.present)]
    sights = [Sight.empty(first.disparity.shape) for _ in index]
    sights[index.index(lightfield.reference)] = Sight(
        first.disparity, first.confidence, np.zeros(first.disparity.shape, np.uint8)
    )
    traced, link = with_traced_outlines(first, lightfield, workers), link_of(first)
    reference = Surface.of(traced, lightfield.layout, link)
    surfaces, search, plain = [reference], SearchRange(first.range), _plain_contrast(lightfield, first.parameters)
    for candidates in anchors.rounds(np.array([lightfield.offsets[view] for view in index])):
        surfaces[0] = reference.with_outlines_of(surfaces[1:], link)
        # Before the last round, only what is uncovered matters.
        carry = partial(_carry, workers, lightfield, surfaces, index, sights, link, candidates.at_edges)
        carry()
        while True:
            uncovered = np.array([np.mean(sight.source == NOTHING) for sight in sights])
            number = candidates.next(uncovered) if len(surfaces) < most_anchors else None
            if number is None:
                break
            part = anchors.seen_from_anchor(lightfield, index[number])
            part = search.of(part, sights[number].source == NOTHING, workers)
            if candidates.at_edges:
                further = _edges(part, surfaces, sights[number], first, estimator)
            else:  # from scratch: starting from its carried map left twice as many wrong pixels
                further = Surface.of(estimator(part, *_further(first)), lightfield.layout, link)
                there = look(surfaces, captured(lightfield.offsets[index[number]]), first.disparity.shape, link)
                further, level = further.without_floating(link).receded(there, link, plain)
                further = further.levelled(there, link, level)
            if further is not None:
                if not candidates.at_edges:
                    surfaces[1:] = [surface.not_seen_through(further, link) for surface in surfaces[1:]]
                surfaces.append(further.beyond(surfaces, link))
                carry(len(surfaces) - 1)
                report("anchor", len(surfaces), most_anchors)
    sights = [sight.completed(link) for sight in sights]
    maps = _settled(workers, lightfield, first, search.limits, index, sights, report)
    confidence = np.stack([sight.confidence for sight in sights]).astype(np.float16)
    return Views(
        estimate=remarked(first, np.array(index), confidence, search.outside),
        index=np.array(index),
        disparity=maps,
        confidence=confidence,
        source=np.stack([sight.source for sight in sights]),
        surfaces=tuple(surfaces),
        lightfield=lightfield.replace(range=search.limits),
        outside=tuple(search.outside),
    )


def _plain_contrast(lightfield: LightField, parameters: Parameters) -> float:
    """Range of samples below which a surface has no texture."""
    return parameters.congruence.plain_contrast / lightfield.tones(parameters.data.least_span).gain


def _further(first: Estimate) -> tuple[Parameters, int]:
    """Parameters and seed of further anchors."""
    return anchors.anchor_parameters(first.parameters), first.seed


def _edges(
    part: LightField, earlier: Sequence[Surface], sight: Sight, first: Estimate, estimator: Estimator
) -> Surface | None:
    """An anchor's surface along its image's edges, carried from `earlier` ones elsewhere; None if it adds nothing."""
    here, limits = first.layout.offsets[part.reference], part.range or first.range
    largest = max(abs(limits.minimum), abs(limits.maximum))
    down, right = min((np.abs(here - surface.offset) for surface in earlier), key=lambda away: np.hypot(*away))
    shift = largest * np.abs(part.offsets[part.present]).max()
    link = link_of(first)
    carried = sight.completed(link)
    strips = anchors.strips(carried.source == NOTHING, (largest * down, largest * right), shift)
    if not strips:
        return None
    surface = Surface.carried(carried, part, first.layout)
    for strip in strips:
        own, around = strip.own, strip.around
        window = own.moved(-around.top, -around.left).slices
        further = Surface.of(estimator(part.crop(around), *_further(first)), first.layout, link)
        surface.paste(further, window, own.slices)
    return surface


def _opened(lightfield: LightField | str | os.PathLike[str]) -> LightField:
    if isinstance(lightfield, LightField):
        return lightfield
    if isinstance(lightfield, (str, os.PathLike)):
        from ioadr.io import read

        return read(lightfield)
    raise TypeError(f"estimate_views: expected a LightField or the path of one, not {type(lightfield).__name__}.")


def _check(opened: LightField) -> None:
    """Refuse views of a single line of pixels."""
    if min(opened.height, opened.width) < 2:
        raise InputError(
            f"every view: needs views of at least 2×2 px to interpolate, found {opened.width}×{opened.height}. "
            "Estimate the reference view alone."
        )


def _carry(
    workers: Workers,
    lightfield: LightField,
    surfaces: Sequence[Surface],
    index: Sequence[Index],
    sights: list[Sight],
    link: float,
    exact: bool,
    earlier: int = 0,
) -> None:
    """Carry the surfaces after the `earlier` ones to all views except the reference view (`exact`: see `Sight.add`)."""

    def share(begin: int, end: int) -> None:
        for view, sight in zip(index[begin:end], sights[begin:end], strict=True):
            if view == lightfield.reference:
                continue
            if earlier == 0:
                sight.clear()
            for number, surface in enumerate(surfaces[earlier:], earlier):
                sight.add(surface, number, captured(lightfield.offsets[view]), link, exact)

    workers.rows(share, len(index))


def _settled(
    workers: Workers,
    lightfield: LightField,
    first: Estimate,
    limits: DisparityRange,
    index: Sequence[Index],
    sights: Sequence[Sight],
    report: Progress,
) -> NDArray[np.float32]:
    """The maps [V, N, M] with settled borders; sources and confidences in `sights` change with them."""
    parameters, done, lock = anchors.anchor_parameters(first.parameters), 0, Lock()
    term = replace(parameters.coverage, doubt=CAUTION * parameters.coverage.doubt)
    least_span = parameters.data.least_span
    maps, link = np.empty((len(index), *first.disparity.shape), np.float32), link_of(first)

    def share(begin: int, end: int) -> None:
        nonlocal done
        with Workers(1) as alone:
            for number in range(begin, end):
                maps[number] = sights[number].disparity
                if term.settle and index[number] != lightfield.reference:
                    near = anchors.seen_from_anchor(lightfield, index[number])
                    rays = pack_rays(near, 1, near.tones(least_span))
                    slopes = slopes_of(maps[number], link, jump_of(rays))
                    settled = settle(maps[number], rays, term, alone, LEAN, slopes).disparity
                    moved = np.abs(settled - maps[number]) > link
                    sights[number].follow(settled, moved)
                    maps[number] = with_smooth_rims(settled, link, moved)
                if limits.origin == "user" and index[number] != lightfield.reference:  # rims may slope beyond it
                    np.clip(maps[number], limits.minimum, limits.maximum, out=maps[number])
                with lock:
                    done += 1
                    report("view", done, len(index))

    workers.rows(share, len(index))
    return maps
