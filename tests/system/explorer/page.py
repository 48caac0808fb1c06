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
        self.page.locator("html[data-ready]").wait_for(state="attached", timeout=60_000)
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
