"""The explorer's page in a real browser."""

from __future__ import annotations

import re
from typing import Any

from tests.browser import Watched, settle
from tests.explored import Running

HEIGHT, WIDTH = 64, 72


class Page(Watched):
    """The explorer's page, opened and answered."""

    def __init__(self, browser: Any, server: Running, state: str = "pixel=30,40", **options: Any) -> None:
        super().__init__(browser, f"{server.address}#{state}", **({"height": 800} | options))
        self.ready()

    def ready(self) -> None:
        self.page.locator("html[data-ready]").wait_for(state="attached")
        settle(self.page)

    def answered(self, row: int, column: int) -> None:
        self.page.locator(f'html[data-answered="{row},{column}"]').wait_for(state="attached")
        settle(self.page)

    def canvas(self, name: str) -> Any:
        return self.page.locator(f"figure[data-panel={name}] canvas")

    def click(self, name: str, row: int, column: int) -> None:
        box = self.canvas(name).bounding_box()
        x, y = (column + 0.5) / WIDTH * box["width"], (row + 0.5) / HEIGHT * box["height"]
        self.page.mouse.click(box["x"] + x, box["y"] + y)
        self.answered(row, column)

    def number(self, name: str) -> float:
        text = self.page.locator(f'[data-number="{name}"] dd').inner_text().replace("−", "-")
        found = re.match(r"-?[\d.]+", text)
        assert found, text
        return float(found[0])

    def close(self) -> None:
        assert self.complaints == []
        self.page.context.close()


class Tab:
    """One page of a browser for all tests of a file: to load it again costs half of what a new one does."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.shown: Page | None = None

    def show(
        self, server: Running, state: str = "pixel=30,40", width: int = 1280, height: int = 800, scheme: str = "light"
    ) -> Page:
        """The explorer's page, loaded again."""
        if self.shown is None:
            self.shown = Page(self.browser, server, state, width=width, height=height, scheme=scheme)
            return self.shown
        shown, address = self.shown, f"{server.address}#{state}"
        self.leave()
        shown.own = address.partition("?")[0]
        shown.page.set_viewport_size({"width": width, "height": height})
        shown.page.emulate_media(color_scheme=scheme)
        shown.page.goto(address)
        shown.ready()
        return shown

    def leave(self) -> None:
        """End what the page does; it must not have complained."""
        if self.shown is not None:
            self.shown.page.goto("about:blank")
            assert self.shown.complaints == []

    def close(self) -> None:
        if self.shown is not None:
            self.shown.close()
