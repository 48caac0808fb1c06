"""Access control: only pages of this explorer, opened by the person who started it.

Any web page that the user opens can reach a server on 127.0.0.1. DNS rebinding shows by a foreign Host, a foreign
script by its Origin, foreign pictures and links by Sec-Fetch-Site. Other users of this machine could connect as well,
so the printed address carries a token, and the browser then keeps it as a cookie for the page's own requests.
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

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
    """ASGI middleware that refuses all other requests and isolates the page in the browser."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self.app, self.token = app, token
        self.cookie = f"ioadr-{port}"
        self.hosts = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == 80 else set())
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return None

        shown = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                if self._is_token(shown):
                    keep = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
                    added.append((b"set-cookie", keep.encode()))
                message["headers"] = [*message.get("headers", []), *added]
            await send(message)

        refusal = self.refusal(headers, shown)
        if refusal is None:
            return await self.app(scope, receive, guarded)
        body = f"ioadr explore: {refusal}\n".encode()
        about = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
        await guarded({"type": "http.response.start", "status": 403, "headers": about})
        return await send({"type": "http.response.body", "body": body})

    def refusal(self, headers: list[tuple[str, str]], shown: str = "") -> str | None:
        """Reason to refuse a request with these headers and this token, if any.

        Their values are not quoted, because an attacker may have chosen them.
        """
        hosts = [value for name, value in headers if name == "host"]
        origins = [value for name, value in headers if name == "origin"]
        sites = [value for name, value in headers if name == "sec-fetch-site"]
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return "expected this machine's own address as Host."
        if any(origin.lower() not in self.origins for origin in origins):
            return "expected a request from the explorer's own page."
        if any(site not in ("same-origin", "none") for site in sites):
            return "expected a request from the explorer's own page."
        if not (self._is_token(shown) or self._is_token(self._kept(headers))):
            return "the token is missing or wrong. Open the whole address that `ioadr explore` printed."
        return None

    def _is_token(self, text: str) -> bool:
        return secrets.compare_digest(text.encode("utf-8", "replace"), self.token.encode())

    def _kept(self, headers: list[tuple[str, str]]) -> str:
        """The token that the browser kept as a cookie."""
        for name, value in headers:
            if name == "cookie":
                try:
                    kept = SimpleCookie(value).get(self.cookie)
                except CookieError:
                    continue
                if kept is not None:
                    return kept.value
        return ""
