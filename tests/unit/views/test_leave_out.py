"""Views that were left out are synthesised better than by simple means, and measured rightly."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr import InputError
from ioadr.evaluation.synthetic import random_light_field
from ioadr.layout import Layout
from ioadr.views.leave_out import METHODS, around, compared, leave_views_out, ssim
from ioadr.views.rendering import kept_part
from tests.builders import make_lightfield
from tests.unit.views.scenes import scene


@pytest.mark.slow
def test_views_left_out_are_synthesised_better_than_by_simple_means():
    lightfield = scene().lightfield
    found = leave_views_out(lightfield, 2, "fast", threads=1)
    assert len(found.index) == 56
    assert len(found.views.index) == 25
    means = found.means()
    assert set(means) == set(METHODS)
    others = [means[name] for name in METHODS if name != "views"]
    simple = [means[name][0] for name in METHODS if name not in ("views", "script")]
    assert means["views"][0] > max(simple) + 3
    # Interpolated by Lanczos and from six neighbours, as here, the median of warped ones is a strong competitor.
    assert means["views"][0] > means["script"][0] + 2.5
    assert means["views"][1] > max(similarity for _, similarity in others)


def test_kept_views_keep_their_places():
    lightfield = scene().lightfield
    part = kept_part(lightfield, lightfield.layout.thinned(2))
    assert part.grid == (5, 5)
    assert part.reference == (2, 2)
    np.testing.assert_array_equal(part.offsets[0, 4], (-4, 4))
    np.testing.assert_array_equal(part.views[1, 2], lightfield.views[2, 4])
    assert part.range == lightfield.range


def test_a_blend_is_of_the_nearest_views():
    lightfield = make_lightfield(grid=(5, 5))
    kept = lightfield.layout.thinned(2)
    assert around(lightfield, kept, (1, 2)) == [((0, 2), 0.5), ((2, 2), 0.5)]
    assert [there for there, _ in around(lightfield, kept, (1, 1))] == [(0, 0), (0, 2), (2, 0), (2, 2)]


def test_measured_positions_are_blended_from_both_sides():
    positions = np.moveaxis(np.mgrid[:5, :5].astype(np.float64), 0, -1)
    positions[0, 2, 0] = -0.2
    lightfield = make_lightfield(grid=(5, 5), layout=Layout.of((5, 5), positions=positions))
    (above, first), (below, second) = around(lightfield, lightfield.layout.thinned(2), (1, 2))
    assert (above, below) == ((0, 2), (2, 2))
    # Linear interpolation between positions 1.2 above and 1.0 below.
    assert (first, second) == pytest.approx((1.0 / 2.2, 1.2 / 2.2))


def test_psnr_and_ssim_of_known_pictures():
    random = np.random.default_rng(0)
    picture = random.integers(0, 256, (40, 50, 3)).astype(np.float64)
    assert compared(picture, picture, 255.0)[0] == np.inf
    assert compared(picture, picture, 255.0)[1] == pytest.approx(1.0)
    psnr, _ = compared(picture + 5.0, picture, 255.0)
    assert psnr == pytest.approx(10 * np.log10(255**2 / 25))
    halves, _ = compared((picture + 5.0) / 255, picture / 255, 1.0)
    assert halves == pytest.approx(psnr)
    grey = picture.mean(axis=2)
    assert ssim(grey, 255 - grey, 255.0) < 0
    shifted = ssim(grey, grey + 50, 255.0)
    assert 0.8 < shifted < 1


def test_ssim_is_that_of_its_formula_in_one_window():
    random = np.random.default_rng(1)
    one, other = random.random((2, 7, 7)) * 255
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    covariance = np.mean((one - one.mean()) * (other - other.mean()))
    above = (2 * one.mean() * other.mean() + c1) * (2 * covariance + c2)
    below = (one.mean() ** 2 + other.mean() ** 2 + c1) * (one.var() + other.var() + c2)
    assert ssim(one, other, 255.0) == pytest.approx(above / below)


@pytest.mark.parametrize(
    ("grid", "step", "message"),
    [
        ((3, 3), 2, r"would keep 1 of the 9 views of a 3×3 grid, too few for an estimation. Such a light field is"),
        ((9, 9), 5, r"would keep 1 of the 81 views of a 9×9 grid, too few for an estimation. Give a smaller number"),
        ((3, 3), 1, r"would leave out none of 9 views"),
    ],
)
def test_another_number_of_views_than_asked_for_is_refused(grid, step, message):
    """A smaller step used to be taken silently."""
    with pytest.raises(InputError, match=f"leave_out.*{message}"):
        leave_views_out(make_lightfield(grid=grid), step, "fast")


def test_views_of_a_line_are_left_out():
    """Five of nine views remain: fewer than the median of six neighbours would take."""
    rendered = random_light_field(7, "mixed", size=(40, 48), grid=(1, 9))
    found = leave_views_out(rendered.lightfield, 2, "fast", threads=1)
    assert found.index.tolist() == [[0, 1], [0, 3], [0, 5], [0, 7]]
    assert len(found.views.index) == 5
    means = {name: psnr for name, (psnr, _) in found.means().items()}
    assert means["views"] > max(means["nearest"], means["blend"], means["script"]) + 2


def test_tiny_pictures_are_compared_whole():
    picture = np.random.default_rng(2).integers(0, 256, (4, 6, 3)).astype(np.float64)
    psnr, similarity = compared(picture + 5.0, picture, 255.0)
    assert psnr == pytest.approx(10 * np.log10(255**2 / 25))
    assert 0.9 < similarity < 1
