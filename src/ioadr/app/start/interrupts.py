"""Ctrl-C and termination at any point.

Both raise KeyboardInterrupt, so that unfinished files are removed on the way out. Python drops an exception that is
raised inside a callback of compiled code (numba's compiler has some), so it is raised again a moment later. While the
main thread imports a module, nothing is raised: the import system would keep its locks, and later imports would wait
for them forever.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

AGAIN_AFTER_SECONDS = 0.05
POSTPONED_SECONDS = 10.0
"""After which a block that has not ended is interrupted anyway."""

_received: list[int] = []
_postponing = False
_limits: list[threading.Timer] = []


def install() -> None:
    """Handle this process' signals, unless they are ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise)
    sys.unraisablehook = _raise_again


def release() -> None:
    """Restore the system's handling: everything is tidied up, so a signal may end the process at once."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is _raise:
            signal.signal(number, signal.SIG_DFL)


def received() -> int | None:
    """Number of the signal that was received."""
    return _received[0] if _received else None


@contextmanager
def postponed() -> Iterator[None]:
    """Postpone signals until the block ends; processes started in it ignore Ctrl-C."""
    global _postponing
    earlier, before, _postponing = len(_received), _block_interrupts(), True
    try:
        yield
    finally:
        _postponing = False
        while _limits:
            _limits.pop().cancel()
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if len(_received) > earlier:
        raise KeyboardInterrupt


def _block_interrupts() -> set[int] | None:
    """Block signals for this thread and those it starts; return the previous mask, None if the system has none."""
    if not hasattr(signal, "pthread_sigmask"):
        return None
    from multiprocessing import resource_tracker

    # Multiprocessing would start it together with the first process, and lift the block thereafter.
    resource_tracker.ensure_running()
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}))


def _raise(number: int, frame: FrameType | None) -> None:
    _received.append(number)
    if _imports(frame):
        _interrupt_after(AGAIN_AFTER_SECONDS)
        return
    if not _postponing or _limits:
        raise KeyboardInterrupt
    _limits.append(_interrupt_after(POSTPONED_SECONDS))


def _imports(frame: FrameType | None) -> bool:
    """Whether the interrupted code runs inside an import."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _raise_again(dropped: Any) -> None:
    """Hook for errors that cannot be caught: raise interrupts again, report others unless an interrupt caused them."""
    if issubclass(dropped.exc_type, KeyboardInterrupt):
        _interrupt_after(AGAIN_AFTER_SECONDS)
    elif not _received:
        sys.__unraisablehook__(dropped)


def _interrupt_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, _thread.interrupt_main)
    timer.daemon = True
    timer.start()
    return timer
