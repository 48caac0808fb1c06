"""Real maps of right orders raise no doubt, those of wrong ones do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ioadr
from ioadr.part import Window
from tests.arrangements import REAL

pytestmark = [pytest.mark.real, pytest.mark.slow]
SIDE = 160
"""px of the middle that is estimated."""
WRONG = {
    "transposed": lambda views: views.swapaxes(0, 1),
    "rows": lambda views: views[::-1],
    "columns": lambda views: views[:, ::-1],
}


@pytest.mark.parametrize("name", REAL)
def test_only_wrong_orders_are_doubtful(shared: Path, name: str) -> None:
    whole = ioadr.read(shared / "data" / name)
    height, width = min(SIDE, whole.height), min(SIDE, whole.width)
    top, left = (whole.height - height) // 2, (whole.width - width) // 2
    part = whole.crop(Window(top, left, top + height, left + width))
    assert ioadr.estimate(part, "fast", progress=False).doubts == ()
    for change in WRONG.values():
        views = np.ascontiguousarray(change(part.views))
        found = ioadr.estimate(ioadr.LightField(views, range=part.range), "fast", progress=False)
        assert any("the views do not agree with the map" in doubt for doubt in found.doubts)
