"""Do the views agree with the map that was estimated from them?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.lightfield import DisparityRange
from ioadr.tones import mean_of_channels

FloatMap = NDArray[np.float32]
MISMATCH = 0.14
"""Difference between views over noise, as a share of the contrast, where contrast is strong."""
DISTRUST = 0.8
"""Mean confidence below which such a difference counts: fine texture also differs much between correct views."""
NOISE = 10
"""Percentage of the pixels with the smallest differences, which measure the noise."""
AT_END = 0.15
"""Share of the pixels at one end of the disparity range; right maps have up to 0.05."""
END = 0.02
"""Share of the range that counts as its end."""
TRUSTED, FEWEST_TRUSTED = 0.05, 0.05
"""Mean confidence, and share of pixels that can be used, below which hardly any pixel is reliable."""
FAR_APART = 5.0
"""Angle, degrees, between neighbouring photographs, as seen from the scene, above which surfaces look different and
hide one another."""
SURE, FEW_SURE = 0.5, 0.5
"""Confidence of a pixel that can be used, and share of such pixels below which photographs are too far apart."""

REORDER = "Check the order of the views with `ioadr doctor`"
REORDER_OR_ALIGN = f"{REORDER}. If it is right, correct shifts, rotations and exposure with ⟦align⟧"
ALIGN = "Photographs may differ in exposure, and poses may be inexact: correct both with ⟦align⟧"
LOOK = "Their poses may be wrong, or objects may have moved or reflected light differently"


def doubts(
    disparity: FloatMap,
    differences: FloatMap,
    confidence: FloatMap,
    image: NDArray[Any],
    white: float,
    limits: DisparityRange,
    advice: str = REORDER,
) -> tuple[str, ...]:
    """Reasons to doubt a map; empty if the views agree with it.

    `differences` are those of the views that see a point from the reference view, in grey levels of 255. `advice` says
    what to do about large ones.
    """
    reasons = []
    mismatch = disagreement(differences, confidence, image, white)
    if mismatch:
        reasons.append(
            f"the views do not agree with the map: they differ by {100 * mismatch:.0f} % of the contrast. {advice}"
        )
    slack = END * limits.extent
    ends = (("smallest", disparity < limits.minimum + slack), ("largest", disparity > limits.maximum - slack))
    for name, at_end in ends:
        share = float(np.mean(at_end))
        if share > AT_END:
            reasons.append(f"{100 * share:.0f} % of the pixels have the {name} disparity: widen ⟦range MIN MAX⟧")
    low = unreliable(confidence)
    return (*reasons, low) if low else tuple(reasons)


def unreliable(confidence: NDArray[Any]) -> str:
    """Why hardly any pixel of a map is reliable; empty if enough are."""
    mean, sure = float(np.mean(confidence, dtype=np.float64)), float(np.mean(confidence > SURE))
    if mean < TRUSTED:
        return f"hardly any pixel is reliable: the mean confidence is {mean:.2f}"
    if sure < FEWEST_TRUSTED:
        return f"hardly any pixel is reliable: {100 * sure:.0f} % have a confidence above {SURE:g}"
    return ""


def disagreement(differences: FloatMap, confidence: FloatMap, image: NDArray[Any], white: float) -> float:
    """`relative_mismatch`, if it is so large that views and map contradict each other, else 0."""
    mismatch = relative_mismatch(differences, image, white)
    return mismatch if mismatch > MISMATCH and float(np.mean(confidence)) < DISTRUST else 0.0


def sparse_doubts(degrees: float, confidence: FloatMap) -> tuple[str, ...]:
    """Doubts about a map of photographs whose neighbours see the scene from directions so far apart."""
    share = float(np.mean(confidence > SURE))
    if degrees < FAR_APART or share >= FEW_SURE:
        return ()
    return (
        f"neighbouring photographs are {degrees:.1f}° apart as seen from the scene, so its depth is coarse: "
        f"{100 * share:.0f} % of the pixels have a confidence above {SURE}. Use photographs that are closer together, "
        f"below {FAR_APART:.0f}°",
    )


def relative_mismatch(differences: FloatMap, image: NDArray[Any], white: float) -> float:
    """Difference between views, less noise, over contrast to the neighbours: in the quarter with most contrast."""
    if min(image.shape[:2]) < 2:
        return 0.0
    grey = mean_of_channels(image, np.float32) * np.float32(255.0 / white)
    contrast = np.abs(np.diff(grey, axis=0))[:, :-1] + np.abs(np.diff(grey, axis=1))[:-1]
    strong = contrast >= np.percentile(contrast, 75)
    beyond = differences[:-1, :-1] - np.float32(np.percentile(differences, NOISE))
    return float(np.median(beyond[strong] / (contrast[strong] + 2)))
