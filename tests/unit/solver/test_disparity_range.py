"""The range from the light field itself: wide enough, not wider for a few stray matches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import ioadr
from ioadr import DisparityRange, InputError, LightField
from ioadr._jit import Workers
from ioadr.evaluation.synthetic import random_light_field
from ioadr.solver.disparity_range import Votes, _supported, pixel_distance, textured_pixels, widened_range
from tests.builders import make_views


def estimated(lf: LightField) -> DisparityRange:
    return ioadr.estimate_range(lf, threads=2)


@pytest.mark.parametrize(("seed", "family"), [(0, "planes"), (1, "spheres"), (2, "mixed")])
def test_it_covers_a_scene_and_little_more(seed, family):
    made = random_light_field(seed, family, (64, 72), (5, 5), disparity=(-1.2, 1.4))
    found = estimated(made.lightfield.with_(range=None))
    low, high = np.quantile(made.truth.disparity, [0.01, 0.99])
    assert found.origin == "estimated"
    assert found.minimum <= low
    assert found.maximum >= high
    assert found.extent < 1.6 * (high - low) + 1.0


@pytest.mark.parametrize("disparity", [-3.0, 0.4, 6.0])
def test_one_plane_has_a_narrow_range_anywhere(disparity):
    """Beyond 4 px the search is widened."""
    views = np.random.default_rng(0).integers(0, 255, (5, 5, 64, 64, 3), np.uint8)
    if disparity == round(disparity):
        wall = np.random.default_rng(1).integers(0, 255, (120, 120, 3), np.uint8)
        for row, column in np.ndindex(5, 5):
            n, m = (28 + int(disparity) * (i - 2) for i in (row, column))
            views[row, column] = wall[n : n + 64, m : m + 64]
    else:
        views = make_views((5, 5), (64, 64), disparity=disparity)
    found = estimated(LightField(views))
    assert found.minimum < disparity < found.maximum
    assert found.extent < 1.5


def test_stray_matches_do_not_widen_it():
    """Two spots of a few px that move as if they were 3 px nearer."""
    views = make_views((5, 5), (80, 80), disparity=0.4)
    clean = estimated(LightField(views))
    spot = np.random.default_rng(2).integers(0, 255, (4, 4, 3), np.uint8)
    for row, column in np.ndindex(5, 5):
        for n, m in ((20, 24), (55, 60)):
            top, left = n - 3 * (row - 2), m - 3 * (column - 2)
            views[row, column, top : top + 4, left : left + 4] = spot
    found = estimated(LightField(views))
    assert abs(found.minimum - clean.minimum) < 0.3
    assert abs(found.maximum - clean.maximum) < 0.3


def test_votes_need_company():
    votes = np.concatenate([np.linspace(0.2, 0.6, 50), [3.5, -2.0, -2.01]]).astype(np.float32)
    kept = _supported(votes, 0.25, 3)
    assert len(kept) == 50
    assert (kept.min(), kept.max()) == (pytest.approx(0.2), pytest.approx(0.6))
    assert len(_supported(np.empty(0, np.float32), 0.25, 3)) == 0


def test_without_texture_the_range_is_asked_for():
    views = np.full((5, 5, 40, 40, 3), 100, np.uint8)
    views[:, :, 20, 20] = 101
    with pytest.raises(InputError, match=r"only 0 points match clearly.*texture.*range=\(MIN, MAX\)"):
        estimated(LightField(views, name="fog"))


@pytest.mark.parametrize("disparity", [0.3, 1.2, 1.7])
def test_of_repeated_texture_the_range_is_asked_for(disparity):
    """-38.97 … -38.72 px were found where a pattern with a period of 8 px moves by 1.2, with a confidence of 1."""
    pixels, steps = np.arange(120), np.arange(5) - 2
    waves = 60 * np.sin(2 * np.pi * (pixels + disparity * steps[:, None]) / 8)
    views = 127 + waves[:, None, :, None] + waves[None, :, None, :]
    with pytest.raises(InputError, match="points match clearly. The views lack texture or repeat it"):
        ioadr.estimate_range(LightField(views[..., None].astype(np.uint8)))


def test_pixels_are_spread_over_the_image():
    views = make_views((3, 3), (50, 60), disparity=0.0)
    pixels = textured_pixels(LightField(views), 10)
    cells = {(int(n) // 10, int(m) // 10) for n, m in pixels}
    assert len(cells) == len(pixels)
    assert len(pixels) >= 0.7 * 30


@pytest.mark.parametrize("factor", [2, 4])
def test_enlarged_views_have_the_enlarged_range(factor):
    """They are smooth: hardly any pixel differs much from its neighbours."""
    made = random_light_field(3, "mixed", (80, 88), (5, 5), disparity=(-1.2, 1.4)).lightfield.with_(range=None)
    views = np.stack([[enlarged(view, factor) for view in row] for row in made.views])
    small, large = estimated(made), estimated(LightField(views))
    assert pixel_distance(made) == 1
    assert pixel_distance(LightField(views)) == factor
    assert large.minimum == pytest.approx(factor * small.minimum, abs=0.2 * factor)
    assert large.maximum == pytest.approx(factor * small.maximum, abs=0.2 * factor)


def enlarged(view: np.ndarray, factor: int) -> np.ndarray:
    size = view.shape[1] * factor, view.shape[0] * factor
    return np.asarray(Image.fromarray(view).resize(size, Image.Resampling.LANCZOS))


def test_a_range_is_widened_by_what_some_pixels_see_outside_it():
    rendered = random_light_field(3, "mixed", (80, 88), (5, 5), disparity=(-1.2, 1.4))
    whole = rendered.truth.range
    assert whole is not None
    near = rendered.truth.disparity > 0.5
    short = replace(whole, maximum=0.5)
    lightfield = rendered.lightfield.with_(range=short)
    with Workers(1) as workers:
        limits, outside, clear = widened_range(lightfield, short, near, workers)
        assert (limits.minimum, limits.origin) == (short.minimum, "file")
        assert limits.maximum == pytest.approx(whole.maximum, abs=0.25)
        assert 0.5 * clear < outside < clear, "some are within the accuracy of a vote"
        far = rendered.truth.disparity < 0.3
        assert widened_range(lightfield, short, far, workers)[:2] == (short, 0)
        assert widened_range(lightfield, short, np.zeros_like(near), workers) == (short, 0, 0), "nobody votes"


def test_a_lone_vote_does_not_widen_a_range():
    """One of 33 points, supported by others inside the range, widened it by 0.3 px to where nothing is."""
    limits = DisparityRange(-1.0, 1.0)
    votes = Votes(9, np.array([-1.6, -0.9, 0.0, 0.9, 1.05, 1.4, 1.5], np.float32), 2.0)
    below, above = votes.beyond(limits)
    assert votes.supported[below].tolist() == pytest.approx([-1.6])
    assert votes.supported[above].tolist() == pytest.approx([1.4, 1.5])
    assert votes.without_lone(limits).ends == pytest.approx((-0.9, 1.5))
    assert votes.without_lone(DisparityRange(-2.0, 2.0)) is votes
