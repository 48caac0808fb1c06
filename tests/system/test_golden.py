"""Every preset gives the maps that it gave when they were last written."""

from __future__ import annotations

import numpy as np
import pytest

from tests import golden


def test_maps_are_what_they_were():
    with np.load(golden.FILE) as file:
        kept = dict(file)
    if str(kept.pop(golden.PROCESSOR)) != golden.processor():
        pytest.skip("the maps were written on another kind of processor: see tests/golden.py")
    maps = golden.maps()
    assert set(maps) == set(kept)
    assert [name for name in kept if not np.array_equal(maps[name], kept[name])] == []
