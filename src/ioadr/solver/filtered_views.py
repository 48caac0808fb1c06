"""Filtered copies of all views for the finish: slightly smoothed, and without low frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ioadr._jit import Function, Workers
from ioadr.cost.view_filters import high_pass, soften
from ioadr.geometry.ppp import Rays
from ioadr.solver.problem import LARGE
from ioadr.solver.refine import Refinement

CHUNK = 16
"""Number of views that are filtered in place at a time."""


class FilteredViews:
    """The smoothed views, and those without low frequencies.

    Large views are filtered in place, again for every use, and the refinement gives up its own meanwhile: only the
    result that was asked for last may be used.
    """

    def __init__(self, refinement: Refinement) -> None:
        self._refinement, self._workers, self._term = refinement, refinement.workers, refinement.parameters.finish
        self._soft: Rays | None = None
        self._high: Rays | None = None

    def soft(self) -> Rays:
        """Slightly smoothed."""
        if self._soft is None:
            self._high = None  # before the views are packed again
            self._soft = self._smoothed()
        return self._soft

    def high(self) -> Rays:
        """Smoothed, less a share of the low frequencies."""
        if self._high is None:
            soft, share = self.soft(), self._term.high_pass
            if is_large(soft):
                filter_in_place(high_pass, soft, share, self._workers)
                self._soft, self._high = None, soft
            else:
                self._high = high_pass_rays(soft, share, self._workers)
        return self._high

    def _smoothed(self) -> Rays:
        if not is_large(self._refinement.rays):
            return softened_rays(self._refinement.rays, self._term.softening, self._workers)
        rays = self._refinement.released_rays()
        filter_in_place(soften, rays, self._term.softening, self._workers)
        return rays


def is_large(rays: Rays) -> bool:
    """Whether to avoid copies of all views."""
    return rays.samples.nbytes > LARGE


def softened_rays(rays: Rays, side: float, workers: Workers) -> Rays:
    """The views, slightly smoothed, so that aliased detail does not bias disparities."""
    softened = np.empty_like(rays.samples)
    workers.rows(soften, rays.dy.size, rays, np.float32(side), softened)
    return rays._replace(samples=softened)


def high_pass_rays(rays: Rays, share: float, workers: Workers) -> Rays:
    """The views without a share of their low frequencies, which contain gloss and shading."""
    passed = np.empty_like(rays.samples)
    workers.rows(high_pass, rays.dy.size, rays, np.float32(share), passed)
    return rays._replace(samples=passed)


def filter_in_place(task: Function, rays: Rays, number: float, workers: Workers) -> None:
    """Apply `soften` or `high_pass` to the samples themselves, a few views at a time."""
    views: Any = rays.samples.reshape(rays.dy.size, -1)
    for first in range(0, len(views), CHUNK):
        some = views[first : first + CHUNK]
        before = rays._replace(samples=some.reshape(-1).copy())
        workers.rows(task, len(some), before, np.float32(number), some.reshape(-1))
