"""Memory that the system can reclaim: large arrays in a temporary file while they are not in use, and the free heap."""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import tempfile
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LARGE = 500_000_000
"""Size, in bytes, above which an array is put into a file."""


def empty(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """A new array: in memory, or in a nameless file if it is large and there is room for it."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size <= LARGE or not (hasattr(mmap, "MADV_DONTNEED") and hasattr(os, "posix_fallocate")):
        return np.empty(shape, dtype)
    try:
        with tempfile.TemporaryFile(prefix="ioadr-") as file:
            os.posix_fallocate(file.fileno(), 0, size)  # or writing to a full disk would end the process
            return np.frombuffer(mmap.mmap(file.fileno(), size), dtype).reshape(shape)
    except OSError:
        return np.empty(shape, dtype)


def let_rest(array: NDArray[Any]) -> None:
    """Free the memory of a large array; the next access reads it again from its file."""
    pages = _pages(array)
    if pages is not None:
        pages.madvise(mmap.MADV_DONTNEED)


def trim_heap() -> None:
    """Return the free parts of the heap to the system, if the C library can; otherwise they stay with this process."""
    try:
        ctypes.CDLL(None).malloc_trim(ctypes.c_size_t(0))
    except (AttributeError, OSError, TypeError):
        return


def is_spilled(array: NDArray[Any]) -> bool:
    """Whether the array is in a file."""
    return _pages(array) is not None


def _pages(array: Any) -> mmap.mmap | None:
    while isinstance(array, np.ndarray):
        array = array.base
    array = array.obj if isinstance(array, memoryview) else array
    return array if isinstance(array, mmap.mmap) else None
