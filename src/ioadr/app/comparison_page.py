"""The page of a comparison: both maps, their signed difference, and what changed."""

from __future__ import annotations

import base64
import io
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ioadr.app.report.markup import details, figure, number_row, page, table
from ioadr.colours import Rgb, coloured, coloured_normals, rgb8, shown_range
from ioadr.io.safety.atomic import atomic_file

if TYPE_CHECKING:
    from ioadr.comparison import Comparison
    from ioadr.result import Estimate

LARGEST = 640
"""px; larger maps are thinned out."""
SHOWN = 0.1
"""px of difference at the ends of the colour scale."""


def write_page(path: str | Path, first: tuple[str, Estimate], second: tuple[str, Estimate], found: Comparison) -> None:
    """`first` and `second` are a name and a result."""
    with atomic_file(path) as temporary:
        content = page_html(first, second, found)
        temporary.write_text(content, encoding="utf-8", errors="backslashreplace")


def page_html(first: tuple[str, Estimate], second: tuple[str, Estimate], found: Comparison) -> str:
    (name, one), (other_name, other) = first, second
    slots = {
        "pictures": "".join(_figure(title, picture) for title, picture in _pictures(one, other, found).items()),
        "shares": table(_shares(found), ("differ by more than", "of all", "of those trusted in both")),
        "parameters": _parameters(found),
    }
    lead = f"What B ({other_name}) changes against A ({name}). Differences are B − A, in px of disparity."
    figures = (
        figure("Mean difference", f"{found.mean:+.4f} px", "positive: B is nearer")
        + figure("Beyond 0.07 px", f"{100 * found.beyond[0.07]:.2f} %", "of the pixels")
        + figure("Data cost", f"{found.costs[0]:.3f} → {found.costs[1]:.3f}", "grey levels; lower is better")
        + figure("Trusted in both", f"{100 * found.trusted.mean():.0f} %", "confidence of at least 0.5")
    )
    title = f"{Path(name).name} and {Path(other_name).name}"
    return page("compare.html", slots, title=title, lead=lead, figures=figures, scripts=[])


def _pictures(one: Estimate, other: Estimate, found: Comparison) -> dict[str, Rgb]:
    low, high = shown_range(np.stack([one.disparity, other.disparity]))
    matters = np.where(found.trusted, found.difference, np.nan)
    return {
        "Reference view": rgb8(one.image, one.white),
        "A, disparity": coloured(one.disparity, low, high),
        "B, disparity": coloured(other.disparity, low, high),
        f"B − A, blue −{SHOWN:g} … red +{SHOWN:g} px": coloured(found.difference, -SHOWN, SHOWN, "signed"),
        "The same where both are trusted": coloured(matters, -SHOWN, SHOWN, "signed"),
        "B, normals": coloured_normals(other.normals),
    }


def _figure(title: str, picture: Rgb) -> str:
    from PIL import Image

    thin = -(-max(picture.shape[:2]) // LARGEST)
    content = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(picture[::thin, ::thin])).save(content, "PNG")
    source = base64.b64encode(content.getvalue()).decode("ascii")
    return (
        f'<figure class="pane"><figcaption>{escape(title)}</figcaption>'
        f'<img src="data:image/png;base64,{source}" alt="{escape(title)}" style="width:100%"></figure>'
    )


def _shares(found: Comparison) -> list[str]:
    trusted = found.beyond_trusted
    return [
        number_row(f"{limit:g} px", f"{100 * share:.2f} %", f"{100 * trusted[limit]:.2f} %")
        for limit, share in found.beyond.items()
    ]


def _parameters(found: Comparison) -> str:
    if not found.parameters:
        return '<p class="note">The parameters are the same.</p>'
    rows = [number_row(name, str(before), str(after)) for name, (before, after) in found.parameters.items()]
    return details(f"{len(rows)} parameters differ", table(rows, ("", "A", "B")))
