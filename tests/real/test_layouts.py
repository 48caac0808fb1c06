"""Real light fields are read as what they are, and their order of views is recognised."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import pytest

from ioadr.io import ReadOptions, read
from ioadr.io.orientation import oriented
from ioadr.io.reading import open_capture
from tests.arrangement_cases import ARRANGEMENTS
from tests.arrangements import state_on_disk, tallied
from tests.marks import some_quick

pytestmark = pytest.mark.real

SCENES = ("hci/boxes", "hci/cotton", "hci/dino", "hci/sideboard", "rendered/toys")


@pytest.mark.parametrize("name", some_quick(SCENES, ["hci/boxes"]))
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


CAPTURES = [*SCENES, *HARD, "real/lytro_2067", "real/stanford_legotruck"]


@pytest.mark.parametrize("name", some_quick(CAPTURES, ["real/lytro_2067"]))
def test_every_arrangement_is_put_right_or_said_to_be_open(name, shared):
    """The views, stored under names that carry no information."""
    views = read(shared / "data" / name, flip_rows=False, flip_columns=False, dark="keep").views
    found = tallied(views)
    assert found["wrong"] == found["undecided"] == 0
    assert found["decided"] == (0 if name == "hard/desk" else 8)


def part(shared, name, side, **options):
    """The middle of every view, as stored."""
    whole = open_capture(shared / "data" / name, judge=False)
    top, left = (whole.height - side) // 2, (whole.width - side) // 2
    return read(
        shared / "data" / name,
        crop=(top, left, side, side),
        flip_rows=False,
        flip_columns=False,
        dark="keep",
        **options,
    ).views


def vignetted(views):
    """Darker towards the corners of the grid and, there, towards the corners of the image."""
    row, column = (np.linspace(-1, 1, length) for length in views.shape[:2])
    y, x = (np.linspace(-0.4, 0.4, length) for length in views.shape[2:4])
    down, right = row[:, None, None, None] + y[:, None], column[:, None, None] + x
    return (views * np.exp(-(down**2 + right**2) / 1.5)[..., None]).astype(views.dtype)


KINDS = {
    "row": ("hci/cotton", 256, {}, lambda views: views[4:5], ".png"),
    "column": ("hci/sideboard", 256, {}, lambda views: views[:, 4:5], ".png"),
    "three in a row": ("hci/boxes", 256, {}, lambda views: views[4:5, ::4], ".png"),
    "photographs 3×3": ("real/lytro_2067", 256, {"every": 4}, lambda views: views, ".jpg"),
    "photographs 3×3 of toys": ("rendered/toys", 256, {"every": 4}, lambda views: views, ".jpg"),
    "17×17": ("real/stanford_legotruck", 120, {}, lambda views: views, ".png"),
    "grey": ("hci/dino", 192, {}, lambda views: views[..., 1:2], ".png"),
    "16 bits": ("hci/boxes", 192, {}, lambda views: views.astype(np.uint16) * 257, ".png"),
    "12 of 16 bits, grey": ("hard/wedges", 192, {}, lambda views: views[..., :1].astype(np.uint16) * 16, ".png"),
    "vignetted": ("hci/sideboard", 192, {}, vignetted, ".png"),
    "vignetted lenslets": ("real/lytro_2067", 192, {}, vignetted, ".png"),
    "little texture": ("hard/desk", 192, {}, lambda views: views, ".png"),
}


OPEN = {
    "row": "partly",
    "three in a row": "partly",
    "vignetted lenslets": "partly",
    "vignetted": "undecided",
}
"""Kinds whose order is not completely decided: near and far, or all of it with strong vignetting."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_other_kinds_on_disk_are_never_wrong(kind, shared, tmp_path):
    """Under neutral names: corrected, or reported as undecided."""
    name, side, options, change, suffix = KINDS[kind]
    views = np.ascontiguousarray(change(part(shared, name, side, **options)))
    found = Counter(state_on_disk(tmp_path, views, arrangement, suffix) for arrangement in ARRANGEMENTS)
    assert found == {OPEN.get(kind, "decided"): len(ARRANGEMENTS)}


DEFINED = [*SCENES, *HARD, "real/stanford_legotruck"]


@pytest.mark.parametrize("name", some_quick(DEFINED, ["hci/cotton", "hard/desk", "real/stanford_legotruck"]))
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
