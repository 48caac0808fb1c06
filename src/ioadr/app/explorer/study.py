"""The explorer's data: one light field, its ground truth if known, and results with their explainers."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import ioadr
from ioadr.colours import coloured_normals, rgb8
from ioadr.errors import InputError
from ioadr.geometry.discontinuity import surface_cells
from ioadr.lightfield import DisparityRange, LightField
from ioadr.presets import PRESETS

if TYPE_CHECKING:
    from ioadr.evaluation.truth import Truth
    from ioadr.result import Estimate
    from ioadr.solver.explain import Explainer
    from ioadr.tones import Tones
    from ioadr.views.result import Views

MOST_RESULTS = 5
"""Number of results of the explorer that are kept; older ones are dropped."""
GIVEN = "given"


@dataclass(frozen=True, eq=False)
class Result:
    """An estimate and its name in links."""

    key: str
    estimate: Estimate
    explainer: Explainer

    @property
    def label(self) -> str:
        preset = next((name for name, parameters in PRESETS.items() if parameters == self.estimate.parameters), None)
        name = f"preset {preset}" if preset else "custom parameters"
        return name if self.key != GIVEN else f"loaded ({name})"


class Study:
    """Data shared by all browsers; only the list of results changes."""

    def __init__(
        self,
        lightfield: LightField,
        estimate: Estimate | None = None,
        truth: Truth | None = None,
        views: Views | None = None,
    ) -> None:
        """With `views`, the given estimate is that of their reference view."""
        self.lightfield, self.truth, self._views = lightfield, truth, views
        estimate = views.estimate if views is not None else estimate
        self._given = estimate
        self._results: OrderedDict[str, Result] = OrderedDict()
        self._lock = threading.RLock()
        self._made: dict[str, Any] = {}
        self._slow, self._unseen = threading.Lock(), dict[int, Any]()
        if truth is not None and truth.disparity.shape != (lightfield.height, lightfield.width):
            raise InputError(
                f"truth: expected the size of the views, {lightfield.width}×{lightfield.height}, found "
                f"{truth.disparity.shape[1]}×{truth.disparity.shape[0]}. Give the truth of this light field."
            )

    def pack(self, view_step: int, tones: Tones) -> Any:
        """All views, or every view_step-th, packed for kernels in these tones; shared by all explainers."""
        from ioadr.solver.problem import pack_rays

        return self._once(f"rays {view_step} {tones}", lambda: pack_rays(self.lightfield, view_step, tones))

    def thinned(self, thin: int) -> tuple[LightField, int]:
        """Views reduced to every second, fourth, … pixel, at most every `thin`-th, and the step: for quick pictures."""
        lightfield = self.lightfield
        most = max(min(thin, lightfield.height // 8, lightfield.width // 8), 1)
        step = 1 << (most.bit_length() - 1)

        def make() -> LightField:
            views = np.ascontiguousarray(lightfield.views[:, :, ::step, ::step])
            return lightfield.with_(views=views, camera=None, part=None)

        return (self._once(f"thinned {step}", make), step) if step > 1 else (lightfield, 1)

    @property
    def limits(self) -> DisparityRange:
        """The disparity range: the result's, the light field's, or one estimated from texture."""
        limits = self._given.range if self._given else self.lightfield.range
        if limits is None:
            limits = self._once("limits", lambda: ioadr.estimate_range(self.lightfield))
        return limits

    @property
    def blind(self) -> Explainer:
        """An explainer without a map: how well the views agree at each disparity."""
        from ioadr.solver.explain import Explainer

        return self._once("blind", lambda: Explainer(self.lightfield, None, self.limits, self.pack))

    @property
    def given(self) -> Result | None:
        return self._once("given", lambda: self._result(GIVEN, self._given)) if self._given else None

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        """Compute a value once, at the first request."""
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            return self._made[name]

    def results(self) -> list[Result]:
        with self._lock:
            made = list(self._results.values())
        return [*([self.given] if self.given else []), *made]

    def explainer(self, key: str) -> Explainer:
        return self.result(key).explainer if key else self.blind

    def result(self, key: str) -> Result:
        with self._lock:
            kept = self.given if key == GIVEN else self._results.get(key)
        if kept is None:
            raise InputError(f"result {key[:40]!r}: this explorer has no such result. Estimate it again.")
        return kept

    def add(self, estimate: Estimate) -> Result:
        """Add a result; the same parameters and seed give the same name, because they give the same result."""
        text = f"{estimate.seed}\n{estimate.parameters.to_toml()}"
        result = self._result(hashlib.sha256(text.encode()).hexdigest()[:10], estimate)
        with self._lock:
            self._results[result.key] = result
            self._results.move_to_end(result.key)
            while len(self._results) > MOST_RESULTS:
                self._results.popitem(last=False)
        return result

    def views(self, key: str) -> Views | None:
        """Maps of all views, if the result has them."""
        return self._views if key == GIVEN else None

    def unseen(self, key: str, thin: int) -> dict[str, Any]:
        """Points that other views see and the reference view does not, for the 3D scene."""
        from ioadr.app.report.unseen import unseen_points

        views = self.views(key)
        if views is None:
            raise InputError(f"result {key[:40]!r}: has no maps of every view. Estimate them with --every-view.")
        with self._slow:  # not the lock that every click takes
            if thin not in self._unseen:
                self._unseen[thin] = unseen_points(views, thin)
            return self._unseen[thin]

    def warm(self) -> None:
        """Compile and prepare everything for the first click while the page opens."""
        (self.given.explainer if self.given else self.blind).prepare()
        if self._views is not None:
            row, column = self.lightfield.positions[self.lightfield.reference][:2].tolist()
            self._views.render((row, column), (8, 8))

    def _result(self, key: str, estimate: Any) -> Result:
        from ioadr.solver.explain import Explainer

        return Result(key, estimate, Explainer(self.lightfield, estimate, pack=self.pack))


def layer(study: Study, name: str, key: str, thin: int = 1) -> NDArray[Any]:
    """A map for the page, in pixels of the reference view; cells lie between every thin-th pixel."""
    if name == "image":
        return rgb8(study.lightfield.reference_view, study.lightfield.white)
    if name == "truth":
        if study.truth is None:
            raise InputError("truth: none was given. Start the explorer with --truth SCENE.")
        return study.truth.disparity.astype(np.float32)
    estimate = study.result(key).estimate
    makers: dict[str, Callable[[], NDArray[Any]]] = {
        "disparity": lambda: estimate.disparity,
        "confidence": lambda: estimate.confidence.astype(np.float32),
        "visible": lambda: estimate.visible_views.astype(np.uint16),
        "normals": lambda: coloured_normals(estimate.normals),
        "cells": lambda: surface_cells(estimate.points[::thin, ::thin]),
    }
    if name not in makers:
        raise InputError(f"layer: expected image, truth, {', '.join(makers)}, found {name[:40]!r}.")
    return makers[name]()
