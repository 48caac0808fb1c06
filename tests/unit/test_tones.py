"""Grey levels of samples: low contrast is stretched, as far as white allows."""

from __future__ import annotations

import numpy as np
import pytest

import ioadr
from ioadr.consistency.outcome import relative_mismatch
from ioadr.errors import as_options
from ioadr.geometry.ppp import LEVELS
from ioadr.part import Part, Window
from ioadr.solver.problem import pack_image
from ioadr.tones import WHITE, Tones, stretch_notes, tones_of
from tests.builders import make_lightfield

PART = Part.whole(2, 2)


def tones(*samples, white=255.0, part=PART, least_span=170.0):
    return tones_of(np.array(samples, np.uint8).reshape(2, 2, 1), white, part, least_span)


@pytest.mark.parametrize(
    ("samples", "least_span"),
    [((10, 20, 30, 180), 170.0), ((10, 20, 30, 40), 0.0), ((7, 7, 7, 7), 170.0), ((3, 4, 5, 19), 170.0)],
    ids=["wide", "off", "uniform", "coarse"],
)
def test_samples_keep_their_levels(samples, least_span):
    assert tones(*samples, least_span=least_span) == Tones(0.0, 1.0)
    assert tones(*samples, white=51.0, least_span=0.0) == Tones(0.0, 5.0)


def test_a_dark_view_is_multiplied():
    """As by a longer exposure, so that light stays in proportion."""
    assert tones(0, 10, 20, 34) == Tones(0.0, 5.0)
    assert tones(0, 10, 20, 34, white=102.0) == Tones(0.0, 5.0)


def test_the_brightest_sample_stays_below_white():
    offset, gain = tones(90, 100, 120, 124)
    assert gain == 5.0
    assert offset + gain * 124 == 255.0


def test_a_part_is_not_stretched():
    """Another part of the same image may have more contrast."""
    part = Part.whole(4, 4).crop(Window(0, 0, 2, 2))
    assert tones(0, 10, 20, 34, part=part) == Tones(0.0, 1.0)


def test_packed_samples_follow_the_tones():
    image = np.array([[[0, 17, 34]]], np.uint8)
    word = int(pack_image(image, Tones(-10.0, 5.0))[0, 0])
    assert [(word >> 10 * c & 1023) / LEVELS for c in range(3)] == [0.0, 75.0, 160.0]


def test_a_map_does_not_depend_on_exposure():
    """After the stretch, half the exposure gives the same levels, so the same map, costs and doubts."""
    lf = make_lightfield(channels=3)
    low, high = float(lf.views.min()), float(lf.views.max())
    levels = ((lf.views - low) * (160.0 / (high - low))).astype(np.float32)
    bright, dark = (ioadr.estimate(lf.replace(views=levels * np.float32(g), white=255.0), "best") for g in (1, 0.5))
    np.testing.assert_array_equal(bright.disparity, dark.disparity)
    np.testing.assert_array_equal(bright.costs["data"], dark.costs["data"])
    assert dark.tones.gain == pytest.approx(2 * bright.tones.gain)
    assert "low contrast is stretched" in dark.notes[-1]
    mismatch = [relative_mismatch(e.costs["data"], e.image, WHITE / e.tones.gain) for e in (bright, dark)]
    assert mismatch[0] == pytest.approx(mismatch[1])


def test_a_stretch_is_noted_for_python_and_for_the_command_line():
    (note,) = stretch_notes(Tones(0.0, 10.0), white=51.0)
    assert note == 'low contrast is stretched 2.0 times (parameters={"data.least_span": 0} keeps it)'
    assert "(--set data.least_span=0 keeps it)" in as_options(note)
    assert stretch_notes(Tones(0.0, 5.0), white=51.0) == ()
