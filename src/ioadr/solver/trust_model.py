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

START = 8.323
"""Logarithm of the odds without any doubt."""
WEIGHTS = {
    "vague": (0.255, 0.829, 0, 0),
    "vague region": (0, 0.143, 1.343, 1.235),
    "pull": (0.062, 0.289, 0.428, 0.122),
    "pull of region": (0, 0.101, 0.665, 2.002),
    "residual": (1.118, 1.165, 0.121, 0.036),
    "torn": (0.486, 0.183, 0.784, 0.323),
    "torn around": (0.159, 0.039, 0.136, 0.261),
    "torn region": (0.289, 0, 0, 0),
    "rival near": (0, 0.189, 0, 0),
    "rival far": (0.2, 0.113, 0.665, 0),
    "rival": (0, 0.153, 0.335, 0.105),
    "rival of region": (0.132, 0, 0, 0),
    "flat": (0.466, 0.345, 0, 0.72),
    "beyond": (0, 0, 0, 0.192),
    "unexplained": (0, 0, 0, 1.052),
    "unseen": (0, 0, 0, 0.261),
    "end": (0.137, 1.382, 1.342, 1.483),
}
"""Amount by which each interval lowers the log odds."""
