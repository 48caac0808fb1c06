"""A real browser for pages that the package writes."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

PATIENCE = 120
"""Seconds to wait for a page: the first click compiles some code, and other tests may have all cores."""
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-unsafe-swiftshader",
]


@contextmanager
def chromium() -> Iterator[Any]:
    """Chromium under Playwright, with WebGL in software; skips the test where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no chromium found; install it to test pages")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A page of a file, or of a server on this machine, that notes everything it should not do."""

    def __init__(
        self, browser: Any, place: Path | str, width: int = 1280, height: int = 900, scheme: str = "light"
    ) -> None:
        address = place if isinstance(place, str) else place.as_uri()
        self.own = address.partition("#")[0].partition("?")[0] if isinstance(place, str) else "file:"
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        context.set_default_timeout(1000 * PATIENCE)
        self.page = context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("request", self._request)
        self.address = address
        self.page.goto(address)

    def shown(self) -> None:
        """Load it again after `left`: a new page would cost as much as most tests do with it."""
        if self.page.url == "about:blank":
            self.page.goto(self.address)

    def left(self) -> None:
        """End what the page does; it must not have complained."""
        self.page.mouse.move(0, 0)
        self.page.goto("about:blank")
        assert self.complaints == []

    def _console(self, message: Any) -> None:
        if message.type == "error" or (message.type == "warning" and "GL Driver Message" not in message.text):
            self.complaints.append(f"{message.type}: {message.text}")

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.own, "data:", "blob:")):
            self.complaints.append(f"request: {request.url}")


def settle(page: Any) -> None:
    """Wait until what was done is drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def picture(locator: Any) -> NDArray[np.uint8]:
    return np.asarray(Image.open(io.BytesIO(locator.screenshot())).convert("RGB"))


def point(page: Any, locator: Any, across: float, down: float) -> None:
    """Move the mouse to a share of an element's width and height."""
    box = locator.bounding_box()
    page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])
    settle(page)
