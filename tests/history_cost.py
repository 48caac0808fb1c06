"""Measures what it costs to keep the history of every pixel: processor time and peak memory, in turn with and without.

python -m tests.history_cost SCENE [--preset best] [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys

MEASURE = """
import json, resource, sys, time
import ioadr
from ioadr.solver import keeping
kept, scene, preset = sys.argv[1] == "kept", sys.argv[2], sys.argv[3]
if not kept:
    keeping.SMALL = 2.0  # no image is that large a part of itself
spent = [0.0]
def timed(method):
    def call(*arguments):
        begun = time.thread_time()
        try:
            return method(*arguments)
        finally:
            spent[0] += time.thread_time() - begun
    return call
for name in ("__init__", "step", "way"):
    setattr(keeping.Keeper, name, timed(getattr(keeping.Keeper, name)))
lightfield = ioadr.read(scene)
ioadr.estimate(lightfield.crop(ioadr.Window(0, 0, 64, 64)), preset, threads=1)  # loads the kernels
spent[0], begun = 0.0, time.process_time()
estimate = ioadr.estimate(lightfield, preset, threads=1)
total = time.process_time() - begun
assert (estimate.way is not None) == kept
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"total": total, "keeping": spent[0], "peak": peak}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene")
    parser.add_argument("--preset", default="best")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    runs: dict[str, list[dict[str, float]]] = {"kept": [], "not kept": []}
    for _ in range(arguments.rounds):
        for kind, measured in runs.items():
            command = [sys.executable, "-c", MEASURE, kind, arguments.scene, arguments.preset]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            measured.append(json.loads(done.stdout.splitlines()[-1]))
            figures = ", ".join(f"{name} {value:.2f}" for name, value in measured[-1].items())
            sys.stdout.write(f"{kind}: {figures}\n")
            sys.stdout.flush()
    shares = [100 * run["keeping"] / (run["total"] - run["keeping"]) for run in runs["kept"]]
    peaks = {kind: statistics.median(run["peak"] for run in measured) for kind, measured in runs.items()}
    sys.stdout.write(
        f"keeping takes {min(shares):.2f} … {max(shares):.2f} % of the processor time without it, "
        f"{peaks['kept'] - peaks['not kept']:.1f} MB at the peak ({peaks['kept']:.0f} MB)\n"
    )


if __name__ == "__main__":
    main()
