"""Views that were not taken look like the scene from there."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from ioadr import InputError, Viewpoint
from ioadr.evaluation.synthetic import render
from ioadr.views.paths import PATHS, read_path
from ioadr.views.rendering import LENS_POINTS, kept_part, lens, near_grown, view_step
from tests.unit.views.scenes import SIZE, every_view, scene


def psnr(one, other, border=10):
    inner = (slice(border, -border), slice(border, -border))
    return 10 * np.log10(255**2 / np.mean((one.astype(float)[inner] - other.astype(float)[inner]) ** 2))


def taken_from(row, column):
    """The true picture from a place of the grid."""
    rendered = scene()
    positions = np.array([[[row, column], [4.0, 4.0], [5.0, 5.0], [3.0, 3.0]]])
    taken = render(rendered.scene, rendered.camera, (1, 4), positions=positions, reference=(0, 1))
    return taken.lightfield.views[0, 0]


def test_a_captured_place_shows_the_captured_view():
    views = every_view()
    for view in ((4, 4), (0, 0), (2, 7)):
        made = views.render((float(view[0]), float(view[1])), threads=1)
        assert psnr(made.image, scene().lightfield.views[view]) > 48
        assert np.mean(np.abs(made.disparity - views.map_of(view)) < 0.07) > 0.97


@pytest.mark.parametrize(("place", "least"), [((4.5, 3.5), 36.0), ((1.5, 6.25), 35.0), ((-0.75, 4.0), 32.0)])
def test_between_and_beside_the_views(place, least):
    made = every_view().render(place, threads=1)
    expected = taken_from(*place)
    assert psnr(made.image, expected) > least
    nearest = scene().lightfield.views[tuple(np.clip(np.rint(place), 0, 8).astype(int))]
    assert psnr(made.image, expected) > psnr(nearest, expected) + 6


def test_a_step_ahead_is_the_middle_enlarged():
    """A plane's worth of the scene: what is at depth Z grows by Z / (Z − step)."""
    views = every_view()
    here, there = (views.render(Viewpoint(4, 4, ahead), threads=1) for ahead in (0.0, 0.5))
    row, column = SIZE[0] // 2, SIZE[1] // 2
    d = float(here.disparity[row, column])
    rays = views.estimate.rays
    assert abs(there.disparity[row, column] - d) < 0.1
    growth = 1 / (1 - 0.5 * (rays.slope * d + rays.offset))
    assert growth > 1.05
    step = 6
    np.testing.assert_allclose(there.image[row, column + round(step * growth)], here.image[row, column + step], atol=25)


def test_no_picture_has_a_hole():
    views = every_view()
    for place in (Viewpoint(-2, -2), Viewpoint(10, 4, 0.3), Viewpoint(4, 4, zoom=0.8)):
        made = views.render(place, threads=1)
        assert np.isfinite(made.image).all()
        assert made.image.min() >= 0
        assert made.image.max() <= 255
    assert not made.seen.all()  # zoomed out, it shows what no view saw, and says so


def test_a_larger_picture_shows_the_same():
    views = every_view()
    large = views.render((4.0, 4.0), (2 * SIZE[0], 2 * SIZE[1]), threads=1).image
    small = large.reshape(SIZE[0], 2, SIZE[1], 2, 3).mean(axis=(1, 3))
    assert psnr(small, scene().lightfield.views[4, 4]) > 33


def test_an_open_lens_blurs_all_but_the_focus():
    """Blur of a disparity is its distance to the focus times the aperture."""
    views = every_view()
    truth = scene().truth.disparity
    sharp = scene().lightfield.views[4, 4].astype(float)
    low, high = float(np.quantile(truth, 0.1)), float(np.quantile(truth, 0.9))
    for focus in (low, high):
        made = views.render((4.0, 4.0), aperture=3.0, focus=focus, threads=1).image
        error = np.abs(made - sharp).mean(axis=-1)
        in_focus, out_of_focus = np.abs(truth - focus) < 0.1, np.abs(truth - focus) > 0.6
        assert error[in_focus].mean() < 0.5 * error[out_of_focus].mean()


def test_a_lens_keeps_its_focus_still():
    pose = Viewpoint(4, 4, 0.2).pose(every_view().layout, every_view().estimate.rays, SIZE, SIZE)
    poses = list(lens(pose, 2.0, 0.7))
    assert len(poses) == LENS_POINTS
    assert max(np.hypot(p.dy - pose.dy, p.dx - pose.dx) for p in poses) <= 2.0
    assert abs(np.mean([p.dy for p in poses]) - pose.dy) < 0.05
    scale = 1 / (1 - pose.nearer * 0.7 - pose.closer)
    places = {round(p.cy - scale * 0.7 * p.dy, 9) for p in poses}
    assert len(places) == 1


def test_threads_change_nothing():
    views = every_view()
    one, three = (views.render((3.3, 4.8), threads=threads).image for threads in (1, 3))
    np.testing.assert_array_equal(one, three)


def test_without_the_light_field_it_says_what_to_do():
    with pytest.raises(InputError, match=r"render: needs the pictures.*load_views\(folder, lightfield\)"):
        replace(every_view(), lightfield=None).render((4.0, 4.0))


def test_a_light_field_with_fewer_views_is_refused():
    """Compiled code would read beyond its pictures."""
    views = every_view()
    part = kept_part(scene().lightfield, views.layout.thinned(2))
    with pytest.raises(InputError, match="not the light field that was estimated: expected 9×9 views, found 5×5"):
        replace(views, lightfield=part).render((4.0, 4.0))


