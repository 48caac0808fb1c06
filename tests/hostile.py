"""The explorer among hostile clients: honest ones are still answered, strangers get nothing, memory does not grow.

    python -m tests.hostile --seconds 1800 --seed 1

Hostile clients hold silent connections open, send headers byte by byte, garbage, endless bodies, foreign hosts and
wrong tokens, ask for other files, and leave in the middle of answers. A finding is an honest question that
is refused or waits longer than `PATIENCE`, an answer of 200 to a stranger, an answer of 500, memory that grows beyond
`MOST_GROWTH`, output on the terminal before it ends, or a server that does not end when it is asked to.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, urlparse

from tests import explored
from tests.builders import write_hci_scene

PATIENCE = 60.0
MOST_GROWTH = 200_000_000
ENDED = "the explorer has ended"
"""All that it says."""
HONEST, HOSTILE = 3, 12
HELD = 40
"""Connections that one client holds open at a time."""


class Siege:
    """One explorer and what became of all questions."""

    def __init__(self, address: str, end: float) -> None:
        parts = urlparse(address)
        self.port, self.token, self.end = int(parts.port or 0), parse_qs(parts.query)["token"][0], end
        self.counts: Counter[str] = Counter()
        self.findings: list[str] = []

    def ask(self, path: str, headers: dict[str, str], method: str = "GET", body: bytes | None = None) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    def honest(self, chance: random.Random) -> None:
        pixel = f"result=given&row={chance.randrange(64)}&column={chance.randrange(72)}"
        path = chance.choice(("/api/scene", f"/api/pixel?{pixel}", "/api/layer/disparity?result=given"))
        begin = time.monotonic()
        try:
            status = self.ask(path, {"Cookie": f"ioadr-{self.port}={self.token}"})
        except OSError as error:
            self.findings.append(f"honest {path}: {error!r} after {time.monotonic() - begin:.0f} s")
            return
        self.counts["honest"] += 1
        if status != 200:
            self.findings.append(f"honest {path}: {status}")
        time.sleep(chance.uniform(0.0, 0.3))

    def hostile(self, chance: random.Random) -> None:
        self.counts["hostile"] += 1
        with suppress(OSError, http.client.HTTPException):
            chance.choice(ATTACKS)(self, chance)

    def raw(self, data: bytes, wait: float = 0.2) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(data)
            connection.settimeout(wait)
            with suppress(OSError):
                return connection.recv(4096)
        return b""

    def refused(self, status: int, what: str) -> None:
        if status == 200 or status >= 500:
            self.findings.append(f"{what}: {status}")

    def client(self, work: Callable[[random.Random], None], seed: str) -> None:
        chance = random.Random(seed)
        while time.monotonic() < self.end:
            work(chance)


def _hold(siege: Siege, chance: random.Random) -> None:
    held = [socket.create_connection(("127.0.0.1", siege.port), timeout=5) for _ in range(HELD)]
    time.sleep(chance.uniform(0.1, 2.0))
    for connection in held:
        connection.close()


def _trickle(siege: Siege, chance: random.Random) -> None:
    with socket.create_connection(("127.0.0.1", siege.port), timeout=5) as connection:
        for letter in b"GET /api/scene HTTP/1.1\r\nHost: 127":
            connection.sendall(bytes([letter]))
            time.sleep(0.05)


def _garbage(siege: Siege, chance: random.Random) -> None:
    siege.raw(chance.randbytes(chance.choice((1, 100, 100_000))))


def _endless_header(siege: Siege, chance: random.Random) -> None:
    siege.raw(b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * 300_000)


def _endless_body(siege: Siege, chance: random.Random) -> None:
    head = f"POST /api/estimate HTTP/1.1\r\nHost: 127.0.0.1:{siege.port}\r\n"
    head += f"Cookie: ioadr-{siege.port}={siege.token}\r\nTransfer-Encoding: chunked\r\n"
    siege.raw(head.encode() + b"Content-Type: application/json\r\n\r\n" + b"5\r\nhello\r\n" * 9)


def _stranger(siege: Siege, chance: random.Random) -> None:
    headers = chance.choice(
        ({"Host": "evil.example"}, {"Cookie": f"ioadr-{siege.port}=wrong"}, {"Origin": "http://evil.example"}, {})
    )
    siege.refused(siege.ask(chance.choice(("/", "/api/scene", "/api/results")), headers), f"stranger {headers}")


def _other_files(siege: Siege, chance: random.Random) -> None:
    path = chance.choice(("/../../etc/passwd", "/static/..%2f..%2fetc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd"))
    siege.refused(siege.ask(path, {"Cookie": f"ioadr-{siege.port}={siege.token}"}), path)


def _odd_question(siege: Siege, chance: random.Random) -> None:
    result, row = chance.choice(("given", "../x", "%00")), chance.choice(("nan", "1e9", "-1", "%ff"))
    path = f"/api/pixel?result={result}&row={row}"
    siege.refused(siege.ask(path, {"Cookie": f"ioadr-{siege.port}={siege.token}"}), path)


def _leave(siege: Siege, chance: random.Random) -> None:
    head = f"GET /api/layer/normals?result=given HTTP/1.1\r\nHost: 127.0.0.1:{siege.port}\r\n"
    with socket.create_connection(("127.0.0.1", siege.port), timeout=5) as connection:
        connection.sendall(f"{head}Cookie: ioadr-{siege.port}={siege.token}\r\n\r\n".encode())
        connection.recv(10)


ATTACKS: tuple[Callable[[Siege, random.Random], None], ...] = (
    *(_hold, _trickle, _garbage, _endless_header, _endless_body, _stranger, _other_files, _odd_question, _leave),
)


def besieged(seconds: float, seed: int, base: Path) -> tuple[Counter[str], list[str], int]:
    """Counts, findings, and bytes by which memory grew after the first tenth."""
    folder = write_hci_scene(base / "scene", explored.scene().lightfield.views)
    explored.estimate().save(base / "result", formats=["npz"], report=False)
    command = [sys.executable, "-m", "ioadr", "explore", str(folder), str(base / "result"), "--no-browser"]
    # Into a file: nobody reads a pipe meanwhile, and a process that writes to a full one stops.
    said = (base / "said").open("w+", encoding="utf-8")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True)
    assert process.stdout is not None
    siege = Siege(process.stdout.readline().strip(), time.monotonic() + seconds)
    siege.honest(random.Random(0))
    threads = [threading.Thread(target=siege.client, args=(siege.honest, f"{seed}-{n}")) for n in range(HONEST)]
    threads += [threading.Thread(target=siege.client, args=(siege.hostile, f"{seed}+{n}")) for n in range(HOSTILE)]
    for thread in threads:
        thread.start()
    time.sleep(seconds / 10)
    early = _memory(process.pid)
    for thread in threads:
        thread.join()
    grown = _memory(process.pid) - early
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        siege.findings.append("it does not end")
    with said:
        said.seek(0)
        err = said.read()
    if process.returncode != 0 or err.strip() != ENDED or grown > MOST_GROWTH:
        siege.findings.append(f"code {process.returncode}, memory grew by {grown}, said {err[-800:]}")
    return siege.counts, siege.findings, grown


def _memory(process: int) -> int:
    file = Path(f"/proc/{process}/statm")
    return int(file.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if file.exists() else 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="ioadr-hostile-") as folder:
        counts, findings, grown = besieged(chosen.seconds, chosen.seed, Path(folder))
    for finding in findings[:50]:
        sys.stderr.write(f"{finding}\n")
    result = {"seconds": chosen.seconds, **counts, "findings": len(findings), "memory": grown}
    sys.stdout.write(json.dumps(result) + "\n")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
