"""Opens the explorer's port and, on request, the browser."""

from __future__ import annotations

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from ioadr.errors import InputError
from ioadr.extras import install

if TYPE_CHECKING:
    from uvicorn import Server

    from ioadr.app.explorer.study import Study

HOST = "127.0.0.1"


def bound(port: int | None) -> socket.socket:
    """A socket that listens on this machine only; any free port by default."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port or 0))
        listener.listen(128)  # whoever reads the address may connect at once
    except OSError as error:
        listener.close()
        raise InputError(f"--port {port}: not free ({error}). Leave it out to use any free port.") from error
    return listener


def check_packages() -> None:
    """Say how to install the packages of the explorer, before anything is read."""
    for package in ("starlette", "uvicorn"):
        try:
            import_module(package)
        except ModuleNotFoundError as error:
            raise InputError(f"explore: needs the package {package}. {install('explore')}") from error


def server(study: Study, port: int, token: str) -> Server:
    """Server that is ready to run on a socket bound to that port."""
    import uvicorn

    from ioadr.app.explorer.server import ALL_CONNECTIONS, MOST_ACCEPTED, Explorer, Impatient, StoppingServer

    explorer = Explorer(study, port, token)
    config = uvicorn.Config(
        explorer.app,
        http=Impatient,
        log_level="error",  # any local user could fill the terminal with warnings, and a full pipe stops the server
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
        backlog=MOST_ACCEPTED,
        limit_concurrency=2 * ALL_CONNECTIONS,  # of requests at work; those that wait give way to others
    )
    return StoppingServer(config, explorer.runs)


def _warm(study: Study) -> None:
    """Prepare the first click; an error here will occur again, and be shown, when the page asks."""
    with suppress(Exception):
        study.warm()


def serve(study: Study, port: int | None, browser: bool, say: Callable[[str], None]) -> None:
    """Serve until interrupted; meanwhile prepare the first click."""
    listening = bound(port)
    number, token = listening.getsockname()[1], secrets.token_urlsafe(24)
    address = f"http://{HOST}:{number}/?token={token}"
    running = server(study, number, token)
    threading.Thread(target=_warm, args=[study], name="ioadr-warm", daemon=True).start()
    say(address)
    if browser:
        threading.Timer(0.2, webbrowser.open, [address]).start()
    try:
        running.run(sockets=[listening])
    except KeyboardInterrupt:
        return
    finally:
        listening.close()
