"""Light fields that tell little or nothing: a finite map inside the range, and no trust where nothing is known."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ioadr
from ioadr import DisparityRange, Estimate, InputError, LightField, preset
from ioadr.app.report.page import report_html
from tests.builders import make_lightfield, make_views

SIZE = (36, 40)
LIMITS = DisparityRange(-1.0, 1.5, "user")
INNER = np.s_[8:-8, 8:-8]
PRESETS = ("paper", "fast", "best")
TRUSTED = 0.5
"""Confidence above which the report calls a pixel sure."""

ROUNDING = 3e-7
"""px; the range is given in float64, a map is float32."""

Views = NDArray[Any]


def textured(dtype: str = "uint8", disparity: float = 0.7, grid: tuple[int, int] = (5, 5)) -> Views:
    return make_views(grid=grid, size=SIZE, dtype=dtype, disparity=disparity)


def constant() -> Views:
    return np.full((5, 5, *SIZE, 3), 77, np.uint8)


def black() -> Views:
    return np.zeros((5, 5, *SIZE, 3), np.uint8)


def saturated() -> Views:
    """All of it burnt out but one stripe."""
    views = np.full((5, 5, *SIZE, 3), 255, np.uint8)
    views[..., :6, :] = textured()[..., :6, :]
    return views


def one_channel() -> Views:
    """Only red varies."""
    views = textured()
    views[..., 1:] = 40
    return views


def two_level() -> Views:
    return np.where(textured() > 128, 255, 0).astype(np.uint8)


def dark() -> Views:
    """Three grey levels."""
    return (textured().astype(np.uint16) * 2 // 255).astype(np.uint8)


def noisy() -> Views:
    """Noise alone, other in every view."""
    return np.random.default_rng(3).integers(0, 256, (5, 5, *SIZE, 3), np.uint8)


def fine() -> Views:
    """Black and white change with every pixel; to every second view any whole disparity fits."""
    rows, columns = np.indices(SIZE)
    pattern = ((rows + columns) % 2 * 255).astype(np.uint8)
    return np.broadcast_to(pattern[None, None, :, :, None], (5, 5, *SIZE, 3)).copy()


WITHOUT = {make.__name__: make for make in (constant, black, saturated, noisy)}
"""Nothing, or next to nothing, to be learnt."""
WITH = {make.__name__: make for make in (one_channel, two_level, dark, fine)}


def estimated(views: Views, name: str = "paper", limits: DisparityRange = LIMITS, **layout: Any) -> Estimate:
    found = ioadr.estimate(LightField(views, range=limits, **layout), preset(name))
    check(found, limits)
    return found


def check(found: Estimate, limits: DisparityRange) -> None:
    for values in (found.disparity, found.confidence, found.depth, *found.costs.values()):
        assert np.isfinite(values).all()
    if min(found.disparity.shape) > 1:
        assert np.isfinite(found.normals).all()
    assert found.disparity.min() >= limits.minimum - ROUNDING
    assert found.disparity.max() <= limits.maximum + ROUNDING
    assert 0 <= found.confidence.min() <= found.confidence.max() <= 1


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("make", WITHOUT.values(), ids=WITHOUT)
def test_no_trust_without_information(make, name):
    found = estimated(make(), name)
    blank = found.confidence[4:-4, 14:-4]
    assert np.mean(blank > TRUSTED) < 0.01
    assert np.median(blank) < 0.05


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("make", WITH.values(), ids=WITH)
def test_what_little_there_is_misleads_nobody(make, name):
    """Wrong values may come of it, but not trusted ones."""
    found = estimated(make(), name)
    wrong = np.abs(found.disparity - (0.0 if make is fine else 0.7))[INNER] > 0.1
    assert np.mean(wrong & (found.confidence[INNER] > TRUSTED)) < 0.1
    if make is one_channel:
        assert np.mean(wrong) < 0.01


def test_the_report_says_how_much_is_sure():
    page = report_html(estimated(constant()), None)
    shown = re.search(r"Confidence.{0,80}?(\d\.\d\d).{0,80}?expected share of pixels within 0\.07.px<", page, re.DOTALL)
    assert shown is not None
    assert float(shown[1]) < 0.1


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_no_number_is_no_sample(value):
    views = textured("float32")
    views[1, 2, 3, 4, 0] = value
    with pytest.raises(InputError, match=r"NaN or infinite.*`skip`"):
        LightField(views, range=LIMITS)


@pytest.mark.parametrize("factor", [1e-30, 1e30])
def test_extreme_floats(factor):
    """The same picture in other units."""
    usual, extreme = textured("float32"), textured("float32") * np.float32(factor)
    found = ioadr.estimate(LightField(extreme, range=LIMITS, white=factor), preset("paper"))
    check(found, LIMITS)
    expected = ioadr.estimate(LightField(usual, range=LIMITS), preset("paper"))
    assert np.mean(np.abs(found.disparity - expected.disparity) < 0.02) > 0.95


def test_constant_views_need_a_range():
    for limits in (None, DisparityRange(-1.0, 1.5, "file")):
        with pytest.raises(InputError, match=r"every sample is 77"):
            LightField(constant(), range=limits)


@pytest.mark.parametrize("name", PRESETS)
def test_no_baseline_no_disparity(name):
    """All views are the same: everything is in the focus plane; where it is not in the range, nothing is trusted."""
    same = np.broadcast_to(textured()[2, 2], (5, 5, *SIZE, 3)).copy()
    found = estimated(same, name)
    assert np.abs(found.disparity[INNER]).max() < 0.05
    outside = estimated(same, name, DisparityRange(0.8, 2.0, "user"))
    assert np.mean(outside.confidence[INNER] > TRUSTED) < 0.05


def test_cameras_in_one_place_are_refused():
    with pytest.raises(InputError, match="expected at least 3×3 views, or a line of 3"):
        LightField(textured(), range=LIMITS, positions=np.zeros((5, 5, 2)))


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("limits", [(-3.0, -1.2), (2.0, 4.0), (0.0, 0.01), (-0.1, 0.1), (0.9, 0.91), (0.3, 0.6)])
def test_a_range_without_the_truth(name, limits):
    """Inside what was asked for, and not trusted, however wide the range and however near the truth, 0.7 px."""
    found = estimated(textured(), name, DisparityRange(limits[0], limits[1], "user"))
    assert np.mean(found.confidence[INNER] > TRUSTED) < 0.05


@pytest.mark.parametrize("name", PRESETS)
def test_a_range_of_next_to_nothing(name):
    """Within 0.07 px of the truth: it may be trusted or not, but it is an estimate."""
    found = estimated(textured(), name, DisparityRange(0.75, 0.7500001, "user"))
    np.testing.assert_allclose(found.disparity, 0.75, atol=1e-5)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("reference", [(0, 0), (0, 4), (4, 2)])
def test_a_reference_view_at_the_border(name, reference):
    found = estimated(textured(), name, reference=reference)
    assert np.median(np.abs(found.disparity - 0.7)[INNER]) < 0.05


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("size", [(1, 1), (1, 40), (40, 1), (2, 3), (5, 5)])
def test_images_smaller_than_the_windows(name, size):
    lf = make_lightfield(grid=(3, 3), size=size, range=LIMITS)
    found = ioadr.estimate(lf, preset(name))
    check(found, LIMITS)
    assert found.disparity.shape == size


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_results_do_not_depend_on_what_ran_before(order):
    """Sizes and threads change from run to run; each result is that of a single run."""
    inputs = [make_lightfield(size=size, range=LIMITS) for size in ((20, 24), (37, 41), (9, 50))]
    alone = [ioadr.estimate(lf, preset("fast"), threads=1).disparity.tobytes() for lf in inputs]
    for threads in (2, 1, 3):
        for number in order:
            found = ioadr.estimate(inputs[number], preset("fast"), threads=threads)
            assert found.disparity.tobytes() == alone[number]
