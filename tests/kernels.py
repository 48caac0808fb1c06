"""Compiles the loops that most tests need, once, while tools are installed and types are checked on another core.

    python -m tests.kernels

Without it, processes that test side by side would compile the same loops at the same time. It needs only what
`make demo` needs.
"""

from __future__ import annotations

import ioadr
from ioadr.solver.explain import Explainer
from tests import explored


def main() -> None:
    lightfield = explored.scene().lightfield
    for estimate in (explored.estimate(), explored.finished(), ioadr.estimate(lightfield, "fast")):
        explainer = Explainer(lightfield, estimate)
        explainer.explain(20, 30)
        explainer.ending(20, 30)
    ioadr.align(lightfield)
    ioadr.estimate_views(lightfield, "fast")


if __name__ == "__main__":
    main()
