"""The explorer's addresses. Every answer depends only on the request, so several browsers do not interfere."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from socket import socket
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from ioadr.app.explorer import answers, estimation, pictures, requests
from ioadr.app.explorer.guard import LocalOnly
from ioadr.app.explorer.runs import Runs, Work
from ioadr.app.explorer.study import Study, layer
from ioadr.app.pages import render, unbroken, web
from ioadr.app.start import internal_error
from ioadr.errors import IoadrError
from ioadr.io.results.save import plain

MOST_CONNECTIONS = 300
"""Number of connections above which those without a request are closed."""
ALL_CONNECTIONS = 700
"""Number of connections above which even new ones are closed; a process usually may open 1024 files."""
MOST_ACCEPTED = 100
"""Connections accepted before earlier ones are served."""
QUEUE = 2048
"""Largest number of connections that wait to be accepted."""
GRACE_SECONDS = 0.5
REQUEST_SECONDS = 10.0
"""Seconds for a request to arrive on an open connection."""
SCRIPTS = (
    "packed.js",
    "viewer.js",
    "scene3d.js",
    "scene_tools.js",
    "unseen.js",
    "charts.js",
    "layers.js",
    "explore_figures.js",
    "explore_space.js",
    "explore_views.js",
    "explore_curve.js",
    "explore_pixel.js",
    "explore_why.js",
    "explore_wipe.js",
    "explore_tour.js",
    "explore_runs.js",
    "explore_asking.js",
    "explore_link.js",
    "explore_keys.js",
    "explore.js",
)
FILES = dict.fromkeys(SCRIPTS, "text/javascript") | {"page.css": "text/css", "explore.css": "text/css"}
"""The only files that are served, by name."""


class Answer(JSONResponse):
    """JSON in which numbers stay on the line of their unit."""

    def render(self, content: Any) -> bytes:
        return unbroken(bytes(super().render(content)).decode()).encode()


Endpoint = Callable[["Explorer", Request], Awaitable[Response]]


def checked(endpoint: Endpoint) -> Endpoint:
    """Turn errors into an answer with a message."""

    @wraps(endpoint)
    async def answer(self: Explorer, request: Request) -> Response:
        try:
            return await endpoint(self, request)
        except IoadrError as error:
            return Answer({"error": error.for_command_line()}, status_code=400)
        except Exception as error:
            return Answer({"error": internal_error.told(error)}, status_code=500)

    return answer


class Explorer:
    """One study behind one port."""

    def __init__(self, study: Study, port: int, token: str) -> None:
        self.study, self.runs = study, Runs()
        routes = [
            Route("/", self.page),
            Route("/web/{name}", self.file),
            Route("/api/scene", self.scene),
            Route("/api/layer/{name}", self.layer),
            Route("/api/view/{row}/{column}", self.view),
            Route("/api/between", self.between),
            Route("/api/unseen", self.unseen),
            Route("/api/refocus", self.refocus),
            Route("/api/pixel", self.pixel),
            Route("/api/hypothesis", self.hypothesis),
            Route("/api/ending", self.ending),
            Route("/api/estimate", self.estimate, methods=["POST"]),
            Route("/api/neighbourhood", self.neighbourhood, methods=["POST"]),
        ]
        guard = Middleware(LocalOnly, port=port, token=token)
        self.app = Starlette(routes=routes, middleware=[guard])

    async def page(self, _: Request) -> Response:
        return Response(render("explore.html", scripts=SCRIPTS), media_type="text/html")

    async def file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in FILES:
            return Response("not found\n", status_code=404, media_type="text/plain")
        return Response(web(name), media_type=FILES[name])

    @checked
    async def scene(self, _: Request) -> Response:
        return Answer(await run_in_threadpool(answers.scene, self.study))

    @checked
    async def layer(self, request: Request) -> Response:
        key, thin = request.query_params.get("result", ""), requests.thin(request.query_params)
        values = await run_in_threadpool(layer, self.study, request.path_params["name"], key, thin)
        content = values.astype(values.dtype.newbyteorder("<")).tobytes()
        return Response(content, media_type="application/octet-stream")

    @checked
    async def view(self, request: Request) -> Response:
        lightfield = self.study.lightfield
        rows, columns = lightfield.grid
        row = requests.whole(request.path_params, "row", 0, rows - 1)
        column = requests.whole(request.path_params, "column", 0, columns - 1)
        return _jpeg(await run_in_threadpool(pictures.view, lightfield, row, column))

    @checked
    async def between(self, request: Request) -> Response:
        asked = request.query_params
        viewpoint, thin = requests.viewpoint(asked, self.study), requests.thin(asked)
        return _jpeg(await run_in_threadpool(pictures.between, self.study, asked.get("result", ""), viewpoint, thin))

    @checked
    async def unseen(self, request: Request) -> Response:
        asked = request.query_params
        points = await run_in_threadpool(self.study.unseen, asked.get("result", ""), requests.thin(asked))
        return Answer(plain(points))

    @checked
    async def refocus(self, request: Request) -> Response:
        disparity = requests.disparity(request.query_params, "disparity", self.study)
        lightfield, step = await run_in_threadpool(self.study.thinned, requests.thin(request.query_params))
        return _jpeg(await run_in_threadpool(pictures.refocused, lightfield, disparity / step))

    @checked
    async def pixel(self, request: Request) -> Response:
        return Answer(await run_in_threadpool(self._pixel, request))

    @checked
    async def hypothesis(self, request: Request) -> Response:
        return Answer(await run_in_threadpool(self._hypothesis, request))

    @checked
    async def ending(self, request: Request) -> Response:
        return Answer(await run_in_threadpool(self._ending, request))

    def _pixel(self, request: Request) -> dict[str, Any]:
        row, column = requests.pixel(request.query_params, self.study)
        explainer = self.study.explainer(request.query_params.get("result", ""))
        parameters = requests.varied(explainer.parameters, requests.changes_in_query(request))
        return answers.pixel(self.study, explainer.explain(row, column, parameters), explainer.estimate)

    def _ending(self, request: Request) -> dict[str, Any]:
        row, column = requests.pixel(request.query_params, self.study)
        shown = self.study.result(request.query_params.get("result", ""))
        return answers.ending(shown.estimate, row, column, shown.explainer.ending(row, column))

    def _hypothesis(self, request: Request) -> dict[str, Any]:
        row, column = requests.pixel(request.query_params, self.study)
        disparity = requests.disparity(request.query_params, "disparity", self.study)
        explainer = self.study.explainer(request.query_params.get("result", ""))
        parameters = requests.varied(explainer.parameters, requests.changes_in_query(request))
        return answers.hypothesis(explainer.explain(row, column, parameters, disparity))

    @checked
    async def estimate(self, request: Request) -> Response:
        body = await requests.json_body(request)
        parameters, seed = await run_in_threadpool(requests.estimation, body, self.study)
        return self._told(request, estimation.whole(self.study, parameters, seed))

    @checked
    async def neighbourhood(self, request: Request) -> Response:
        body = await requests.json_body(request)
        row, column = requests.pixel(body, self.study)
        known = await run_in_threadpool(self.study.result, str(body.get("result", "")))
        parameters = requests.varied(known.estimate.parameters, body.get("changes", {}))
        return self._told(request, estimation.around(self.study, known.key, parameters, row, column))

    def _told(self, request: Request, work: Work) -> Response:
        self.runs.check_free()
        return StreamingResponse(self.runs.told(request, work), media_type="application/x-ndjson")


class Impatient(H11Protocol):
    """Closes connections without a request: after a while, or immediately if they would block others."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.since, self.looked_at = self.loop.time(), False
        self.loop.call_later(GRACE_SECONDS, self._look)
        self._make_room()
        self._expect()

    def _make_room(self) -> None:
        """Close the connection that has been silent longest to make room for a new one.

        When many clients connect simultaneously, a request may have arrived with its connection but not been read yet.
        """
        there = [other for other in self.connections if isinstance(other, Impatient)]
        if len(there) <= MOST_CONNECTIONS:
            return
        full = len(there) > ALL_CONNECTIONS
        waiting = [other for other in there if other is not self and other.waits and (full or other.looked_at)]
        if waiting:
            min(waiting, key=lambda other: other.since).transport.close()

    def _look(self) -> None:
        """Called after data that have already arrived are read: asyncio reads before it calls timers."""
        self.looked_at = True

    @property
    def waits(self) -> bool:
        cycle: Any = self.cycle
        return not self.transport.is_closing() and (cycle is None or cycle.response_complete)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._expect()

    def _expect(self) -> None:
        self.loop.call_later(REQUEST_SECONDS, self._give_up, self.cycle)

    def _give_up(self, last: object) -> None:
        """Close the connection unless a request later than `last` has arrived."""
        if self.cycle is last and not self.transport.is_closing():
            self.transport.close()


class StoppingServer(uvicorn.Server):
    """A server with a long queue that stops estimations before it shuts down, instead of waiting for their answers."""

    def __init__(self, config: uvicorn.Config, runs: Runs) -> None:
        super().__init__(config)
        self.runs = runs

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or []:
            listening.listen(QUEUE)  # asyncio made it as short as what it accepts at once

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        self.runs.stop()
        await super().shutdown(sockets)


def _jpeg(content: bytes) -> Response:
    return Response(content, media_type="image/jpeg")
