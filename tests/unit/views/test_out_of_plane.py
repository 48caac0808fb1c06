"""Maps of every view of photographs that lie in front of and behind one plane."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ioadr import Views, estimate_views, load_views
from ioadr.evaluation.synthetic.posed import Disorder, idealised, true_disparity
from ioadr.evaluation.synthetic.trace import nearest_hits
from ioadr.geometry.off_plane import place_of
from ioadr.io.posed import Scene
from ioadr.views.leave_out import leave_views_out
from ioadr.views.rendering import renderer
from ioadr.views.surfaces import link_of
from tests.posed import SCENE, colmap_scene, shots

FAR_OUT = Disorder(tilt=5.0, forward=0.15, margin=1.3, seed=3)
"""Cameras up to 15 % of their extent out of one plane."""
VIEWS = [(0, 0), (0, 4), (2, 2), (3, 1), (4, 4)]


@pytest.fixture(scope="module")
def views(tmp_path_factory) -> Views:
    taken = shots((96, 104), (5, 5), FAR_OUT)
    return estimate_views(colmap_scene(tmp_path_factory.mktemp("photographs") / "scene", taken), "fast", threads=1)


def inside(values):
    return values[10:-10, 10:-10]


def test_all_views_are_as_good_as_the_reference_view(views):
    def bad(view):
        true = true_disparity(SCENE, views.lightfield, view=view).disparity
        return np.mean(np.abs(inside(views.map_of(view) - true)) > 0.1)

    centre = bad(views.layout.reference)
    assert centre < 0.1
    assert np.mean([bad(view) for view in VIEWS]) < 1.2 * centre


def test_the_result_keeps_the_captured_cameras_and_says_what_was_moved(views):
    assert not views.estimate.layout.planar
    assert not views.lightfield.layout.planar
    assert views.layout.planar
    assert "out of one plane were moved into it" in views.estimate.source.notes[-1]


def test_pictures_show_the_scene_from_inside_the_plane(views):
    """At the position of a captured view, they resemble an ideal camera more than that view does."""
    captured, ideal = views.lightfield, idealised(views.lightfield, SCENE)
    scale = 255.0 / captured.white
    view = max(VIEWS, key=lambda place: abs(captured.layout.forward[place]))
    wanted = inside(ideal.views[view].astype(float))
    drawn = inside(views.render(tuple(captured.positions[view])).image * scale)
    assert np.mean((drawn - wanted) ** 2) < 0.85 * np.mean((inside(captured.views[view] * scale) - wanted) ** 2)


def test_exported_depth_is_that_of_the_photographs(views):
    taken = views.lightfield
    exported = Scene(views.estimate, taken, 0.0, 100, None, taken.camera.world, views)
    turn, origin = exported.world((1.0, 1.0, 1.0))
    rows, columns = (grid.ravel() for grid in np.indices(views.size))
    close = {}
    for view in (view for view in exported.views if view.index in VIEWS):
        (fx, fy), (x, y) = view.focal, view.principal
        rays = np.stack([(columns - x) / fx, (rows - y) / fy, np.ones(rows.size)], axis=1) @ turn.T
        length = rays[:, 2:]
        hits = nearest_hits(SCENE.bodies, turn @ np.array(view.centre) + origin, rays / length)
        true = inside((hits.depth / length[:, 0]).reshape(views.size))
        away = inside(exported.depth_of(view)) / true - 1.0
        assert abs(np.nanmedian(away)) < 0.002
        close[view.index] = np.nanmean(np.abs(away) < 0.02)
    assert min(close.values()) > close[views.layout.reference] - 0.03


def test_a_loaded_result_draws_the_same_pictures_without_doubts(views, tmp_path, caplog):
    views.save(tmp_path / "out", report=False)
    again = load_views(tmp_path / "out", views.lightfield)
    np.testing.assert_array_equal(again.render((1.5, 2.25)).image, views.render((1.5, 2.25)).image)
    assert not caplog.records


def test_left_out_photographs_are_compared_inside_the_plane(views):
    """Every other method looks at the same pictures, so that none gains from where the cameras were."""
    means = leave_views_out(views.lightfield, 2, "fast", threads=1).means()
    assert means["views"][0] > means["blend"][0] > means["nearest"][0]


def test_moved_pictures_are_not_trusted_where_a_nearer_surface_was_in_front(views):
    """Compared with single points of the reference view, as a view farther out of the plane saw them."""
    layout = replace(views.estimate.layout, positions=views.estimate.layout.positions * (1.0, 1.0, 6.0))
    out = replace(views, estimate=replace(views.estimate, layout=layout))
    view = max(VIEWS, key=lambda place: abs(layout.forward[place]))
    place, link = place_of(view, layout, out.estimate.rays), link_of(out.estimate)
    own = out.map_of(view)
    n, m = np.indices(own.shape)
    rows, columns = (np.rint(at).astype(int) for at in place.seen(n, m, out.estimate.disparity))
    there = (rows >= 0) & (rows < len(own)) & (columns >= 0) & (columns < own.shape[1])
    nearest = np.full(own.shape, -np.inf)
    np.maximum.at(nearest, (rows[there], columns[there]), out.estimate.disparity[there])
    y, x = (
        np.clip(np.rint(at).astype(int), 2, size - 3) for at, size in zip(place.sources(own), own.shape, strict=True)
    )
    around = np.max([nearest[y + down, x + right] for down in range(-2, 3) for right in range(-2, 3)], axis=0)
    marked = inside(renderer(out)._covered(view, own) > own)
    hidden, perhaps = inside(nearest[y, x] > own + 4 * link), inside(around > own + link)
    assert hidden.sum() > 30
    assert marked[hidden].mean() > 0.95
    assert marked[~perhaps].mean() < 0.001
