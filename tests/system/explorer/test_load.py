"""The explorer as a process: its start, its end, and a minute of twenty clients."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest

from tests import explored
from tests.builders import write_hci_scene

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

CLIENTS, SECONDS = 20, 60
MOST_GROWTH = 150_000_000
"""Bytes between the end of the first ten seconds and the end."""


def start(*arguments: object) -> tuple[subprocess.Popen[str], str]:
    """The process and its address."""
    command = [sys.executable, "-m", "ioadr", "explore", *map(str, arguments), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


@pytest.fixture
def result(tmp_path: Path) -> tuple[Path, Path]:
    """A scene folder and its result."""
    folder = write_hci_scene(tmp_path / "scene", explored.scene().lightfield.views)
    explored.estimate().save(tmp_path / "result", formats=["npz"])
    return folder, tmp_path / "result"


def get(address: str, path: str) -> tuple[int, bytes]:
    parts = urlparse(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    token = {"Cookie": f"ioadr-{parts.port}={parse_qs(parts.query)['token'][0]}"}
    try:
        connection.request("GET", path, headers=token)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


@pytest.mark.skipif(os.name == "nt", reason="signals are sent in the POSIX way")
def test_it_prints_its_address_serves_and_ends_when_interrupted(result):
    process, address = start(*result)
    try:
        assert address.startswith("http://127.0.0.1:")
        status, body = get(address, "/api/scene")
        assert status == 200
        scene = json.loads(body)
        assert (scene["name"], scene["width"]) == ("scene", 72)
        assert [known["key"] for known in scene["results"]] == ["given"]
        assert get(address, "/api/layer/disparity?result=given")[1] == explored.estimate().disparity.tobytes()
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 0, errors
    assert errors.endswith("the explorer has ended\n")
    assert "Traceback" not in errors


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_twenty_clients_for_a_minute(result):
    process, address = start(*result)
    try:
        get(address, "/api/pixel?row=3&column=3&result=given")
        end = time.monotonic() + SECONDS
        with ThreadPoolExecutor(CLIENTS) as pool:
            clients = [pool.submit(client, address, number, end) for number in range(CLIENTS)]
            time.sleep(10)
            early = memory(process.pid)
            counts = [future.result() for future in clients]
        assert min(counts) > 0
        assert memory(process.pid) - early < MOST_GROWTH
    finally:
        process.terminate()
        process.communicate(timeout=20)


def client(address: str, number: int, end: float) -> int:
    """Clicks, turns knobs, looks around; returns how often it was answered."""
    chance, answered = random.Random(number), 0
    while time.monotonic() < end:
        row, column, d = chance.randrange(64), chance.randrange(72), chance.uniform(-1.5, 1.2)
        pixel = f"result=given&row={row}&column={column}"
        paths = [
            f"/api/pixel?{pixel}",
            f"/api/pixel?{pixel}&set=planar.half_width:{chance.randint(1, 50)}",
            f"/api/hypothesis?{pixel}&disparity={d}",
            f"/api/view/{chance.randrange(5)}/{chance.randrange(5)}",
            f"/api/refocus?disparity={d}",
            "/api/layer/normals?result=given",
        ]
        status, body = get(address, chance.choice(paths))
        assert status == 200, body[:300]
        answered += 1
    return answered


def memory(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
