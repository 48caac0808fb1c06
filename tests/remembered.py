"""Functions that work out once in a process what many tests ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any

import numpy as np
import pytest

from ioadr.consistency import single_views
from ioadr.consistency.matching import Pictures
from ioadr.consistency.order import judged
from ioadr.io import counting, orientation


def remembered(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with a memory; it must depend on its arguments only: numbers, arrays and pictures."""
    found: dict[bytes, Any] = {}

    def call(*arguments: Any) -> Any:
        key = fingerprint(arguments)
        if key not in found:
            found[key] = function(*arguments)
        return found[key]

    return call


def fingerprint(arguments: tuple[Any, ...]) -> bytes:
    digest = blake2b()
    for argument in arguments:
        parts = (argument.images, argument.offsets) if isinstance(argument, Pictures) else (argument,)
        for part in map(np.asarray, parts):
            digest.update(f"{part.shape} {part.dtype}".encode() + part.tobytes())
    return digest.digest()


@contextmanager
def views_judged_once() -> Iterator[None]:
    """Hundreds of tests read the same small views; tests of the two functions import them directly."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(orientation, "judged", remembered(judged))
        examined = remembered(single_views.examined)
        for module in (single_views, counting):
            patch.setattr(module, "examined", examined)
        yield
