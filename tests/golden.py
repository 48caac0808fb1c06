"""Maps of a small scene, with which tests compare: `make golden` estimates them again.

Estimations are deterministic, so that on one kind of processor a map changes only with the method. On another, sums
may differ in their last bits, and `best` carries that on: 17 % of this scene's pixels end more than 0.01 px away with
instructions of another generation, at equal scores. After a deliberate change of the method, run this and commit the
files, with the reason.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core import config
from numpy.typing import NDArray

import ioadr
from ioadr.evaluation.synthetic import demo
from ioadr.presets import PRESETS

FILE = Path(__file__).with_suffix(".npz")
PROCESSOR = "processor"
"""Name in the file."""


def processor() -> str:
    """For which machine code is generated, and by what."""
    target = config.CPU_NAME or llvm.get_host_cpu_name(), config.CPU_FEATURES or llvm.get_host_cpu_features().flatten()
    return hashlib.sha256(repr((numba.__version__, *target)).encode()).hexdigest()[:16]


def maps() -> dict[str, NDArray[np.float32]]:
    """By preset, of the demo's trellis before a wall: 5×5 views of 56×48 px."""
    lightfield = demo(size=(48, 56), grid=(5, 5)).lightfield
    return {name: ioadr.estimate(lightfield, name, seed=0).disparity for name in PRESETS}


if __name__ == "__main__":
    np.savez_compressed(FILE, **{PROCESSOR: np.array(processor()), **maps()})  # type: ignore[arg-type]  # no other arguments
