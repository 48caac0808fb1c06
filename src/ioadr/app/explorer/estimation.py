"""Estimations for the page: the whole light field, or the neighbourhood of a pixel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

import ioadr
from ioadr.app.explorer import answers
from ioadr.app.explorer.runs import Tell, Work
from ioadr.app.report.packing import packed_values
from ioadr.io.results.save import plain
from ioadr.lightfield import LightField
from ioadr.parameters import Parameters
from ioadr.part import Window
from ioadr.solver.reach import estimation_margin, with_margin

if TYPE_CHECKING:
    from ioadr.app.explorer.study import Study
    from ioadr.result import SweepRecord

SHOWN = 24
"""Half the side of the neighbourhood that is estimated again, px."""


def whole(study: Study, parameters: Parameters, seed: int) -> Work:
    """Estimate the whole light field, send the map after every sweep, and keep the result."""

    def work(tell: Tell) -> dict[str, Any]:
        def progress(record: SweepRecord, disparity: NDArray[Any], total: int) -> None:
            tell({"record": answers.record(record), "total": total, "map": plain(packed_values(disparity))})

        lightfield = study.lightfield.with_(range=study.limits)
        estimate = ioadr.estimate(lightfield, parameters, seed=seed, progress=progress)
        added = study.add(estimate)
        added.explainer.prepare()
        return {"result": answers.result(added)}

    return work


def around(study: Study, key: str, parameters: Parameters, row: int, column: int) -> Work:
    """Estimate a part of the light field around a pixel, wide enough for its middle to be as in the whole."""

    def work(tell: Tell) -> dict[str, Any]:
        known = study.result(key).estimate
        height, width = known.disparity.shape
        bottom, right = min(row + SHOWN + 1, height), min(column + SHOWN + 1, width)
        shown = Window(max(row - SHOWN, 0), max(column - SHOWN, 0), bottom, right)
        part, window = cut_out(study, parameters, shown)

        def progress(record: SweepRecord, disparity: NDArray[Any], total: int) -> None:
            tell({"record": answers.record(record), "total": total})

        found = ioadr.estimate(part, parameters, seed=known.seed, progress=progress).disparity
        inner = shown.moved(-window.top, -window.left)
        before, after = known.disparity[shown.slices], found[inner.slices]
        return {
            "neighbourhood": {
                "top": shown.top,
                "left": shown.left,
                "shape": list(before.shape),
                "before": answers.raw(before),
                "after": answers.raw(after),
            }
        }

    return work


def cut_out(study: Study, parameters: Parameters, shown: Window) -> tuple[LightField, Window]:
    """The light field around the visible part, as far as an estimation looks, and its window."""
    lightfield, limits = study.lightfield.with_(range=study.limits), study.limits
    margin = estimation_margin(parameters, limits, lightfield.layout)
    window = with_margin(shown, margin, lightfield.height, lightfield.width)
    return lightfield.crop(window), window
