"""Every preset gives the maps that it gave when they were last written."""

from __future__ import annotations

import numpy as np

from tests import golden

CLOSE = 0.002
"""px, for machines whose last digits differ."""
FLIPPED = 0.005
"""Share of pixels that may take another candidate because of such a digit."""


def test_maps_are_what_they_were():
    maps = golden.maps()
    with np.load(golden.FILE) as kept:
        assert set(maps) == set(kept)
        differing = {name: float((np.abs(maps[name] - kept[name]) > CLOSE).mean()) for name in kept}
    assert {name: share for name, share in differing.items() if share > FLIPPED} == {}
