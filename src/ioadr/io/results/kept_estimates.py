"""Stored estimates of a long run, so that an interrupted run can continue."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from ioadr.errors import InputError, OutputError
from ioadr.io.results.load import load_estimate
from ioadr.io.results.save import plain, save_estimate
from ioadr.io.safety.fingerprint import work_key
from ioadr.lightfield import LightField
from ioadr.parameters import Parameters
from ioadr.result import Estimate

Estimator = Callable[[LightField, Parameters, int], Estimate]
"""Function that estimates a light field with parameters and a seed."""


def keeping(folder: str | os.PathLike[str], estimator: Estimator) -> Estimator:
    """An estimator that stores finished estimates in `folder`, and loads them as long as their inputs are unchanged.

    A damaged one is estimated again. An unusable folder is refused now, not after the first estimate.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be created: {error.strerror}. Choose another with ⟦work DIR⟧.") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"{folder}: not writable. Change its permissions or choose another with ⟦work DIR⟧.")

    def kept(lightfield: LightField, parameters: Parameters, seed: int) -> Estimate:
        row, column = lightfield.reference
        own = Path(folder) / f"{row}_{column}_{_key(lightfield, parameters, seed)}"
        try:
            loaded = load_estimate(own)
            return replace(loaded, name=lightfield.name, source=lightfield.source, layout=lightfield.layout)
        except InputError:
            estimate = estimator(lightfield, parameters, seed)
            save_estimate(estimate, own, ("npz",), overwrite=True)
            return estimate

    return kept


def _key(lightfield: LightField, parameters: Parameters, seed: int) -> str:
    """Hash of everything that an estimate depends on."""
    layout, limits, camera = lightfield.layout, lightfield.range, lightfield.camera
    content = hashlib.blake2b(digest_size=16)
    for row, column in np.argwhere(layout.present):
        content.update(np.ascontiguousarray(lightfield.views[row, column]).data)
    more = {
        "views": [*lightfield.views.shape, lightfield.views.dtype.str, lightfield.white],
        "layout": [layout.reference, layout.eta, layout.positions, layout.present],
        "range": None if limits is None else asdict(limits),
        "camera": None if camera is None else camera.numbers,
        "part": asdict(lightfield.part),
    }
    return work_key(parameters.to_dict(), content.hexdigest(), seed, plain(more))
