"""Maps of a small scene, with which tests compare: `make golden` estimates them again.

Estimations are deterministic, so that a map changes only with the method. Whoever changes the method on purpose runs
this and commits what it wrote, with the reason.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import ioadr
from ioadr.evaluation.synthetic import demo
from ioadr.parameters import PRESETS

FILE = Path(__file__).with_suffix(".npz")


def maps() -> dict[str, NDArray[np.float32]]:
    """By preset, of the demo's trellis before a wall: 5×5 views of 56×48 px."""
    lightfield = demo(size=(48, 56), grid=(5, 5)).light_field
    return {name: ioadr.estimate(lightfield, name, seed=0).disparity for name in PRESETS}


if __name__ == "__main__":
    np.savez_compressed(FILE, **maps())  # type: ignore[arg-type]  # names are no other arguments
