"""Measures the processor time of a click in the explorer, over random pixels of a result, on one thread.

NUMBA_NUM_THREADS=1 python -m tests.click_cost SCENE RESULT [--pixels 50]
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import numpy as np

import ioadr
from ioadr.app.explorer import answers
from ioadr.app.explorer.study import Study

WARM = 2
"""First clicks, which load kernels and are not counted."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene")
    parser.add_argument("result")
    parser.add_argument("--pixels", type=int, default=50)
    arguments = parser.parse_args()
    estimate = ioadr.load_estimate(arguments.result)
    study = Study(ioadr.read(arguments.scene), estimate)
    assert study.given is not None
    explainer = study.given.explainer
    pixels = np.random.default_rng(0).integers(0, estimate.disparity.shape, (arguments.pixels + WARM, 2)).tolist()
    taken = np.zeros((len(pixels), 2))
    for index, (row, column) in enumerate(pixels):
        begin = time.process_time()
        json.dumps(answers.pixel(study, explainer.explain(row, column), estimate))
        middle = time.process_time()
        json.dumps(answers.ending(estimate, row, column, explainer.ending(row, column)))
        taken[index] = middle - begin, time.process_time() - middle
    taken = taken[WARM:]
    for name, values in (("pixel", taken[:, 0]), ("steps after the sweeps", taken[:, 1])):
        sys.stdout.write(f"{name}: median {np.median(values):.3f} s, at most {values.max():.3f} s\n")


if __name__ == "__main__":
    main()
