"""Estimations for a page: one at a time, with progress, stopped when the page goes away."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from ioadr.app.start import internal_error
from ioadr.errors import InputError, IoadrError

if TYPE_CHECKING:
    from starlette.requests import Request

LISTENING_SECONDS = 0.2
"""Seconds between checks whether the page is still open."""
MOST_WAITING = 20

Tell = Callable[[dict[str, Any]], None]
Work = Callable[[Tell], dict[str, Any]]


class Cancelled(Exception):
    """The page went away or cancelled the run."""


class Runs:
    """All estimations of an explorer. Each uses all cores, so they run one after another."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "ioadr-explore")
        self._open: set[threading.Event] = set()

    @property
    def waiting(self) -> int:
        """Number of waiting runs, including the active one."""
        return len(self._open)

    def stop(self) -> None:
        """Stop all runs, without waiting for the current sweep."""
        for cancelled in list(self._open):
            cancelled.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def told(self, request: Request, work: Work) -> AsyncIterator[bytes]:
        """Lines of JSON: the progress of `work`, and finally its result or the reason for its failure."""
        cancelled, lines = threading.Event(), asyncio.Queue[dict[str, Any] | None]()
        loop = asyncio.get_running_loop()

        def tell(line: dict[str, Any] | None) -> None:
            if cancelled.is_set():
                raise Cancelled
            loop.call_soon_threadsafe(lines.put_nowait, line)

        self._open.add(cancelled)
        try:
            yield _line({"state": "waiting" if self.waiting > 1 else "starting"})
            self._pool.submit(_guarded, work, tell)
            while True:
                try:
                    line = await asyncio.wait_for(lines.get(), LISTENING_SECONDS)
                except TimeoutError:
                    if cancelled.is_set() or await request.is_disconnected():
                        return
                    continue
                if line is None:
                    return
                yield _line(line)
        finally:
            cancelled.set()
            self._open.discard(cancelled)

    def check_free(self) -> None:
        if self.waiting >= MOST_WAITING:
            raise InputError(f"estimation: {MOST_WAITING} are waiting already. Try again later.")


def _guarded(work: Work, tell: Callable[[dict[str, Any] | None], None]) -> None:
    """Run in the worker's thread; an error is sent like a result."""
    try:
        try:
            tell({"state": "running"})
            tell(work(tell))
        except IoadrError as error:
            tell({"error": error.for_command_line()})
        except MemoryError:
            tell({"error": "not enough memory. Use fewer or smaller views, or close other programs."})
        except Cancelled:
            raise
        except Exception as error:
            tell({"error": internal_error.told(error)})
        tell(None)
    except (Cancelled, RuntimeError):  # nobody listens: the page is gone, or the server's loop is
        return


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode() + b"\n"
