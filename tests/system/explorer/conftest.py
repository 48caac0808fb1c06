"""The explorer of the unit tests, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.explored import Running
from tests.system.explorer.page import Page
from tests.unit.app.explorer.conftest import empty, server, slow, study

__all__ = ["empty", "server", "slow", "study"]


@pytest.fixture
def opened(browser: Any, server: Running) -> Iterator[Page]:
    page = Page(browser, server)
    yield page
    page.close()
