"""Light fields for batches, and a real scheduler with workers, started here and ended by their ids."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.builders import make_views, write_hci_scene

pytest.importorskip("distributed", reason="the extra cluster is not installed")

PATIENCE = 180
"""Seconds; the first run ever compiles the kernels."""
SIZE = (40, 48)


def write_scenes(folder: Path, count: int, size: tuple[int, int] = SIZE) -> Path:
    for number in range(count):
        views = make_views(size=size, disparity=-0.4 + 0.2 * number, seed=number)
        write_hci_scene(folder / f"lf{number}", views)
    return folder


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "ioadr", "batch", *(str(argument) for argument in arguments)]


def batch(*arguments: object, patience: float = PATIENCE) -> subprocess.CompletedProcess[str]:
    """`ioadr batch` as a process."""
    done = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=patience, check=False)
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    return done


def summary(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    return found


def finished(out: Path) -> list[str]:
    """Items whose results are marked complete."""
    markers = out.glob("[!.]*/provenance.json")
    return sorted(marker.parent.name for marker in markers)


def wait_until(condition: Callable[[], Any], what: str) -> Any:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited in vain for {what}")


@dataclass
class Cluster:
    """A scheduler on loopback and its workers, all of them separate processes."""

    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        file = self.folder / "scheduler.json"
        return str(wait_until(lambda: file.is_file() and json.loads(file.read_text())["address"], "the scheduler"))

    def start(self, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{what}{len(self.processes)}.log").open("wb")
        with log:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments], stdout=log, stderr=log
            )
        self.processes.append(process)
        return process

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        return self.start(
            *("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show"),
            *("--scheduler-file", str(self.folder / "scheduler.json")),
        )

    def staffed(self, count: int = 2) -> list[subprocess.Popen[bytes]]:
        """So many living workers, of which some may have been there before."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        self.workers += [self._worker() for _ in range(count - len(self.workers))]
        return self.workers

    def _worker(self) -> subprocess.Popen[bytes]:
        return self.start(
            *("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "2GB"),
            *("--host", "127.0.0.1", "--local-directory", str(self.folder)),
        )

    def end(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait(timeout=30)


@pytest.fixture
def threaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of `ioadr batch` in this process are threads of it: processes take seconds to start."""
    from distributed import Client, LocalCluster

    from ioadr.app.batch.cluster import Team
    from ioadr.app.batch.sizing import Crew

    @contextmanager
    def team(crew: Crew, attempts: int, dashboard: bool = False) -> Iterator[Team]:
        size = {"n_workers": crew.workers, "threads_per_worker": 1}
        with (
            LocalCluster(**size, processes=False, dashboard_address="127.0.0.1:0") as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            yield Team(client, True, None)

    monkeypatch.setattr("ioadr.app.batch.run.local_team", team)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Without workers at first; see `staffed`. Starting processes takes longer than what they do, so tests share it."""
    folder = tmp_path_factory.mktemp("dask")
    found = Cluster(folder)
    try:
        found.start_scheduler()
        yield found
    finally:
        with suppress(ProcessLookupError):
            found.end()
