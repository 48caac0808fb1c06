"""Measures the processor time of a click in the explorer, over many pixels of a result, on one thread.

The first click also counts: the explorer prepares it while its page loads.

NUMBA_NUM_THREADS=1 python -m tests.click_cost SCENE RESULT [--pixels 120]
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import numpy as np

import ioadr
from ioadr import Estimate
from ioadr.app.explorer import answers
from ioadr.app.explorer.study import Study

LIMIT = 0.3
"""Seconds of one core that a click may take."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene")
    parser.add_argument("result")
    parser.add_argument("--pixels", type=int, default=120)
    arguments = parser.parse_args()
    estimate = ioadr.load_estimate(arguments.result)
    study = Study(ioadr.read(arguments.scene), estimate)
    study.warm()
    assert study.given is not None
    explainer = study.given.explainer
    taken = []
    for row, column in pixels(estimate, arguments.pixels):
        begin = time.process_time()
        json.dumps(answers.pixel(study, explainer.explain(row, column), estimate))
        middle = time.process_time()
        json.dumps(answers.ending(estimate, row, column, explainer.ending(row, column)))
        taken.append((middle - begin, time.process_time() - middle))
    first, rest = np.array(taken).T
    for name, values in (("answer", first), ("panels after it", rest), ("click", first + rest)):
        sys.stdout.write(f"{name}: median {np.median(values):.3f} s, at most {values.max():.3f} s\n")
    sys.stdout.write(f"{np.count_nonzero(first + rest > LIMIT)} of {len(taken)} clicks took more than {LIMIT} s\n")


def pixels(estimate: Estimate, count: int) -> list[list[int]]:
    """Pixels all over the image, beside jumps if they are known, and the corners."""
    random, (height, width) = np.random.default_rng(0), estimate.disparity.shape
    chosen = random.integers(0, (height, width), (count - 4, 2))
    borders = np.argwhere(estimate.coverage != 1) if estimate.coverage is not None else chosen[:0]
    if len(borders):
        chosen[::3] = random.choice(borders, len(chosen[::3]))
    return [*chosen.tolist(), [0, 0], [0, width - 1], [height - 1, 0], [height - 1, width - 1]]


if __name__ == "__main__":
    main()
