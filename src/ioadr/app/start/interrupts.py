"""Ctrl-C, termination and a closed terminal at any point.

All raise KeyboardInterrupt, so that unfinished files are removed on the way out. Python drops an exception that is
raised inside a callback of compiled code (numba's compiler has some), so it is raised again a moment later. While the
main thread imports a module, nothing is raised: the import system would keep its locks, and later imports would wait
for them forever. Neither is it while LLVM works: without the answer of a callback that was interrupted, it loads
wrong code, and crashes.

An exception may also leave a lock behind that another thread waits for, or come late, because compiled code or an
import takes its time. A thread that receives the signal itself then ends the process: results are whole or absent
at any moment, and the next run removes what is unfinished.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

AGAIN_AFTER_SECONDS = 0.05
POSTPONED_SECONDS = 10.0
"""Seconds after which a block that has not ended is interrupted anyway."""
ENDS_AFTER_SECONDS = 20.0
"""Seconds after which a process that is still running is ended."""
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Handled signals. A terminal that is closed sends the last one, which Windows does not have."""
LLVM = f"{os.sep}llvmlite{os.sep}"
"""Part of the file names of code that calls LLVM or is called by it."""

_received: list[int] = []
_postponing = False
_limits: list[threading.Timer] = []
_soon: list[threading.Timer] = []
_releasing = threading.Lock()
"""Held while a signal is sent again, which would end the process if it had been released meanwhile."""


def install() -> None:
    """Handle this process' signals, unless they are ignored."""
    sys.unraisablehook = _raise_again
    hear, tell = os.pipe()
    with suppress(AttributeError, OSError):  # Windows neither needs it nor always has it
        os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    threading.Thread(target=_end_in_time, args=[hear], name="ioadr signals", daemon=True).start()
    # Last: until here a signal ends the process at once, as there is nothing to tidy up.
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise)


def _end_in_time(hear: int) -> None:
    """Wait for a signal, then for the end of the process, which does not need the main thread."""
    number = 0
    while number not in SIGNALS:
        number = os.read(hear, 1)[0]
    time.sleep(ENDS_AFTER_SECONDS)
    with suppress(OSError):
        os.write(2, b"ioadr: interrupted, and ended because it took too long to stop. The next run tidies up.\n")
    with suppress(Exception):
        for child in sys.modules["multiprocessing"].active_children():
            child.kill()
    os._exit(128 + number)


def release() -> None:
    """Restore the system's handling: everything is tidied up, so a signal may end the process immediately."""
    with _releasing:
        for number in SIGNALS:
            if signal.getsignal(number) is _raise:
                signal.signal(number, signal.SIG_DFL)


def end(code: int) -> NoReturn:
    """End immediately: Python would first free what interrupted threads still use, and crash; it also takes 0.05 s.

    Worker processes share semaphores that only Python's own exit releases, and it ends clusters.
    """
    if not sys.modules.keys().isdisjoint(("multiprocessing.synchronize", "distributed")):
        sys.exit(code)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


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
    if _must_not_break_off(frame):
        _interrupt_soon()
        return
    if not _postponing or _limits:
        raise KeyboardInterrupt
    _limits.append(_interrupt_after(POSTPONED_SECONDS))


def _must_not_break_off(frame: FrameType | None) -> bool:
    """Whether the interrupted code runs inside an import, or is called by LLVM."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib") or LLVM in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def _raise_again(dropped: Any) -> None:
    """Hook for errors that cannot be caught: raise interrupts again, report others unless an interrupt caused them."""
    if issubclass(dropped.exc_type, KeyboardInterrupt):
        _interrupt_soon()
    elif not _received:
        sys.__unraisablehook__(dropped)


def _interrupt_soon() -> None:
    """Raise it once, however many signals are waiting."""
    if not _soon:
        _soon.append(_interrupt_after(AGAIN_AFTER_SECONDS))


def _interrupt_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, _signal_again)
    timer.daemon = True
    timer.start()
    return timer


def _signal_again() -> None:
    """Send a real signal, which wakes a waiting main thread; `interrupt_main` would not.

    It is the signal that was received: others may be ignored, as Ctrl-C is for background jobs of a shell.
    """
    _soon.clear()
    number = signal.Signals(received() or signal.SIGINT)
    with _releasing:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.SIG_IGN):
            return
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(threading.main_thread().ident or 0, number)
        else:
            _thread.interrupt_main(number)
