"""Texture too fine for one view is resolved by several, where they show the same surface."""

from __future__ import annotations

import numpy as np

from ioadr.views.fitting import fit_rows
from ioadr.views.pose import captured
from ioadr.views.sampling import blend_rows

SIZE, DISPARITY, LINK, CLOSE = (24, 28), 0.5, 0.2, 0.1
PLACES = np.array([[a, b] for a in (-0.5, 0.5) for b in (-0.5, 0.5)])
INDEX = np.array([[a, b] for a in (0, 1) for b in (0, 1)])


def texture(offset):
    """A plane of 0.42 and 0.36 periods per px, as the view at an offset sees it, [N, M, 1]."""
    rows, columns = np.mgrid[: SIZE[0], : SIZE[1]] + DISPARITY * np.asarray(offset)[:, None, None]
    return (128 + 60 * np.sin(2 * np.pi * 0.42 * columns) * np.cos(2 * np.pi * 0.36 * rows))[..., None]


def pictures(offset=(0.0, 0.0), maps=None, noise=0.0):
    """Truth, blended and fitted picture of a camera between four views."""
    images = np.array([texture(place) for place in PLACES], np.float32).reshape(2, 2, *SIZE, 1)
    maps = np.full((4, *SIZE), DISPARITY, np.float32) if maps is None else maps
    out, seen = np.empty((*SIZE, 1), np.float32), np.empty(SIZE, bool)
    target, pose = np.full(SIZE, DISPARITY, np.float32), captured(offset)
    given, anchored = (images, maps, PLACES, INDEX, target), np.ones(SIZE, bool)
    blend_rows(0, SIZE[0], *given, target, pose, LINK, 1.0, CLOSE, anchored, out, seen)
    blended = out.copy()
    fit_rows(0, SIZE[0], *given, pose, LINK, 1.0, CLOSE, noise, out)
    return (picture[4:-4, 4:-4] for picture in (texture(offset), blended, out))


def test_four_views_resolve_what_one_cannot():
    truth, blended, fitted = pictures()
    assert np.abs(fitted - truth).mean() < 0.7 * np.abs(blended - truth).mean()


def test_a_camera_at_a_view_shows_that_view():
    truth, blended, fitted = pictures(offset=PLACES[0])
    np.testing.assert_allclose(blended, truth, atol=0.1)
    np.testing.assert_allclose(fitted, truth, atol=0.1)


def test_other_surfaces_are_left_alone():
    maps = np.full((4, *SIZE), DISPARITY, np.float32)
    maps[:, ::4] += 1.0
    _, blended, fitted = pictures(maps=maps)
    np.testing.assert_array_equal(blended, fitted)


def test_differences_within_the_noise_are_left_alone():
    _, blended, fitted = pictures(noise=1e12)
    np.testing.assert_allclose(blended, fitted, atol=1e-3)
