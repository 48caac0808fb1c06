"""A result knows its light field: another is refused, and one with altered pictures is doubted."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from ioadr import InputError
from tests.builders import make_lightfield
from tests.scenes import make_estimate

SIZE = (40, 48)


@pytest.fixture
def lightfield():
    return make_lightfield(size=SIZE)


@pytest.fixture
def estimate(lightfield):
    return make_estimate(np.zeros(SIZE), image=lightfield.reference_view, layout=lightfield.layout)


def remarks(caplog, estimate, lightfield):
    with caplog.at_level(logging.WARNING, "ioadr"):
        estimate.check_lightfield(lightfield)
    return caplog.messages


def test_its_own_is_accepted_silently(caplog, estimate, lightfield):
    assert remarks(caplog, estimate, lightfield) == []
    estimate.check_lightfield(lightfield, exact=True)


def test_another_scene_is_refused(estimate):
    with pytest.raises(InputError, match="not the light field that was estimated: its view 1 1 differs"):
        estimate.check_lightfield(make_lightfield(size=SIZE, seed=5))


@pytest.mark.parametrize(
    "alter",
    [
        lambda views: np.clip(views * 1.2, 0, 255).astype(np.uint8),
        lambda views: np.clip(views + np.random.default_rng(0).normal(0, 8, views.shape), 0, 255).astype(np.uint8),
        lambda views: (views // 16) * 16,
        lambda views: views.mean(axis=-1, keepdims=True).astype(np.uint8),
    ],
    ids=["brighter", "noisy", "fewer levels", "grey"],
)
def test_altered_pictures_are_doubted(caplog, estimate, lightfield, alter):
    altered = lightfield.with_(views=alter(lightfield.views))
    [remark] = remarks(caplog, estimate, altered)
    assert remark.startswith("light field: doubtful whether it is the one that was estimated: view 1 1 differs by")
    with pytest.raises(InputError, match="its view 1 1 differs"):
        estimate.check_lightfield(altered, exact=True)


def test_the_same_picture_with_more_bits_is_accepted(caplog, estimate, lightfield):
    deep = lightfield.with_(views=lightfield.views.astype(np.uint16) * 257, white=65535.0)
    assert remarks(caplog, estimate, deep) == []


def with_flat_centre(lightfield, level):
    views = lightfield.views.copy()
    views[1, 1] = level
    return lightfield.with_(views=views)


def test_a_picture_without_contrast_is_compared_by_its_brightness(caplog, lightfield):
    flat = with_flat_centre(lightfield, 90)
    estimate = make_estimate(np.zeros(SIZE), image=flat.reference_view, layout=flat.layout)
    assert remarks(caplog, estimate, flat) == []
    assert "view 1 1 differs by 10 grey levels" in remarks(caplog, estimate, with_flat_centre(lightfield, 100))[0]
    with pytest.raises(InputError, match="its view 1 1 differs"):
        estimate.check_lightfield(lightfield)


def test_another_layout_is_refused(estimate, lightfield):
    with pytest.raises(InputError, match="expected 3×3 views, found 3×4"):
        estimate.check_lightfield(make_lightfield(grid=(3, 4), size=SIZE))
    with pytest.raises(InputError, match="expected views of 48×40 px, found 44×40"):
        estimate.check_lightfield(make_lightfield(size=(40, 44)))
    present = np.ones((3, 3), bool)
    present[0, 2] = False
    with pytest.raises(InputError, match="view 0 2 is missing"):
        estimate.check_lightfield(lightfield.with_(present=present))
    with pytest.raises(InputError, match="the positions of its views differ"):
        estimate.check_lightfield(lightfield.with_(eta=(1.0, 2.0)))


def test_the_page_of_a_result_shows_no_other_views(tmp_path, estimate):
    with pytest.raises(InputError, match="not the light field that was estimated"):
        estimate.save(tmp_path / "out", report=make_lightfield(size=SIZE, seed=5))
    assert not (tmp_path / "out").exists()
