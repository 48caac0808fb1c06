"""The explorer of the unit tests, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.explored import Running
from tests.system.explorer.page import Page, Tab
from tests.unit.app.explorer.conftest import empty, server, slow, study

__all__ = ["empty", "server", "slow", "study"]


@pytest.fixture(scope="module")
def shared_tab(browser: Any) -> Iterator[Tab]:
    shared = Tab(browser)
    yield shared
    shared.close()


@pytest.fixture
def tab(shared_tab: Tab) -> Iterator[Tab]:
    """The tab of all tests of a file, empty after each of them."""
    yield shared_tab
    shared_tab.leave()


@pytest.fixture
def opened(tab: Tab, server: Running) -> Page:
    return tab.show(server)
