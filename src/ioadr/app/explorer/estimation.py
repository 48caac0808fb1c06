"""The work of a run: the whole light field, or the neighbourhood of a pixel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import ioadr
from ioadr.app.explorer import answers
from ioadr.app.explorer.runs import Tell, Work
from ioadr.app.report.packing import packed_values
from ioadr.io.results.save import plain
from ioadr.lightfield import LightField
from ioadr.parameters import Parameters
from ioadr.part import Window

if TYPE_CHECKING:
    from ioadr.app.explorer.study import Study
    from ioadr.result import SweepRecord

SHOWN = 24
"""px each way around the pixel whose neighbourhood is estimated again."""


def whole(study: Study, parameters: Parameters, seed: int) -> Work:
    """Estimate everything, tell the map after every sweep, keep the result."""

    def work(tell: Tell) -> dict[str, Any]:
        def progress(record: SweepRecord, disparity: NDArray[Any], total: int) -> None:
            tell({"record": answers.record(record), "total": total, "map": plain(packed_values(disparity))})

        lightfield = study.lightfield.with_(range=study.limits)
        estimate = ioadr.estimate(lightfield, parameters, seed=seed, progress=progress)
        return {"result": answers.result(study.add(estimate))}

    return work


def around(study: Study, key: str, parameters: Parameters, row: int, column: int) -> Work:
    """Estimate a part of the light field around a pixel, wide enough that its middle does not notice."""

    def work(tell: Tell) -> dict[str, Any]:
        known = study.result(key).estimate
        part, window = cut_out(study, parameters, row, column)

        def progress(record: SweepRecord, disparity: NDArray[Any], total: int) -> None:
            tell({"record": answers.record(record), "total": total})

        found = ioadr.estimate(part, parameters, seed=known.seed, progress=progress).disparity
        shown = tuple(
            slice(max(middle - SHOWN, 0), min(middle + SHOWN + 1, size))
            for middle, size in zip((row, column), known.disparity.shape, strict=True)
        )
        inner = tuple(slice(s.start - o, s.stop - o) for s, o in zip(shown, (window.top, window.left), strict=True))
        before, after = known.disparity[shown], found[inner]
        return {
            "neighbourhood": {
                "top": shown[0].start,
                "left": shown[1].start,
                "shape": list(before.shape),
                "before": answers.raw(before),
                "after": answers.raw(after),
            }
        }

    return work


def cut_out(study: Study, parameters: Parameters, row: int, column: int) -> tuple[LightField, Window]:
    """The light field around a pixel and where it lies: beyond what is shown, as far as views and windows reach."""
    lightfield, limits = study.lightfield, study.limits
    farthest = max(abs(limits.minimum), abs(limits.maximum)) * max(lightfield.reach)
    windows = parameters.planar.half_width + 2 * parameters.planar.kernel_half_width + parameters.congruence.half_width
    margin = SHOWN + int(np.ceil(farthest)) + windows
    bottom, right = min(row + margin + 1, lightfield.height), min(column + margin + 1, lightfield.width)
    window = Window(max(row - margin, 0), max(column - margin, 0), bottom, right)
    return lightfield.with_(range=limits).crop(window), window
