"""Killed workers, killed batches, bad items, interrupts: nothing is lost or done twice, everything is reported."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterable
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest.mock import Mock
from urllib.error import HTTPError
from urllib.request import urlopen

import numpy as np
import pytest

import ioadr
from ioadr import preset
from tests.marks import some_quick
from tests.unit.app.batch.conftest import Cluster, batch, command, finished, summary, wait_until, write_scenes

psutil = pytest.importorskip("psutil")

SLOW = (
    *("--preset", "paper", "--no-report", "--save", "pfm,npy"),
    *("--set", "search.sweeps=40", "--set", "planar.first_sweep=40"),
)
"""An item takes long enough to be caught in the middle."""

INTERRUPTED = "ioadr: interrupted. Unfinished files have been removed."

posix = pytest.mark.skipif(os.name == "nt", reason="signals are sent in the POSIX way")


def complete(folder: Path) -> bool:
    """Whether the folder holds all the files that its marker names."""
    marker = folder / "provenance.json"
    return marker.is_file() and all((folder / name).is_file() for name in json.loads(marker.read_text())["files"])


def stamps(out: Path) -> dict[str, int]:
    return {name: (out / name / "provenance.json").stat().st_mtime_ns for name in finished(out)}


@pytest.mark.slow
@posix
def test_a_killed_worker_costs_nothing_but_time(tmp_path, cluster, cli):
    scenes, out = write_scenes(tmp_path / "scenes", 6), tmp_path / "out"
    workers = cluster.staffed(2)
    with subprocess.Popen(
        command(scenes, "--out", out, "--scheduler", cluster.address, *SLOW),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            wait_until(lambda: len(finished(out)) >= 2 or process.poll() is not None, "two finished items")
            assert 2 <= len(finished(out)) < 5, "the worker must be killed in the middle"
            os.kill(workers[0].pid, signal.SIGKILL)
            _, err = process.communicate(timeout=180)
        finally:
            process.kill()
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert finished(out) == [f"lf{number}" for number in range(6)]
    assert summary(out)["counts"] == {"done": 6, "kept": 0, "failed": 0, "left": 0}
    assert not list(out.rglob(".ioadr-*"))
    parameters = preset("paper").vary({"search.sweeps": 40, "planar.first_sweep": 40})
    for number in range(6):
        single = ioadr.estimate(ioadr.read(scenes / f"lf{number}"), parameters)
        single.save(tmp_path / "single" / str(number), formats=("pfm", "npy"))
        for name in ("disparity.pfm", "depth.pfm", "visible_views.npy", "normals.npy"):
            expected = (tmp_path / "single" / str(number) / name).read_bytes()
            assert (out / f"lf{number}" / name).read_bytes() == expected, (number, name)
    before = stamps(out)
    assert cli("batch", scenes, "--out", out, "--scheduler", cluster.address, "--resume", *SLOW).code == 0
    assert stamps(out) == before
    assert summary(out)["counts"] == {"done": 0, "kept": 6, "failed": 0, "left": 0}


@posix
def test_a_batch_with_bad_items_is_interrupted_killed_and_goes_on(tmp_path, cluster, cli):
    """Finished items are never touched again, bad ones are named each time, no file is half-written."""
    scenes, out = write_scenes(tmp_path / "scenes", 7), tmp_path / "out"
    corrupt = scenes / "lf2" / "input_Cam004.png"
    corrupt.write_bytes(corrupt.read_bytes()[:200])
    np.lib.format.open_memmap(scenes / "large.npy", mode="w+", dtype=np.uint8, shape=(9, 9, 2048, 2048, 3))
    arguments = (scenes, "--out", out, *SLOW)
    alone = ("--workers", 1, "--memory", "1.5G")

    code, err = ended(signal.SIGINT, 2, out, *arguments, *alone)
    assert code == 130, err
    counts = summary(out)["counts"]
    assert counts["left"] >= 1
    assert counts["done"] == len(finished(out))
    assert not list(out.rglob(".ioadr-*"))
    first = stamps(out)

    code, err = ended(signal.SIGKILL, 4, out, *arguments, *alone, "--resume")
    assert code == -signal.SIGKILL, err
    second = stamps(out)
    assert {name: second[name] for name in first} == first, "finished items are not done again"
    items = [folder for folder in out.iterdir() if folder.is_dir() and not folder.name.startswith(".")]
    assert all(complete(folder) for folder in items)

    cluster.staffed(1)
    done = cli("batch", *arguments, "--scheduler", cluster.address, "--resume")
    assert done.code == 1
    third = stamps(out)
    assert sorted(third) == ["lf0", "lf1", "lf3", "lf4", "lf5", "lf6"]
    assert {name: third[name] for name in second} == second
    assert summary(out)["counts"] == {"done": 6 - len(second), "kept": len(second), "failed": 2, "left": 0}
    assert not list(out.rglob(".ioadr-*"))
    check_failures(out, done.out)


@posix
@pytest.mark.parametrize("number", some_quick([signal.SIGINT, signal.SIGTERM], [signal.SIGINT]))
def test_an_interrupt_while_workers_start(tmp_path, number):
    """Ctrl-C reaches them as well, before they know what to do about it."""
    scenes, out = write_scenes(tmp_path / "scenes", 1), tmp_path / "out"
    arguments = command(scenes, "--out", out, "--workers", 1, *SLOW)
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            wait_until(lambda: begun(process.pid) or process.poll() is not None, "a worker that starts")
            os.killpg(process.pid, number)
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, err.strip()) == (128 + number, INTERRUPTED)
    assert finished(out) == []


def begun(parent: int) -> bool:
    """Whether a worker's process exists; multiprocessing names what it starts so."""
    return any("spawn_main" in " ".join(child.cmdline()) for child in psutil.Process(parent).children(recursive=True))


