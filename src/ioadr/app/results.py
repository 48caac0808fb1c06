"""Opens a folder of results, and the light field they came from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import ioadr
from ioadr.errors import InputError

if TYPE_CHECKING:
    from ioadr.lightfield import LightField
    from ioadr.result import Estimate


def open_lightfield(estimate: Estimate, folder: str, path: str | None) -> LightField:
    """The light field at `path`, or else where the estimate says it came from, with the estimate's reference view."""
    found = path or estimate.source.path
    if not found or not Path(found).exists():
        raise InputError(
            f"{folder}: expected its light field at {found or 'a path named in provenance.json'}, found none. "
            "Say where it is with --lightfield PATH."
        )
    lightfield = ioadr.read(found, **estimate.source.options)
    if (lightfield.height, lightfield.width) != estimate.disparity.shape:
        height, width = estimate.disparity.shape
        raise InputError(
            f"{found}: expected views of {width}×{height} px as in {folder}, "
            f"found {lightfield.width}×{lightfield.height}. Give the light field that was estimated."
        )
    return lightfield.with_(reference=estimate.layout.reference)
