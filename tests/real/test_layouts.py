"""Real light fields are read as what they are, and their order of views is recognised."""

from __future__ import annotations

import time

import numpy as np
import pytest

from ioadr.io import ReadOptions, read
from ioadr.io.orientation import oriented
from ioadr.io.reading import open_capture
from tests.arrangements import tallied

pytestmark = pytest.mark.real

SCENES = ("hci/boxes", "hci/cotton", "hci/dino", "hci/sideboard", "rendered/toys")


@pytest.mark.parametrize("name", SCENES)
def test_the_benchmarks_scenes_are_taken_as_they_are(name, shared):
    begin = time.process_time()
    lightfield = read(shared / "data" / name)
    seconds = time.process_time() - begin
    assert lightfield.source.order.startswith("agrees")
    assert lightfield.views.shape == (9, 9, 512, 512, 3)
    assert lightfield.range is not None
    assert lightfield.range.origin == "file"
    assert seconds < 4, "of CPU; a second on a free core"


HARD = tuple(f"hard/{name}" for name in ("desk", "floor", "leaves", "machine", "turntable", "wedges"))


@pytest.mark.parametrize("name", [*SCENES, *HARD, "real/lytro_2067", "real/stanford_legotruck"])
def test_every_arrangement_is_put_right_or_said_to_be_open(name, shared):
    """As they would be stored under names that say nothing."""
    views = read(shared / "data" / name, flip_rows=False, flip_columns=False, dark="keep").views
    found = tallied(views)
    assert found["wrong"] == found["undecided"] == 0
    assert found["decided"] == (0 if name == "hard/desk" else 8)


@pytest.mark.parametrize("name", [*SCENES, *HARD, "real/stanford_legotruck"])
def test_formats_that_define_their_order_keep_it(name, shared):
    capture = open_capture(shared / "data" / name)
    assert not capture.put_right
    assert capture.order.outcome == ("unknown" if name == "hard/desk" else "agrees")
    wrong = oriented(capture.flipped(0), ReadOptions())
    np.testing.assert_array_equal(wrong.index, capture.flipped(0).index)
    assert any("contradict the order that the format defined, which was kept" in note for note in wrong.notes)


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