def ended(number: int, after: int, out: Path, *arguments: object) -> tuple[int, str]:
    """Exit code and messages of a batch that was sent a signal when so many items were finished."""
    with subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            wait_until(lambda: len(finished(out)) >= after or process.poll() is not None, f"{after} finished items")
            # An interrupt reaches all processes of a terminal, a kill only the one that it is meant for.
            (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert "Traceback" not in err
    return process.returncode, err


def check_failures(out: Path, told: str) -> None:
    """The corrupt and the too large item are named with their reasons wherever a person looks."""
    found = {item["name"]: item for item in summary(out)["items"]}
    assert "input_Cam004.png" in found["lf2"]["reason"]
    assert "needs about" in found["large"]["reason"]
    assert "--tiles" in found["large"]["reason"]
    assert f"failed: lf2: {found['lf2']['reason']}" in told
    with (out / "summary.csv").open(encoding="utf-8", newline="") as stream:
        rows = {row["name"]: row for row in csv.DictReader(stream)}
    assert [name for name, row in rows.items() if row["state"] == "failed"] == ["large", "lf2"]
    assert (out / "index.html").read_text(encoding="utf-8").count('class="state failed"') == 2


def test_an_item_that_kills_workers_is_given_up():
    """And only it: what the others were doing is done elsewhere. Meanwhile no pages are served to other users."""
    from ioadr.app.batch.cluster import local_team
    from ioadr.app.batch.jobs import Lost, Task
    from ioadr.app.batch.loop import Loop
    from ioadr.app.batch.sizing import Crew

    found: dict[str, object] = {}

    def job(name, function, *arguments):
        [result] = yield [Task(name, function, arguments)]
        found[name] = result

    with local_team(Crew(2, 1, 10**9), attempts=2) as team:
        jobs = [job("deadly", os._exit, 1), *(job(f"good{n}", pow, n, 2) for n in range(6))]
        Loop(team, lambda name: None, lambda capacity: None).run(jobs)
        assert team.dashboard is None
        check_no_pages(team.client.scheduler_info()["services"].values())
    deadly = found.pop("deadly")
    assert isinstance(deadly, Lost)
    assert "given up, because 2 workers in a row died processing it" in deadly.reason
    assert found == {f"good{n}": n * n for n in range(6)}


def check_no_pages(ports: Iterable[int]) -> None:
    for port in ports:
        for page in ("info/main/workers.html", "health", "json/counts.json", "status", ""):
            with pytest.raises(HTTPError, match="404"):
                urlopen(f"http://127.0.0.1:{port}/{page}", timeout=10)


@pytest.mark.parametrize(("failures", "who"), [(0, "because a worker died"), (2, "because 3 workers in a row died")])
def test_why_an_item_was_given_up(failures, who):
    from distributed.scheduler import KilledWorker

    from ioadr.app.batch.jobs import Lost, Task
    from ioadr.app.batch.loop import _result

    future = Mock()
    future.result.side_effect = KilledWorker("lf 1", Mock(address="tcp://10.0.0.7:1"), failures)
    found = _result(future, Task("lf 1", pow, (1, 2)))
    assert isinstance(found, Lost)
    assert f"lf 1: given up, {who} processing it, the last one tcp://10.0.0.7:1." in found.reason
    assert "--tiles" in found.reason


def stopped_run(monkeypatch, capsys, tmp_path, team):
    """Exit code, messages and summary of a batch whose team is lost."""
    from ioadr.app.cli import run

    monkeypatch.setattr("ioadr.app.batch.run.local_team", team)
    scenes, out = write_scenes(tmp_path / "scenes", 2), tmp_path / "out"
    code = run(["batch", str(scenes), "--out", str(out)])
    return code, capsys.readouterr().err, summary(out)


@pytest.mark.parametrize("error", [OSError("Timed out"), CancelledError("lost"), ConnectionResetError("reset")])
def test_a_scheduler_that_dies_is_told_in_the_summary(monkeypatch, capsys, tmp_path, error):
    @contextmanager
    def team(*_):
        lost = Mock(local=False, dashboard=None)
        lost.describe.return_value = "a team"
        lost.memory.return_value = None
        lost.capacity.side_effect = error
        yield lost

    code, told, found = stopped_run(monkeypatch, capsys, tmp_path, team)
    assert code == 1
    assert "stopped: the scheduler or the connection to it ended" in told
    assert found["counts"] == {"done": 0, "kept": 0, "failed": 0, "left": 2}
    assert "continue with --resume" in found["items"][0]["reason"]


def test_workers_that_die_for_good_are_told_in_the_summary(monkeypatch, capsys, tmp_path):
    """Dask gives up starting them again where that takes too long, and would wait for others forever."""
    monkeypatch.setattr("ioadr.app.batch.loop.AWAY", 0.05)

    @contextmanager
    def team(*_):
        dead = Mock(local=True, dashboard=None)
        dead.describe.return_value = "a team"
        dead.memory.return_value = None
        dead.capacity.return_value = 0
        yield dead

    code, told, found = stopped_run(monkeypatch, capsys, tmp_path, team)
    assert code == 1
    assert "stopped: the workers of this machine died and did not come back" in " ".join(told.split())
    assert found["counts"]["left"] == 2


def test_workers_that_never_start_are_told_in_the_summary(monkeypatch, capsys, tmp_path):
    from ioadr.app.batch import cluster as module

    starts = Mock(side_effect=RuntimeError("Nanny failed to start."))

    @contextmanager
    def team(crew, attempts, dashboard):
        yield module._started(starts, attempts)

    code, told, found = stopped_run(monkeypatch, capsys, tmp_path, team)
    assert code == 1
    assert starts.call_count == 3
    assert "stopped: the workers of this machine did not start (Nanny failed to start)" in told
    assert found["counts"]["left"] == 2


def test_a_worker_that_dies_at_its_start_is_started_again():
    from ioadr.app.batch.cluster import _started

    starts = Mock(side_effect=[RuntimeError("Nanny failed to start."), "team"])
    assert _started(starts, 3) == "team"


def test_a_result_that_cannot_be_fetched_says_whether_the_scheduler_is_gone():
    from ioadr.app.batch.jobs import Lost, Task
    from ioadr.app.batch.loop import _result

    future = Mock(status="finished")
    future.result.side_effect = OSError("Stream is closed")
    with pytest.raises(OSError, match="closed"):
        _result(future, Task("lf 1", pow, (1, 2)))
    future.status = "error"
    assert isinstance(_result(future, Task("lf 1", pow, (1, 2))), Lost)


@posix
@pytest.mark.slow
def test_a_real_scheduler_dies_and_the_batch_goes_on_later(tmp_path):
    scenes, out = write_scenes(tmp_path / "scenes", 4), tmp_path / "out"
    mine = Cluster(tmp_path)
    try:
        scheduler = mine.start_scheduler()
        mine.staffed(1)
        arguments = command(scenes, "--out", out, "--scheduler", mine.address, *SLOW)
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            wait_until(lambda: finished(out) or process.poll() is not None, "a finished item")
            scheduler.kill()
            _, err = process.communicate(timeout=120)
    finally:
        mine.end()
    assert process.returncode == 1, err
    assert "Traceback" not in err
    counts = summary(out)["counts"]
    assert (counts["done"], counts["failed"]) == (len(finished(out)), 0)
    assert counts["left"] == 4 - counts["done"]
    assert batch(scenes, "--out", out, "--workers", 1, "--resume", *SLOW).returncode == 0


@posix
@pytest.mark.slow
def test_real_workers_are_killed_as_they_start(tmp_path):
    scenes, out = write_scenes(tmp_path / "scenes", 1), tmp_path / "out"
    arguments = command(scenes, "--out", out, "--workers", 1, "--no-report", "--set", "search.sweeps=2")
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            while process.poll() is None:
                for child in psutil.Process(process.pid).children(recursive=True):
                    with suppress(psutil.NoSuchProcess):
                        if "spawn_main" in " ".join(child.cmdline()):
                            child.kill()
                time.sleep(0.02)
        except psutil.NoSuchProcess:
            pass
        _, err = process.communicate(timeout=120)
    assert process.returncode == 1, err
    assert summary(out)["counts"]["left"] == 1
    assert "Traceback" not in err
