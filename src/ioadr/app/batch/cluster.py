"""Dask's scheduler and workers: those of this machine, or those at an address."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ioadr.app.batch.sizing import Crew
from ioadr.app.start import interrupts
from ioadr.errors import InputError
from ioadr.extras import install
from ioadr.io.safety.doors import one_line

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 20
CLOSE_SECONDS = 5


class TeamLost(Exception):
    """No workers remain; the message, which goes into the summary, says why."""


@dataclass(frozen=True)
class Team:
    """Workers that run tasks."""

    client: Client
    local: bool
    dashboard: str | None

    def capacity(self) -> int:
        """Number of tasks that can run simultaneously; changes as workers come and go."""
        return sum(self.client.nthreads().values())

    def memory(self) -> int | None:
        """Bytes for one task on the smallest worker; None without a limit."""
        limits = [int(w["memory_limit"]) // w["nthreads"] for w in self._workers().values() if w["memory_limit"]]
        return min(limits, default=None)

    def describe(self) -> str:
        workers = self._workers()
        hosts = {worker.get("host") for worker in workers.values()}
        plural = "s" * (len(workers) != 1)
        return f"{len(workers)} worker{plural} on {len(hosts)} machine{'s' * (len(hosts) != 1)}"

    def _workers(self) -> dict[str, Any]:
        """Workers by address. Dask's client sometimes drops them from its information, so ask again."""
        workers: dict[str, Any] = {}
        for _ in range(10):
            workers = self.client.scheduler_info(n_workers=-1)["workers"]
            if len(workers) >= len(self.client.nthreads()):
                break
        return workers


def check_library() -> None:
    """Say how to install Dask, before any work begins."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise InputError(f"batch: needs the package distributed (Dask). {install('cluster')}") from error


@contextmanager
def local_team(crew: Crew, attempts: int, dashboard: bool = False) -> Iterator[Team]:
    """Worker processes on this machine; an item is given up after `attempts` workers died processing it."""
    import dask
    from distributed import Client, LocalCluster

    _hush()
    if dashboard and find_spec("bokeh") is None:
        raise InputError("--dashboard: the library bokeh is missing. Install it with: pip install bokeh.")
    settings = {
        "distributed.scheduler.allowed-failures": attempts - 1,
        # Items hold their arrays while they run; there is nothing that could be spilled or waited for.
        "distributed.worker.memory.target": False,
        "distributed.worker.memory.spill": False,
        "distributed.worker.memory.pause": False,
        "distributed.worker.memory.terminate": 0.95,
        "distributed.comm.timeouts.connect": "60s",
        "distributed.worker.profile.enabled": dashboard,
        "distributed.nanny.pre-spawn-environ": _environment(),
        # Without bokeh, Dask would still serve pages about the run to every user of this machine.
        "distributed.scheduler.http.routes": dask.config.get("distributed.scheduler.http.routes") if dashboard else [],
        "distributed.worker.http.routes": dask.config.get("distributed.worker.http.routes") if dashboard else [],
    }
    form = {
        "n_workers": crew.workers,
        "threads_per_worker": 1,
        "memory_limit": crew.memory,
        "host": "127.0.0.1",
        "security": _credentials(),
        "dashboard_address": "127.0.0.1:0" if dashboard else None,
        "scheduler_kwargs": {"dashboard": dashboard},
        "silence_logs": logging.CRITICAL,
        "preload": "ioadr.app.batch.worker_process",
    }
    with dask.config.set(settings):
        cluster = _started(lambda: LocalCluster(**form), attempts)
        try:
            with Client(cluster, set_as_default=False) as client:
                yield Team(client, True, cluster.dashboard_link if dashboard else None)
        finally:
            with suppress(Exception):
                cluster.close(timeout=CLOSE_SECONDS)


def _environment() -> dict[str, Any]:
    """What Dask sets for workers, except for the allocator.

    With Dask's setting, each array asks for new pages. With the allocator's own, memory is reused, and small light
    fields take two thirds of the time.
    """
    import dask

    given = dask.config.get("distributed.nanny.pre-spawn-environ", default={})
    return {name: value for name, value in given.items() if not name.startswith("MALLOC_")}


def _started(start: Callable[[], Any], attempts: int) -> Any:
    """Start a cluster on this machine; try again if it dies before it is ready."""
    for left in reversed(range(attempts)):
        try:
            # Dask cannot end workers that are half there.
            with interrupts.postponed():
                return start()
        except (RuntimeError, OSError) as error:
            if interrupts.received() is not None:
                raise KeyboardInterrupt from error
            if not left:
                raise TeamLost(
                    f"the workers of this machine did not start ({one_line(error)}). Most often memory runs out: use "
                    "fewer (--workers), or --tiles"
                ) from error
    raise AssertionError("no attempt")


@contextmanager
def remote_team(address: str) -> Iterator[Team]:
    """Workers of a running scheduler, by its address or its file (.json)."""
    from distributed import Client

    _hush()
    try:
        where = {"scheduler_file": address} if address.endswith(".json") else {"address": address}
        client = Client(**where, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, ImportError, TypeError) as error:
        raise InputError(
            f"--scheduler: no Dask scheduler answers at {address} ({one_line(error)}). "
            "Start one with `dask scheduler`, and give the address that it prints, such as tcp://10.0.0.5:8786."
        ) from error
    try:
        dashboard = client.dashboard_link if client.scheduler_info()["services"].get("dashboard") else None
        yield Team(client, False, dashboard)
    finally:
        with suppress(Exception):
            client.close(timeout=CLOSE_SECONDS)


@contextmanager
def connected() -> Iterator[None]:
    """Turn every exception about a lost scheduler into one error."""
    try:
        yield
    except (OSError, CancelledError) as error:
        raise TeamLost(f"the scheduler or the connection to it ended ({one_line(error)})") from error


def _credentials() -> Any:
    """Keys for this run's processes only: anyone who can connect to a scheduler can run code."""
    from distributed.security import Security

    try:
        return Security.temporary()
    except ImportError as error:
        raise InputError(
            "batch: needs the package cryptography, which keeps other users of this machine out of the workers. "
            f"{install('cluster')}"
        ) from error


def _hush() -> None:
    """Silence Dask's log about lost workers; the loop reports each one once."""
    for name in (
        "distributed",
        "distributed.nanny",
        "distributed.scheduler",
        "distributed.client",
        "tornado",
        "asyncio",
    ):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", module="distributed")
