"""Views that do not fit in are named by their place; sound ones are not."""

from __future__ import annotations

import numpy as np
import pytest

import ioadr
from ioadr.evaluation.synthetic import demo
from tests.builders import write_hci_scene


@pytest.fixture(scope="module")
def views():
    return demo(grid=(5, 5), size=(96, 128)).lightfield.views


def swapped(views):
    views[0, 4], views[4, 1] = views[4, 1].copy(), views[0, 4].copy()


def duplicated(views):
    views[0, 4] = views[4, 1]


def turned(views):
    views[0, 4] = views[0, 4][::-1, ::-1].copy()


def shifted(views):
    views[0, 4] = np.roll(views[0, 4], 4, axis=1)


def darkened(views):
    views[0, 4] = views[0, 4] * 0.7


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (swapped, "looks like the view of 4,1"),
        (duplicated, "is the same picture as 4,1"),
        (turned, "is upside down"),
        (shifted, "is shifted by about 0, 4 px"),
        (darkened, "has 69 % of the usual brightness"),
    ],
)
def test_an_odd_view_is_named(views, change, words, tmp_path):
    wrong = views.copy()
    change(wrong)
    found = ioadr.diagnose(ioadr.LightField(wrong))
    assert words in found.odd[0, 4]
    assert set(found.odd) <= {(0, 4), (4, 1)}
    assert not found.healthy
    notes = ioadr.read(write_hci_scene(tmp_path / "scene", wrong)).source.notes
    assert any("input_Cam004.png (view 0,4)" in note and "skip" in note for note in notes)


def test_sound_views_are_not_named(views):
    found = ioadr.diagnose(ioadr.LightField(views))
    assert found.odd == {}
    assert found.healthy
    assert found.remedies == ()
