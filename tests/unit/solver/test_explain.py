"""Explanations say what the solver did."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from ioadr import Estimate
from ioadr.cost.total import TERMS
from ioadr.solver.explain import KEPT, Explainer
from ioadr.solver.explanation import CostCurve
from tests import explored


@pytest.fixture(scope="module")
def estimate() -> Estimate:
    return explored.estimate()


@pytest.fixture(scope="module")
def explainer(estimate: Estimate) -> Explainer:
    return Explainer(explored.scene().lightfield, estimate)


@pytest.fixture(scope="module")
def pixels(estimate: Estimate) -> list[tuple[int, int]]:
    """Corners, borders of occlusions and others."""
    random = np.random.default_rng(0)
    edges = np.argwhere(estimate.visible_views < 25)
    chosen = [*random.choice(edges, 12), *random.integers(0, estimate.disparity.shape, (12, 2))]
    height, width = estimate.disparity.shape
    return [(int(n), int(m)) for n, m in [*chosen, (0, 0), (height - 1, width - 1), (0, width - 1)]]


def test_costs_and_visible_views_are_those_of_the_result(explainer, estimate, pixels):
    occluded = 0
    for n, m in pixels:
        found = explainer.explain(n, m)
        assert found.disparity == estimate.disparity[n, m]
        costs = found.curve.at(found.disparity)
        assert [costs[term] for term in TERMS] == [estimate.costs[term][n, m] for term in TERMS]
        assert found.image.visible == estimate.visible_views[n, m]
        occluded += bool(found.image.hidden.any())
    assert occluded >= 5


def test_hidden_views_are_hidden_in_the_scene(estimate):
    """With the true map, Algorithm 1 finds the views that the renderer says do not see the point."""
    scene = explored.scene()
    true = replace(estimate, disparity=scene.truth.disparity.astype(np.float32))
    explainer = Explainer(scene.lightfield, true)
    agreed = total = 0
    for n, m in np.argwhere(scene.visible_views < 20)[::9]:
        image = explainer.explain(int(n), int(m)).image
        hidden = ~scene.visible[:, :, n, m] & image.inside
        agreed += int((hidden == image.hidden)[image.inside].sum())
        total += int(image.inside.sum())
    assert total > 500
    assert agreed / total > 0.85


def test_the_curve_adds_up_and_has_its_minimum(explainer, estimate, pixels):
    for n, m in pixels[:6]:
        curve = explainer.explain(n, m, trial=0.123).curve
        assert (np.diff(curve.disparities) > 0).all()
        assert curve.disparities[0] == pytest.approx(estimate.range.minimum)
        assert curve.disparities[-1] == pytest.approx(estimate.range.maximum)
        assert np.float32(0.123) in curve.disparities
        assert np.array_equal(curve.total, curve.data + curve.terms["congruence"] + curve.terms["planar"])
        disparity, cost = curve.minimum
        assert cost == curve.total.min()
        assert sum(curve.at(disparity)[term] for term in TERMS) == pytest.approx(cost)
        assert (curve.data <= curve.plain + 1e-5).all(), "the preset takes the cheaper of J_oa and J_PD"


def test_a_ppi_is_the_views_at_the_points_of_its_plane(explainer):
    lightfield = explored.scene().lightfield
    image = explainer.explain(30, 40, trial=1.0).trial
    assert image is not None
    for row, column in ((0, 0), (2, 2), (4, 1)):
        expected = lightfield.views[row, column, 30 - (row - 2), 40 - (column - 2)]
        assert np.allclose(image.colours[row, column], expected, atol=0.3)
    assert image.inside.all()
    outside = explainer.explain(0, 0, trial=1.0).trial
    assert outside is not None
    assert not outside.inside[3:].any()
    assert np.isnan(outside.colours[~outside.inside]).all()
    assert not (outside.hidden & ~outside.inside).any()


def test_weights_make_the_smoothed_disparity(explainer, estimate):
    found = explainer.explain(31, 37)
    half = 4
    patch = estimate.disparity[31 - half : 32 + half, 37 - half : 38 + half]
    weights = found.support.weights
    assert weights.shape == (9, 9)
    assert np.isnan(weights[4, 4])
    assert np.nansum(weights * patch) / np.nansum(weights) == pytest.approx(found.support.smoothed, abs=1e-5)
    corner = explainer.explain(0, 0).support.weights
    assert not corner[:half].any()
    assert not corner[:, :half].any()


def test_inlier_normals_make_the_plane(explainer, pixels):
    inner = [(n, m) for n, m in pixels if 11 <= n < 53 and 11 <= m < 61]
    for n, m in inner:
        plane = explainer.explain(n, m).plane
        mean = plane.normals[plane.inlier].sum(axis=0)
        assert np.allclose(mean / np.linalg.norm(mean), plane.normal, atol=1e-4)
        own = (plane.offsets == 0).all(axis=1)
        chords = np.linalg.norm(plane.normals - plane.normals[own], axis=1)
        angles = 2 * np.degrees(np.arcsin(chords / 2))
        assert (angles[plane.inlier] <= plane.limit + 1e-3).all()
        assert (angles[~plane.inlier] >= plane.limit - 1e-3).all()
    assert len(inner) > 5


def test_candidates_are_those_of_the_last_sweep(explainer, estimate):
    found = explainer.explain(30, 40)
    assert [candidate.origin for candidate in found.candidates] == ["random", "plane"]
    noise = np.random.default_rng([estimate.seed, 9]).standard_normal(estimate.disparity.shape, np.float32)[30, 40]
    sigma = 0.04 * 0.01 * estimate.range.extent
    assert found.candidates[0].disparity == pytest.approx(found.disparity + sigma * noise, abs=1e-6)
    assert found.candidates[1].disparity == pytest.approx(found.plane.disparity)
    free = explainer.explain(30, 40, estimate.parameters.vary({"planar.first_sweep": 10}))
    origins = [candidate.origin for candidate in free.candidates]
    assert origins == ["random", "smoothed", "vertical", "horizontal", "diagonal"]
    assert free.candidates[1].disparity == pytest.approx(free.support.smoothed)
    assert free.candidates[2].disparity == estimate.disparity[31, 40], "the last sweep runs upwards"
    for candidate in free.candidates:
        assert candidate.cost >= free.curve.minimum[1] - 1e-3
    corner = explainer.explain(63, 71, estimate.parameters.vary({"planar.first_sweep": 10}))
    assert [candidate.origin for candidate in corner.candidates] == ["random", "smoothed"]


def test_what_if_occlusions_were_ignored(explainer, estimate, pixels):
    unaware = estimate.parameters.vary({"data.occlusion_aware": False})
    for n, m in pixels[:6]:
        found = explainer.explain(n, m, unaware)
        assert not found.image.hidden.any()
        assert np.array_equal(found.curve.data, found.curve.plain)


def test_what_if_weights_and_windows_change(explainer, estimate):
    usual = explainer.explain(30, 40)
    double = explainer.explain(30, 40, estimate.parameters.vary({"congruence.weight": 200.0}))
    assert np.allclose(double.curve.terms["congruence"], 2 * usual.curve.terms["congruence"], rtol=1e-5)
    assert np.array_equal(double.curve.data, usual.curve.data)
    wide = explainer.explain(30, 40, estimate.parameters.vary({"congruence.half_width": 6, "planar.half_width": 6}))
    assert wide.support.weights.shape == (13, 13)
    assert np.abs(wide.plane.offsets).max() == 6


def test_planes_of_other_parameters_are_those_of_the_whole_map(explainer, estimate, pixels):
    varied = estimate.parameters.vary(
        {"planar.half_width": 7, "planar.kernel_half_width": 3, "planar.inlier_share": 0.7}
    )
    whole = Explainer(explored.scene().lightfield, replace(estimate, parameters=varied))
    for n, m in pixels:
        part, full = explainer.explain(n, m, varied), whole.explain(n, m)
        assert part.plane is not None
        assert full.plane is not None
        assert np.allclose(part.plane.normal, full.plane.normal, atol=1e-5)
        assert part.plane.disparity == pytest.approx(full.plane.disparity, abs=1e-5)
        assert np.array_equal(part.plane.inlier, full.plane.inlier)
        assert np.allclose(part.curve.terms["planar"], full.curve.terms["planar"], atol=1e-3)


def test_every_second_view(estimate):
    lightfield = explored.scene().lightfield
    found = Explainer(lightfield, estimate).explain(30, 40, estimate.parameters.vary({"data.view_step": 2}))
    assert found.image.inside.nonzero()[0].tolist() == [0, 0, 0, 2, 2, 2, 4, 4, 4]
    assert found.image.inside.nonzero()[1].tolist() == [0, 2, 4] * 3
    assert found.image.visible <= 9


def test_without_a_result_the_views_still_speak():
    scene = explored.scene()
    explainer = Explainer(scene.lightfield)
    errors = []
    for n, m in np.argwhere(scene.visible_views == 25)[::97]:
        found = explainer.explain(int(n), int(m))
        assert found.disparity is None
        assert found.support is None
        assert found.plane is None
        assert found.candidates == ()
        errors.append(abs(found.curve.minimum[0] - scene.truth.disparity[n, m]))
    assert np.median(errors) < 0.05


def test_threads_get_the_same_and_little_is_kept(estimate, pixels):
    explainer = Explainer(explored.scene().lightfield, estimate)
    widths = [1 + i % 16 for i in range(32)]

    def total(width: int) -> float:
        varied = estimate.parameters.vary({"planar.half_width": width})
        return float(explainer.explain(pixels[0][0], pixels[0][1], varied).curve.total.sum())

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(total, widths))
    assert together == [total(width) for width in widths]
    assert len(explainer._kept) <= KEPT


def test_a_second_minimum_is_the_lowest_dip_elsewhere():
    d = np.linspace(-1, 1, 201, dtype=np.float32)
    data = 5 - 4 * np.exp(-((d / 0.1) ** 2)) - 3 * np.exp(-(((d - 0.6) / 0.1) ** 2)) - np.exp(-(((d + 0.6) / 0.1) ** 2))
    curve = CostCurve(d, {"data": data.astype(np.float32)}, data.astype(np.float32))
    assert curve.second_minimum(0.0, 0.3) == pytest.approx(0.6, abs=0.011)
    assert curve.second_minimum(0.6, 0.3) == pytest.approx(0.0, abs=0.011)
    assert curve.second_minimum(0.0, 0.8) is None
