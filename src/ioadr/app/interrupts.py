"""Ctrl-C and termination, wherever they strike.

Both raise KeyboardInterrupt, so that unfinished files are removed on the way out. Python drops an exception that is
raised inside a callback of compiled code (numba's compiler has some): it is raised again a moment later.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from typing import Any, NoReturn

AGAIN_AFTER_SECONDS = 0.05

_received: list[int] = []


def install() -> None:
    """Take over the signals of this process, unless it was told to ignore them."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise)
    sys.unraisablehook = _raise_again


def received() -> int | None:
    """Number of the signal that ended this process' work."""
    return _received[0] if _received else None


def _raise(number: int, frame: Any) -> NoReturn:
    _received.append(number)
    raise KeyboardInterrupt


def _raise_again(dropped: Any) -> None:
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
        return
    timer = threading.Timer(AGAIN_AFTER_SECONDS, _thread.interrupt_main)
    timer.daemon = True
    timer.start()
