"""Start of the command: Ctrl-C while Python still loads modules ends it immediately, without a traceback.

Streams that the shell closed (`2>&-`) become the null device, so that printing to them does not fail. Letters that a
console's encoding lacks (cp1252 has no η) are printed as escapes. numpy's warnings about unusual numbers are hidden
unless Python was started with `-W`. numpy's linear algebra gets one thread: our matrices are tiny, and OpenBLAS' own
threads wait for work by spinning.
"""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import warnings

RARELY = 200_000
"""Threshold of the garbage collector. Python's 700 costs a tenth of the start and finds nothing. An estimation makes
120,000 objects, nearly all while modules are loaded."""


def main() -> None:
    gc.set_threshold(RARELY)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported
    if not sys.warnoptions:
        warnings.simplefilter("ignore", RuntimeWarning)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # until the process ends
        elif isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ioadr.app.cli import main

    main()
