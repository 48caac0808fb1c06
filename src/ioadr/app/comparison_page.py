"""The page of a comparison: both maps, their signed difference, and the figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ioadr.app.pages import render
from ioadr.app.words import percentage
from ioadr.colours import Rgb, coloured, coloured_normals, rgb8, shown_range

if TYPE_CHECKING:
    from PIL import Image

    from ioadr.comparison import Comparison
    from ioadr.result import Estimate

LARGEST = 640
"""Largest side of a map, px; larger ones are thinned out."""
SHOWN = 0.1
"""Difference at the ends of the colour scale, px."""


def page_html(first: tuple[str, Estimate], second: tuple[str, Estimate], comparison: Comparison) -> str:
    """The page; `first` and `second` are each a name and a result."""
    (name, one), (other_name, other) = first, second
    meaning = "grey levels; lower fits the views better" if comparison.same_data else "grey levels; not comparable"
    beyond, trusted, costs = comparison.beyond, comparison.beyond_trusted, comparison.costs
    return render(
        "compare.html",
        title=f"{Path(name).name} and {Path(other_name).name}",
        lead=f"How B ({other_name}) differs from A ({name}). Differences are B − A, in px of disparity.",
        figures=[
            ("Mean difference", f"{comparison.mean:+.4f} px".replace("-", "−"), "positive: B is nearer"),
            ("Beyond 0.07 px", percentage(beyond[0.07]), "of the pixels"),
            ("Data cost", f"{costs[0]:.3f} → {costs[1]:.3f}", meaning),
            ("Trusted in both", f"{100 * comparison.trusted.mean():.0f} %", "confidence of at least 0.5"),
        ],
        pictures={title: _thinned(picture) for title, picture in _pictures(one, other, comparison).items()},
        shares=[(f"{limit:g} px", percentage(beyond[limit]), percentage(trusted[limit])) for limit in beyond],
        parameters=[(name, *values) for name, values in comparison.parameters.items()],
    )


def _pictures(one: Estimate, other: Estimate, comparison: Comparison) -> dict[str, Rgb]:
    low, high = shown_range(np.stack([one.disparity, other.disparity]))
    matters = np.where(comparison.trusted, comparison.difference, np.nan)
    return {
        "Reference view": rgb8(one.image, one.white),
        "A, disparity": coloured(one.disparity, low, high),
        "B, disparity": coloured(other.disparity, low, high),
        f"B − A, blue −{SHOWN:g} … red +{SHOWN:g} px": coloured(comparison.difference, -SHOWN, SHOWN, "signed"),
        "B − A where both are trusted": coloured(matters, -SHOWN, SHOWN, "signed"),
        "B, normals": coloured_normals(other.normals),
    }


def _thinned(picture: Rgb) -> Image.Image:
    from PIL import Image

    thin = -(-max(picture.shape[:2]) // LARGEST)
    return Image.fromarray(np.ascontiguousarray(picture[::thin, ::thin]))
