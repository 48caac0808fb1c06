"""Colours of points that nearer surfaces hide from most views."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr.views.pose import captured
from ioadr.views.sampling import ENOUGH, OUTSIDE, SHIFT, blend_rows, sight_weight, tolerance

SIZE = (8, 8)
NEAR, FAR = np.float32(1.0), np.float32(0.0)
DARK, BRIGHT = 0.0, 100.0


def blended(shares, camera=2.0, anchored=True):
    """A picture of the far surface, and where it is seen.

    In views at 0, −1, −2 … steps, it has the given shares of the pixels around each place; the near surface has the
    rest. The views at 0 and −1 are dark, as if they showed mixed pixels of the near surface. The others are bright.
    """
    places = np.array([(0.0, -float(step)) for step in range(len(shares))])
    index = np.array([(0, step) for step in range(len(shares))])
    images = np.full((1, len(shares), *SIZE, 1), BRIGHT, np.float32)
    images[:, :2] = DARK
    maps = np.full((len(shares), *SIZE), NEAR)
    for number, share in enumerate(shares):
        if share > 0:
            maps[number, :, ::2] = FAR
        if share == 1:
            maps[number] = FAR
    target = np.full(SIZE, FAR)
    out, seen = np.empty((*SIZE, 1), np.float32), np.empty(SIZE, bool)
    between = 1.0 - shares[0] if 0 < shares[0] < 1 else 0.0
    pose, marked = captured((0.0, camera))._replace(m0=between), np.full(SIZE, anchored)
    blend_rows(0, SIZE[0], images, maps, places, index, target, target, pose, 0.35, 1.0, 1.0, marked, out, seen)
    return out[..., 0], seen


def test_views_that_hardly_see_a_point_do_not_colour_it():
    """They have a hundredth of its surface: their pixels are mixed, and the picture had dots in the nearer colour."""
    picture, seen = blended([0.01, 0.01, 1, 1, 1])
    assert picture[2:-2, 2:-2:2].min() > 0.85 * BRIGHT
    assert seen[:, :-1].all(), "views end at the last column"


def test_views_around_the_ray_are_enough_if_they_see_the_point():
    picture, _ = blended([1, 1, 1, 1, 1])
    assert picture.max() < 0.5 * BRIGHT


def test_no_step_between_few_and_enough():
    """The colour changes gradually with the share, so that nothing pops up in a video."""
    shares = np.linspace(0.02, 2 * ENOUGH, 25)
    pictures = [blended([share, share, 1, 1, 1])[0][4, 4] for share in shares]
    assert np.abs(np.diff(pictures)).max() < 0.25 * BRIGHT


@pytest.mark.parametrize(
    ("anchored", "camera", "expected"), [(True, 2.0, False), (False, 2.0, False), (True, 0.5, True)]
)
def test_what_no_view_sees_is_marked(anchored, camera, expected):
    """Also where an anchor saw a tenth of it at an outline. Between the views, everything counts as seen."""
    _, seen = blended([0, 0, 0, 0, 0], camera, anchored)
    assert (seen == expected).all()


def test_far_views_must_agree_more_closely():
    """A difference of disparity moves a sample by more px in a view that is farther away."""
    link = 0.35
    found = [tolerance(distance**2, link) for distance in (0.0, 1.0, 2.0, 3.0, 4.0, 9.0)]
    assert found == pytest.approx([link, link, link, SHIFT / 3, link / 2, link / 2])


@pytest.mark.parametrize("place", [(7 + 1e-12, 3.0), (-1e-12, 3.0), (3.0, 7 + 1e-12), (3.0, -1e-12)])
def test_rounding_does_not_put_the_outermost_pixels_outside(place):
    """An optical axis at 2.3 px makes the last of 8 rows 7.000000000000001."""
    flat = np.full(SIZE, FAR)
    assert sight_weight(flat, *place, FAR, 0.1) == pytest.approx(1.0, abs=0.01)
    assert sight_weight(flat, 7.01, 3.0, FAR, 0.1) == OUTSIDE
