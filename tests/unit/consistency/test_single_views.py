"""Views that do not fit are named by their position; others are not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import ioadr
from ioadr.app.doctor import command_line, findings
from ioadr.app.words.description import neighbours
from ioadr.consistency.single_views import examined
from ioadr.errors import as_options
from ioadr.evaluation.synthetic import Options, demo, random_light_field
from ioadr.io.capture import numbered_grid
from tests import explored
from tests.builders import save_png, write_hci_scene
from tests.marks import some_quick


@pytest.fixture(scope="module")
def views():
    return explored.larger()


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
    assert ("⟦align⟧" in found.remedies) == (change is darkened)
    assert ("⟦skip 0,4⟧" in found.remedies) == (change is not darkened)
    source = ioadr.read(write_hci_scene(tmp_path / "scene", wrong)).source
    (named,) = (note for note in source.notes if "input_Cam004.png (view 0,4)" in note)
    assert "skip" in named or change is darkened
    assert (named in source.doubts.values()) == (change is not darkened)


def test_views_that_are_predicted_worse_towards_a_corner_are_not_named(views):
    """Noise grows towards the last view, as errors of the map do in some captures; alone in that view, it is odd."""
    noise = np.random.default_rng(0).normal(0, 50, views.shape)
    share = np.array([0, 0, 0, 0, 0, 0.3, 0.6, 0.8, 1])[np.add.outer(np.arange(5), np.arange(5))]
    corner = np.zeros((5, 5))
    corner[4, 4] = 1

    def odd(share):
        noisy = np.clip(views + share[..., None, None, None] * noise, 0, 255).astype(np.uint8)
        return set(ioadr.diagnose(ioadr.LightField(noisy)).odd)

    assert odd(corner) == {(4, 4)}
    assert odd(share) == set()


def test_single_lines_of_pixels_tell_nothing():
    offsets = np.array([(0.0, column) for column in range(4)])
    assert examined(np.zeros((4, 0, 30), np.float32), offsets).odd == ()


def test_sound_views_are_not_named(views):
    found = ioadr.diagnose(ioadr.LightField(views))
    assert found.odd == {}
    assert found.healthy
    assert found.remedies == ()


@cache
def noisy(seed, most):
    """Points move by `most` px from view to view, and noise hides part of that."""
    options = Options(noise=2.0, seed=seed)
    return random_light_field(seed, None, (96, 128), (5, 5), (-most, most), options=options).lightfield


@pytest.mark.parametrize("pair", [((1, 2), (1, 3)), ((0, 0), (0, 1)), ((3, 4), (4, 4)), ((3, 1), (3, 2))])
@pytest.mark.parametrize(("seed", "most"), some_quick([(0, 0.6), (0, 1.0), (4, 1.0)], [(0, 0.6)]))
def test_neighbours_in_exchange_are_named(seed, most, pair):
    sound = noisy(seed, most)
    first, second = pair
    views = sound.views.copy()
    views[first], views[second] = sound.views[second], sound.views[first]
    assert set(ioadr.diagnose(ioadr.LightField(views)).odd) == {first, second}


@pytest.mark.parametrize(("seed", "most"), some_quick([(0, 0.6), (0, 1.0), (4, 1.0)], [(0, 0.6)]))
def test_no_neighbours_are_named_where_none_were_exchanged(seed, most):
    assert ioadr.diagnose(noisy(seed, most)).odd == {}


@pytest.mark.parametrize(("most", "told"), [(0.2, False), (1.0, True)])
def test_whether_an_exchange_would_be_noticed_is_said(most, told):
    sound = noisy(0, most)
    found = ioadr.diagnose(sound)
    assert found.examination.neighbours_told == told
    for said in (findings(found)["neighbours"], neighbours(sound)):
        assert ("cannot tell whether two views were swapped" in said) != told


def test_views_that_are_one_picture(views, tmp_path):
    """Nothing can be measured; leaving views out does not help."""
    for number in range(9):
        save_png(tmp_path / f"{number}.png", views[2, 2])
    (said,) = ioadr.read(tmp_path).source.doubts.values()
    assert said.startswith("all views are the same picture as 4.png")
    found = ioadr.diagnose(tmp_path)
    assert findings(found)["verdict"].startswith("all views are the same picture")
    assert found.remedies == ()


def test_arrows_show_the_motion_where_rows_are_reversed(views):
    """From views of the wrong order no map can be made: arrows come from the order in which the views match."""
    found = ioadr.diagnose(ioadr.LightField(np.ascontiguousarray(views[::-1])))
    shift = dict(zip(found.places, found.examination.shift, strict=True))
    assert shift[0, 2][0] < 0 < shift[4, 2][0]
    assert shift[2, 4][1] < 0 < shift[2, 0][1]


COUNTED = [
    ((5, 5), "serpentine", "--grid 5x5 --order serpentine"),
    ((5, 5), "serpentine-column", "--grid 5x5 --order serpentine-column"),
    ((1, 9), "row", "--grid 1x9"),
    ((9, 1), "row", "--grid 9x1"),
    ((4, 9), "row", "--grid 4x9"),
    ((4, 9), "column", "--grid 4x9 --order column"),
]


@pytest.mark.parametrize(("grid", "order", "argument"), some_quick(COUNTED, COUNTED[1:2]))
def test_views_that_are_counted_otherwise_are_noticed(grid, order, argument, tmp_path):
    """Where a square grid along rows was assumed."""
    views = explored.larger() if grid == (5, 5) else demo(grid=grid, size=(96, 128)).lightfield.views
    for place, number in np.ndenumerate(numbered_grid(grid, order)):
        save_png(tmp_path / f"img_{number:02d}.png", views[place])
    notes = [as_options(note) for note in ioadr.read(tmp_path).source.notes]
    assert any(note.endswith(f"counted in another order: try {argument}") for note in notes), notes
    found = ioadr.diagnose(tmp_path)
    assert not found.healthy
    assert f" {argument} --out" in command_line(found)


def test_arrows_are_drawn_where_most_of_a_scene_is_in_focus():
    """The median point does not move there: all arrows had no length."""
    texture = np.random.default_rng(4).integers(0, 255, (2, 96, 96, 1), np.uint8)

    def view(down, right):
        picture = texture[0].copy()
        picture[22 - 2 * down : 78 - 2 * down, 22 - 2 * right : 78 - 2 * right] = texture[1, 22:78, 22:78]
        return picture

    views = np.stack([[view(row, column) for column in range(-2, 3)] for row in range(-2, 3)])
    found = ioadr.diagnose(ioadr.LightField(views))
    assert np.abs(found.examination.shift).max() > 1
