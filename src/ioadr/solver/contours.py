"""Evidence of contours at pixels beside a jump where coverage alone is not clear (`cost.contour`, decision 23)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.cost.contour import trace_contours
from ioadr.cost.sight import Matting

FloatMap = NDArray[np.float32]
Evidence = NDArray[np.float16]
"""As kept in the history, so that the border step can be repeated at a pixel: the width depends on the whole map."""
WIDTHS = (1.3, 1.45, 1.6, 1.8, 2.0, 2.2)
"""Widths, px, over which a contour may turn from one surface to the other; they depend on lens, sensor or renderer."""
ASKED, CLEAR, CLEAREST = 3.0, 6.0, 60.0
"""Contours are fitted where the evidence of coverage is below the first limit. Pixels between the other two show the
width; beyond, the contour is too far from the pixel."""
SHOWN, FEWEST = 200, 30
"""Largest and smallest number of pixels from which the width is measured."""
LOUDEST = 8.0
"""Value up to which evidence counts."""


def contour_evidence(matting: Matting, surfaces: FloatMap, likelihood: FloatMap, workers: Workers) -> Evidence:
    """[N, M], evidence for the near surface where `likelihood`, that of coverage, is not clear; 0 elsewhere (C13)."""
    evidence = np.zeros(likelihood.shape, np.float16)
    width = contour_width(matting, surfaces, likelihood, workers)
    if width is None:
        return evidence
    pixels = np.argwhere(np.abs(likelihood) < ASKED)
    traced = trace(matting, surfaces, pixels, (width,), workers)[:, 0, 0]
    evidence[pixels[:, 0], pixels[:, 1]] = np.clip(np.nan_to_num(traced), -LOUDEST, LOUDEST)
    return evidence


def agreeing(evidence: Evidence, likelihood: FloatMap, was_near: NDArray[np.bool_]) -> Evidence:
    """Evidence without what would take a pixel from the near surface against `likelihood`, that of coverage (C13).

    Without this rule, thin bars lose pixels: Fine thinning of lattice-0 was 2.48 instead of 1.84 % (decision 23).
    """
    opposed = was_near & (likelihood > 0) & (evidence < 0)
    return np.where(opposed, np.float16(0.0), evidence)


def contour_width(matting: Matting, surfaces: FloatMap, likelihood: FloatMap, workers: Workers) -> float | None:
    """The width of `WIDTHS` that leaves least at pixels whose side is clear; None if they are too few (C14)."""
    size = np.abs(likelihood)
    pixels = np.argwhere((size >= CLEAR) & (size < CLEAREST))
    pixels = pixels[:: max(1, -(-len(pixels) // SHOWN))]
    left = trace(matting, surfaces, pixels, WIDTHS, workers)[:, :, 1]
    left = left[np.isfinite(left).all(axis=1)]
    return WIDTHS[int(left.mean(axis=0).argmin())] if len(left) >= FEWEST else None


def trace(
    matting: Matting, surfaces: FloatMap, pixels: NDArray[np.intp], widths: tuple[float, ...], workers: Workers
) -> FloatMap:
    """[P, W, 2]: evidence and logarithm of the misfit of the best contour through each pixel, by width."""
    told = np.empty((len(pixels), len(widths), 2), np.float32)
    if len(pixels):
        places = np.ascontiguousarray(pixels)  # a selection with gaps would be another kernel
        workers.rows(trace_contours, len(pixels), matting, places, surfaces, np.array(widths, np.float32), told)
    return told