def test_pictures_are_enlarged_up_to_eight_times():
    """Beyond, gaps between pixels were filled in from the farther side."""
    views = every_view()
    height, width = views.size
    tile = (4 * height, 4 * width)
    assert views.render(Viewpoint(4.0, 4.5, zoom=2.0), tile).seen.mean() > 0.99
    with pytest.raises(InputError, match=r"enlarges the views 8\.4 times, .*; at most 8 times is possible"):
        views.render(Viewpoint(4.0, 4.5, zoom=2.1), tile)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": (1, 5)}, "size"),
        ({"aperture": -1.0}, "lens: expected a finite aperture"),
        ({"focus": float("nan")}, "lens: expected"),
    ],
)
def test_impossible_pictures_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        every_view().render((4.0, 4.0), **options)


@pytest.mark.parametrize("farther", [1.0, 1.1])
def test_a_lens_cannot_focus_at_or_behind_the_camera(farther):
    views, rays = every_view(), every_view().estimate.rays
    focus = float(views.estimate.disparity.max())
    ahead = farther / (rays.slope * focus + rays.offset)
    with pytest.raises(InputError, match="lens: the camera is not in front of what is in focus"):
        views.render(Viewpoint(4, 4, ahead=ahead), aperture=1.0, focus=focus, threads=1)


def test_zoom_must_be_positive():
    with pytest.raises(InputError, match="zoom: expected a positive number"):
        every_view().render(Viewpoint(4, 4, zoom=0))


def test_near_surfaces_grow_by_a_pixel_and_slopes_do_not():
    flat = np.zeros((5, 7), np.float32)
    flat[2, 3] = 1.0
    expected = flat.copy()
    expected[1:4, 3] = expected[2, 2:5] = 1.0
    np.testing.assert_array_equal(near_grown(flat, 0.5), expected)
    slope = np.arange(35, dtype=np.float32).reshape(5, 7)
    np.testing.assert_array_equal(near_grown(slope, 8.0), slope)


def test_the_step_of_a_grid_is_its_spacing():
    places = np.stack(np.meshgrid(np.arange(0, 6, 2.0), np.arange(0, 8, 2.0)), axis=-1).reshape(-1, 2)
    assert view_step(places) == 2.0


def test_paths_stay_inside_and_close():
    views = every_view()
    for name, path in PATHS.items():
        places = path(views, 24)
        assert len(places) == 24
        assert all(0 <= place.row <= 8 and 0 <= place.column <= 8 and place.ahead >= 0 for place in places)
        steps = [abs(a.row - b.row) + abs(a.column - b.column) for a, b in pairwise(places)]
        assert max(steps) < 9, name
    assert max(place.ahead for place in PATHS["dolly"](views, 24)) > 0.1


def test_a_file_of_places_is_read():
    assert read_path("# places\n4 4\n3.5, 2 0.25\n1 1 0 2 # zoomed\n", "path") == [
        Viewpoint(4, 4),
        Viewpoint(3.5, 2, 0.25),
        Viewpoint(1, 1, 0, 2),
    ]
    with pytest.raises(InputError, match=r"path, line 2: expected `row column .*` in numbers, found 'a b'"):
        read_path("1 1\na b\n", "path")
    with pytest.raises(InputError, match=r"path, line 2: expected a positive zoom, found -2\."):
        read_path("1 1\n1 1 0 -2\n", "path")
    with pytest.raises(InputError, match="path: expected 1 … 10000 lines"):
        read_path("# nothing\n", "path")


def test_a_steady_film_does_not_pulse():
    """With noisy views, the grain of a picture at a captured view is about that between four of them."""
    views, generator = every_view(), np.random.default_rng(0)
    lightfield = scene().lightfield
    noisy = np.clip(lightfield.views + generator.normal(0, 12, lightfield.views.shape), 0, 255).astype(np.uint8)
    views = replace(views, lightfield=lightfield.replace(views=noisy))

    def grain(place, steady):
        made = views.render(place, threads=1, steady=steady).image.mean(axis=2)
        return float(np.abs(np.diff(made, axis=1)).mean())

    pulse = [grain((4.0, 4.0), steady) / grain((4.5, 4.5), steady) for steady in (False, True)]
    assert pulse[0] > 1.5
    assert 0.9 < pulse[1] < 1.25
    assert grain((4.0, 4.0), True) < 1.03 * grain((4.0, 4.125), True)


@pytest.mark.parametrize("place", [(4.0, 13.0), (4.0, -5.0), (12.0, 4.0)])
def test_what_no_view_sees_is_coloured_like_the_surface_behind(place):
    """Far beside the views, not like the object in front of it, which the views show there: that is 16 … 19 off."""
    made, expected = every_view().render(place, threads=1), taken_from(*place)
    inner = np.zeros(SIZE, bool)
    inner[12:-12, 12:-12] = True  # not beyond the edges of all views
    unseen = ~made.seen & inner
    assert unseen.sum() > 100
    assert np.abs(made.image - expected)[unseen].mean() < 13


def test_two_pictures_from_one_position_are_no_step():
    """A rig may take two exposures everywhere; pictures were not a number then."""
    places = np.repeat(np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]]), 2, axis=0)
    assert view_step(places) == 2.0
