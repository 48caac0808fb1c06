"""The memory limit for a light field, checked before anything is allocated."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ioadr.errors import InputError

VARIABLE = "IOADR_MEMORY_LIMIT"
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
SMALL = 10**8
"""Size, in bytes, that is always allowed."""
# Deflate, the usual packing, cannot shrink data more than 1032 times; pictures that are worth a look do not come near.
DENSEST_PACKING, DENSEST_PICTURES = 1100, 200


def memory_limit() -> int:
    """Bytes that one light field may use: IOADR_MEMORY_LIMIT ("2G", "800 MB"), else half of the machine's memory."""
    text = os.environ.get(VARIABLE, "")
    return parse_size(VARIABLE, text) if text.strip() else _physical_memory() // 2


def parse_size(name: str, text: str) -> int:
    """Bytes of a size such as "2G" or "800 MB"; `name` is its source, for messages."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text, re.IGNORECASE)
    if not match:
        raise InputError(f"{name}: expected a size such as 2G or 800M, found {text!r}.")
    return int(float(match[1]) * UNITS[match[2].lower()])


LESS = "Read less with ⟦views⟧, ⟦every⟧ or ⟦crop⟧"


def check_memory(path: Path | str, declared: int, what: str, advice: str = LESS) -> None:
    """Refuse `declared` bytes beyond the limit; `what` describes them, such as "81 views of 512×512"."""
    limit = memory_limit()
    if declared > limit:
        raise InputError(
            f"{path}: needs {size(declared)} for {what}; the limit is {size(limit)}. "
            f"{advice}, or raise the limit with {VARIABLE}={size(2 * declared, '')}."
        )


def check_packing(path: Path | str, declared: int, stored: int) -> None:
    """Refuse a file that declares more than `stored` bytes can possibly hold."""
    densest = DENSEST_PACKING if declared <= SMALL else DENSEST_PICTURES
    if declared > densest * max(stored, 1):
        raise InputError(
            f"{path}: a file of {size(stored)} cannot hold the {size(declared)} that its header declares. "
            "It is cut off or damaged: copy or export it again."
        )


def size(count: int, space: str = " ") -> str:
    """Bytes in readable form, such as 1.5 GB."""
    for unit, symbol in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= unit:
            return f"{count / unit:.3g}{space}{symbol}B"
    return f"{count}{space}B"


def _physical_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 * 10**9
