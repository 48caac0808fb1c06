"""A small scene with occlusions, its estimate, and an explorer that serves it."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ioadr
from ioadr import Estimate
from ioadr.evaluation.synthetic import Rendered, demo, random_light_field

TOKEN = "secret"


@cache
def scene() -> Rendered:
    """The demo's trellis before a wall, small: 5×5 views of 72×64 px."""
    return demo(size=(64, 72), grid=(5, 5))


@cache
def larger() -> NDArray[np.uint8]:
    """Views of the same scene, 5×5 of 128×96 px, in which the order of views is plain to see. Not to be written to."""
    views = demo(size=(96, 128), grid=(5, 5)).lightfield.views
    views.flags.writeable = False
    return views


@cache
def estimate() -> Estimate:
    return ioadr.estimate(scene().lightfield, "paper", seed=4)


@cache
def finished() -> Estimate:
    """With the finish and the border step."""
    return ioadr.estimate(scene().lightfield, "best", seed=4)


@cache
def lattice() -> tuple[ioadr.LightField, Estimate]:
    """A lattice whose finish opens holes, some of which the border step closes again."""
    lightfield = random_light_field(2, "lattice", size=(72, 72), grid=(5, 5)).lightfield
    return lightfield, ioadr.estimate(lightfield, "best", seed=2)


@cache
def every_view() -> ioadr.Views:
    """Maps of all views, from two anchors."""
    return ioadr.estimate_views(scene().lightfield, "fast", seed=4, most_anchors=2)


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Running:
    """An explorer on a free port of this machine, in a thread of this process."""

    def __init__(self, study: Any) -> None:
        from ioadr.app.explorer.serving import bound, server

        self.socket = bound(None)
        self.port = self.socket.getsockname()[1]
        self.server = server(study, self.port, TOKEN)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.socket]})
        self.thread.start()
        deadline = time.monotonic() + 20
        while not self.server.started:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/?token={TOKEN}"

    @property
    def cookie(self) -> dict[str, str]:
        return {"Cookie": f"ioadr-{self.port}={TOKEN}"}

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def ask(self, path: str, method: str = "GET", body: Any = None, **headers: str) -> Answer:
        """`headers` with underscores for hyphens."""
        connection = self.connection()
        sent = self.cookie
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        content = None
        if body is not None:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent = {"Content-Type": "application/json"} | sent
        try:
            connection.request(method, path, content, sent)
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)
        self.socket.close()
        assert not self.thread.is_alive()


@contextmanager
def explorer(study: Any) -> Iterator[Running]:
    running = Running(study)
    try:
        yield running
    finally:
        running.stop()
