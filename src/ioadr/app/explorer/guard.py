"""Who is let in: pages of this explorer, on this machine.

A server on 127.0.0.1 can be reached by any web page that its user opens. Names that other sites let point here
(DNS rebinding) carry a foreign Host, scripts of other sites a foreign Origin, their pictures and links a
Sec-Fetch-Site that says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAMES = ("127.0.0.1", "localhost")
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}


class LocalOnly:
    """ASGI middleware that refuses everyone else and tells browsers to keep the page to itself."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == 80 else set())
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return None

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *added]
            await send(message)

        refusal = self.refusal([(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]])
        if refusal is None:
            return await self.app(scope, receive, guarded)
        body = f"ioadr explore: {refusal}\n".encode()
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
        await guarded({"type": "http.response.start", "status": 403, "headers": headers})
        return await send({"type": "http.response.body", "body": body})

    def refusal(self, headers: list[tuple[str, str]]) -> str | None:
        """Why these headers are not let in; the values are not repeated, since others chose them."""
        hosts = [value for name, value in headers if name == "host"]
        origins = [value for name, value in headers if name == "origin"]
        sites = [value for name, value in headers if name == "sec-fetch-site"]
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return "expected this machine's own address as Host."
        if any(origin.lower() not in self.origins for origin in origins):
            return "expected a request from the explorer's own page."
        if any(site not in ("same-origin", "none") for site in sites):
            return "expected a request from the explorer's own page."
        return None
