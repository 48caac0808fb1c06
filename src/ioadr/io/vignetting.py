"""Finds vignetted views: those at the rim of lenslets, with little or no light."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

DARK = 0.5
"""Share of the light of well-lit views below which a view, or a part of it, is vignetted."""
LIT = 75
"""Percentile of all views that stands for a well-lit one: a third of the views behind a round lens may be dark."""
MANY = 0.1
"""Share of all views that must be dark."""
SIDE = 4
"""Number of parts of an image in each direction."""
FAINT = 0.1
"""Share of the image's brightness below which a part shows too little to compare."""


def vignetted(light: NDArray[Any]) -> NDArray[np.bool_]:
    """[V]: whether views lack light on the whole, or in a part of the image; light [V, N, M].

    Parts count only if many views are dark, as in lenslet images, where a part shows the same content in all views.
    With wide baselines, a part may be dark because of its content.
    """
    parts = _parts(light)
    whole = parts.mean(axis=(1, 2))
    dark: NDArray[np.bool_] = whole < DARK * np.percentile(whole, LIT)
    if dark.mean() >= MANY:
        lit = np.percentile(parts, LIT, axis=0)
        judged = lit > FAINT * lit.mean()
        dark |= ((parts < DARK * lit) & judged).any(axis=(1, 2))
    return dark


def _parts(light: NDArray[Any]) -> NDArray[np.float64]:
    """[V, rows, columns]: means over parts of the image."""
    rows, columns = (np.array_split(np.arange(size), min(SIDE, size)) for size in light.shape[1:])
    means = [[light[:, r[0] : r[-1] + 1, c[0] : c[-1] + 1].mean(axis=(1, 2)) for c in columns] for r in rows]
    return np.moveaxis(np.array(means, dtype=np.float64), -1, 0)
