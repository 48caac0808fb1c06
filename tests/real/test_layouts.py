"""Real light fields are read as what they are, and their order of views is recognised."""

from __future__ import annotations

import time

import numpy as np
import pytest

from ioadr.io import ReadOptions, read
from ioadr.io.orientation import oriented
from ioadr.io.reading import open_capture

pytestmark = pytest.mark.real

SCENES = ("hci/boxes", "hci/cotton", "hci/dino", "hci/sideboard", "rendered/toys")


@pytest.mark.parametrize("name", SCENES)
def test_the_benchmarks_scenes_are_taken_as_they_are(name, shared):
    begin = time.perf_counter()
    lightfield = read(shared / "data" / name)
    seconds = time.perf_counter() - begin
    assert lightfield.source.notes == ()
    assert lightfield.views.shape == (9, 9, 512, 512, 3)
    assert lightfield.range is not None
    assert lightfield.range.origin == "file"
    assert seconds < 5, "half a second on two free cores"


@pytest.mark.parametrize("name", [*SCENES, "real/lytro_2067", "real/stanford_legotruck"])
@pytest.mark.parametrize("reversed_axis", [0, 1])
def test_one_reversed_axis_is_put_right(name, reversed_axis, shared):
    capture = open_capture(shared / "data" / name)
    found = oriented(capture.flipped(reversed_axis), ReadOptions())
    np.testing.assert_array_equal(found.index, capture.index)
    assert any("run the other way" in note for note in found.notes)


def test_stanford(shared):
    lightfield = read(shared / "data" / "real" / "stanford_legotruck")
    assert lightfield.grid == (17, 17)
    assert lightfield.reference == (8, 8)
    assert any("rows of views reversed" in note for note in lightfield.source.notes)
    steps = np.diff(lightfield.positions[..., 1], axis=1), np.diff(lightfield.positions[..., 0], axis=0)
    assert [round(float(step.mean()), 2) for step in steps] == [1.0, 1.02]
    assert 0 < np.abs(lightfield.offsets - np.rint(lightfield.offsets)).max() < 0.6


def test_lytro(shared):
    lightfield = read(shared / "data" / "real" / "lytro_2067")
    assert lightfield.grid == (9, 9)
    assert lightfield.source.format == "folder"
    assert lightfield.camera is None
    assert lightfield.range is None
    assert any("black in all views" in note for note in lightfield.source.notes)
