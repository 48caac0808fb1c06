"""Runs Zarr's work in a separate event loop that ends with it.

The library's loop keeps the tasks of a damaged chunk and complains about them when Python exits; after a failure, as
on a full disk, they continue to write into a folder that is being removed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def awaited(work: Coroutine[Any, Any, Any]) -> Any:
    """Run in a thread, because notebooks already have a loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
