"""Outlines of near objects are as soft in an enlarged picture as in the captured views."""

from __future__ import annotations

import numpy as np

from ioadr.views.pose import captured
from ioadr.views.rendering import near_grown
from ioadr.views.sampling import blend_rows

SIZE, ZOOM, NEAR, FAR, LINK = (6, 16), 3, 1.0, 0.0, 0.2
PLACES = np.array([[0.0, -0.5], [0.0, 0.5]])
INDEX = np.array([[0, 0], [0, 1]])
BRIGHT, DARK = 200.0, 20.0


def captured_views():
    """Pictures [1, 2, N, M, 1] and maps of a bright surface that ends at column 7.3, in front of a dark wall."""
    columns = np.arange(SIZE[1])
    shares = np.array([np.clip(7.3 - NEAR * offset - columns + 0.5, 0.0, 1.0) for _, offset in PLACES])
    images = np.broadcast_to((DARK + (BRIGHT - DARK) * shares)[:, None, :, None], (2, *SIZE, 1))
    maps = np.broadcast_to(np.where(shares >= 0.5, NEAR, FAR)[:, None], (2, *SIZE)).astype(np.float32)
    return np.ascontiguousarray(images[None], np.float32), np.stack([near_grown(values, LINK) for values in maps])


def profile(growth, hard=False):
    """A row of the enlarged picture, with near surfaces wider by `growth` px; without the surface behind if `hard`."""
    images, maps = captured_views()
    columns = np.arange(ZOOM * SIZE[1]) / ZOOM
    target = np.broadcast_to(np.where(columns <= 7.3, NEAR, FAR), (SIZE[0], columns.size)).astype(np.float32)
    wide = target
    for _ in range(growth):
        wide = near_grown(wide, LINK)
    pose = captured((0.0, 0.0))._replace(zoom=float(ZOOM))
    out, seen = np.empty((*target.shape, 1), np.float32), np.empty(target.shape, bool)
    given = images, maps, PLACES, INDEX, wide if hard else target, wide
    blend_rows(0, len(out), *given, pose, LINK, 1.0, 1.0, np.ones(seen.shape, bool), out, seen)
    return out[2, 4:-4, 0]


def test_an_enlarged_outline_has_no_hard_step():
    soft, hard = profile(2 * ZOOM), profile(1, hard=True)
    largest = [np.abs(np.diff(row)).max() / (BRIGHT - DARK) for row in (soft, hard)]
    assert largest[0] < 0.45  # one captured pixel is three here
    assert largest[1] > 1.3 * largest[0]


def test_far_from_the_outline_each_surface_has_its_own_colour():
    soft = profile(2 * ZOOM)
    np.testing.assert_allclose(soft[:8], BRIGHT, atol=0.5)
    np.testing.assert_allclose(soft[-8:], DARK, atol=0.5)
