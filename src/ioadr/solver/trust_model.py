"""Weights of the reasons to doubt, from scripts/calibrate_confidence.py and synthetic scenes only.

Between two knots, a reason lowers the logarithm of the odds in proportion to its weight; weights add up.
"""

from __future__ import annotations

from math import log

KNOTS = {
    "vague": (log(0.004), log(0.012), log(0.03), log(0.08), log(0.25)),
    "vague region": (log(0.003), log(0.008), log(0.02), log(0.05), log(0.15)),
    "pull": (log(0.004), log(0.01), log(0.03), log(0.06), log(0.1)),
    "pull of region": (log(0.0035), log(0.006), log(0.012), log(0.03), log(0.08)),
    "residual": (log(0.4), log(1), log(2.5), log(6), log(15)),
    "torn": (0, 0.1, 0.25, 0.5, 0.8),
    "torn around": (0, 0.1, 0.25, 0.5, 0.8),
    "torn region": (0, 0.03, 0.1, 0.2, 0.4),
    "rival near": (-3, -1, -0.3, 0, 0.3),
    "rival far": (-3, -1, -0.3, 0, 0.3),
    "rival": (-3, -1.2, -0.5, -0.1, 0.2),
    "rival of region": (-3, -1.2, -0.5, -0.1, 0.2),
    "flat": (-3, -1, -0.4, -0.1, 0.1),
    "beyond": (-3, -1.2, -0.5, -0.1, 0.2),
    "unexplained": (0, 0.1, 0.25, 0.5, 0.8),
    "unseen": (0, 0.15, 0.35, 0.6, 0.9),
    "end": (0, 0.1, 0.3, 0.6, 1),
}
"""Knots of each reason in `solver.evidence`, in its unit."""

START = 7.847
"""Logarithm of the odds without any doubt."""
WEIGHTS = {
    "vague": (0.342, 0.357, 0, 0.277),
    "vague region": (0, 0.09, 0.519, 2.186),
    "pull": (0, 0.335, 0.574, 0.321),
    "pull of region": (0.006, 0.29, 0.68, 0.71),
    "residual": (1.105, 1.037, 0.518, 1.319),
    "torn": (0.431, 0.238, 0.789, 0.369),
    "torn around": (0.289, 0.16, 0.199, 0.232),
    "torn region": (0.27, 0, 0, 0),
    "rival near": (0.028, 0.234, 0, 0),
    "rival far": (0.159, 0.144, 0.474, 0),
    "rival": (0, 0, 0.211, 0),
    "rival of region": (0, 0, 0, 0),
    "flat": (0, 0.3, 0, 0.306),
    "beyond": (0, 0, 0, 0.934),
    "unexplained": (0, 0, 0, 0.179),
    "unseen": (0, 0, 0, 0.635),
    "end": (0, 0.889, 1.737, 2.006),
}
"""Amount by which each interval lowers the log odds."""
