"""Times, cameras and ranges in words."""

from __future__ import annotations

import math

import pytest

from ioadr import Camera, DisparityRange
from ioadr.app.words import disparities, duration, optics


@pytest.mark.parametrize(
    ("seconds", "decimals", "text"),
    [(0.04, 1, "0.0 s"), (3.26, 1, "3.3 s"), (3.26, 0, "3 s"), (89, 0, "89 s"), (150, 1, "2 min"), (5400, 0, "1.5 h")],
)
def test_duration(seconds, decimals, text):
    assert duration(seconds, decimals) == text


@pytest.mark.parametrize(("focus", "text"), [(2.5, "focus at 2.5 m"), (math.inf, "focus at inf m")])
def test_optics(focus, text):
    assert optics(Camera(50.0, 36.0, 20.0, focus, 64, 48)) == f"50 mm lens, 36 mm sensor, baseline 20 mm, {text}"


@pytest.mark.parametrize(
    ("origin", "text"), [("file", "from the file"), ("user", "as given"), ("estimated", "estimated from the views")]
)
def test_disparities(origin, text):
    assert disparities(DisparityRange(-1.25, 3.0, origin)) == f"-1.25 … 3 px, {text}"
