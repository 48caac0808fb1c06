"""Slightly shifted, rotated and brighter views are found and corrected."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import ioadr
from ioadr import InputError, LightField
from ioadr.alignment import Alignment, _without_disparity, _without_tilt, align, applied, needs_alignment
from ioadr.app.cli import run
from ioadr.evaluation.synthetic import Rendered, random_light_field
from ioadr.evaluation.synthetic.posed import photographed
from ioadr.evaluation.synthetic.trace import View
from ioadr.geometry.lens import Lens
from ioadr.geometry.synthesis import residuals
from ioadr.io.lightfield_files import write_lightfield
from ioadr.io.poses.photographs import Photograph
from ioadr.solver.registration import Motion, motion


def faults(lightfield: LightField) -> Alignment:
    """Shifts of 0.3 px, turns of 0.1°, scales of 0.1 % and gains of 3 % (σ); the reference view is right.

    The part of the shifts that is a change of all disparities is left out: it cannot be determined.
    """
    random = np.random.default_rng(0)
    shifts, angles = random.normal(0, 0.3, (*lightfield.grid, 2)), random.normal(0, 0.1, lightfield.grid)
    gains = np.repeat(random.normal(1, 0.03, (*lightfield.grid, 1)), lightfield.channels, axis=2)
    scales = random.normal(1, 0.001, lightfield.grid)
    shifts[lightfield.reference], angles[lightfield.reference], gains[lightfield.reference] = 0.0, 0.0, 1.0
    scales[lightfield.reference] = 1.0
    return Alignment(_without_disparity(shifts, lightfield), angles, gains, scales)


def rendered_anew(rendered: Rendered, put: Alignment) -> LightField:
    """The scene by cameras that are misaligned: rays are turned and shifted, and nothing is resampled."""
    lightfield, rays = rendered.lightfield, rendered.camera.pinhole()
    focus, size = rays.offset / rays.slope, (lightfield.width, lightfield.height)
    middle = np.array([0.5 * (size[0] - 1), 0.5 * (size[1] - 1)])
    places, taken = np.argwhere(lightfield.present), []
    for place in map(tuple, places):
        down, right = map(float, lightfield.offsets[place])
        angle = np.radians(put.angles[place])
        turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        # About the middle of the image, although it is not where the sensor meets the axis.
        axis = np.array([rays.m0 + right * focus, rays.n0 + down * focus])
        scale = float(put.scales[place])
        principal = middle + scale * turn[:2, :2] @ (axis - middle) + put.shifts[place][::-1]
        centre = View(rays, down, right).origin
        focal = (scale / rays.pitch_x, scale / rays.pitch_y)
        taken.append(Photograph("", None, size, focal, (principal[0], principal[1]), Lens(), turn, -turn @ centre))
    views = np.zeros_like(lightfield.views)
    for place, picture in zip(map(tuple, places), photographed(rendered.scene, taken), strict=True):
        views[place] = np.clip(np.rint(picture * put.gains[place]), 0, 255)
    return lightfield.replace(views=views)


def glossy(lightfield: LightField) -> LightField:
    """With a highlight that is not part of any surface: it moves in the direction opposite to near points."""
    rows, columns = np.mgrid[: lightfield.height, : lightfield.width] / lightfield.width
    views = np.zeros(lightfield.views.shape)
    for view in map(tuple, np.argwhere(lightfield.present)):
        down, right = lightfield.offsets[view] * 9 / lightfield.width
        bump = np.exp(-((rows - 0.45 - down) ** 2 + (columns - 0.6 - right) ** 2) * 18)
        views[view] = lightfield.views[view] * (0.66 + 0.3 * bump[..., None])
    return lightfield.replace(views=np.rint(views).astype(np.uint8))


@cache
def small() -> LightField:
    return random_light_field(1, size=(64, 72), grid=(3, 3)).lightfield


@pytest.fixture(scope="module")
def case() -> Any:
    """Cameras that are misaligned. Views that were resampled would not do: `align` resamples, and would undo what it
    does itself too well."""
    rendered = random_light_field(5, size=(112, 128), grid=(5, 5))
    put = faults(rendered.lightfield)
    bent = rendered_anew(rendered, put)
    return rendered, bent, put, align(bent, threads=1)


def test_shifts_turns_and_gains_are_found(case):
    _, _, put, found = case
    assert np.abs(found.alignment.shifts - put.shifts).max() < 0.03
    assert np.abs(found.alignment.angles - put.angles).max() < 0.05
    assert np.abs(found.alignment.scales - put.scales).max() < 0.0006
    assert np.abs(found.alignment.gains / put.gains - 1).max() < 0.005


def wrong(lightfield: LightField, rendered: Rendered) -> float:
    disparity = ioadr.estimate(lightfield, "fast", threads=1).disparity
    return float((np.abs(disparity - rendered.truth.disparity)[15:-15, 15:-15] > 0.07).mean())


def test_the_map_is_as_good_as_of_views_without_faults(case):
    rendered, bent, _, found = case
    clean = wrong(rendered_anew(rendered, Alignment.none(rendered.lightfield)), rendered)
    assert wrong(bent, rendered) > 1.5 * clean
    assert wrong(found.lightfield, rendered) < 1.3 * clean


def test_gloss_is_evened_out_and_said(case):
    rendered, _, _, even = case
    shining = glossy(rendered.lightfield)
    found = align(shining, rounds=1, threads=1)
    assert wrong(found.lightfield, rendered) < 0.5 * wrong(shining, rendered)
    assert found.residual[1] < 0.5 * found.residual[0]
    assert "brightness within views by up to " in found.lightfield.source.notes[-1]
    again = applied(shining, Alignment.of(json.loads(json.dumps(found.lightfield.source.alignment))), 1)
    np.testing.assert_array_equal(again.views, found.lightfield.views)
    assert needs_alignment(shining, threads=1)
    # Views without gloss are left alone.
    assert even.alignment.shading is None
    assert not needs_alignment(rendered.lightfield, threads=1)


def test_what_was_taken_off_is_said(case):
    _, bent, _, found = case
    assert found.residual[1] < 0.6 * found.residual[0]
    assert "views aligned: shifts 0." in found.lightfield.source.notes[-1]
    again = applied(bent, Alignment.of(json.loads(json.dumps(found.lightfield.source.alignment))), 1)
    np.testing.assert_array_equal(again.views, found.lightfield.views)


def test_aligned_views_stay_as_they_are():
    found = align(small(), rounds=1, threads=1).alignment
    assert np.abs(found.shifts).max() < 0.05
    assert np.abs(found.gains - 1).max() < 0.01
    np.testing.assert_array_equal(found.shifts[1, 1], 0)


def test_disparity_is_not_mistaken_for_misalignment():
    """Shifts along the views' positions change all disparities alike: they cannot be told apart and stay."""
    lightfield = small()
    np.testing.assert_allclose(_without_disparity(0.2 * lightfield.offsets, lightfield), 0, atol=1e-12)
    across = np.zeros((3, 3, 2))
    across[0, 1] = (0.0, 0.3)
    np.testing.assert_allclose(_without_disparity(across, lightfield), across, atol=1e-12)


def test_a_single_motion():
    rows, columns = np.mgrid[:60, :80].astype(np.float64)

    def waves(y: Any, x: Any) -> Any:
        return np.stack([100 + 60 * np.sin(y / 5) * np.cos(x / 7), 90 + 50 * np.cos(y / 6 + x / 9)], -1)

    picture = waves(rows, columns)
    down, right = rows - 29.5, columns - 39.5
    predicted = waves(rows + 0.11 + 0.002 * right + 0.001 * down, columns - 0.07 - 0.002 * down + 0.001 * right)
    predicted[10:20, 10:20] = np.nan
    found = motion((picture * [1.02, 0.97]).astype(np.float32), predicted.astype(np.float32), 255.0)
    assert found.shift == pytest.approx((0.11, -0.07), abs=0.005)
    assert found.angle == pytest.approx(0.002, abs=1e-4)
    assert found.growth == pytest.approx(0.001, abs=1e-4)
    assert found.gains == pytest.approx((1.02, 0.97), abs=1e-3)
    nothing = motion(picture.astype(np.float32), np.full(picture.shape, np.nan, np.float32), 255.0)
    assert nothing == ((0.0, 0.0), 0.0, (1.0, 1.0), 0.0, 0.0, 0.0)
    assert abs(found.stretch) + abs(found.shear) < 2e-4
    bent = waves(rows + 0.003 * down + 0.002 * right, columns - 0.003 * right + 0.002 * down)
    found = motion(picture.astype(np.float32), bent.astype(np.float32), 255.0)
    assert (found.stretch, found.shear) == pytest.approx((0.003, 0.002), abs=2e-4)
    assert abs(found.angle) + abs(found.growth) < 3e-4


def test_a_tilted_map_is_not_mistaken_for_turns():
    """Disparities wrong by a·n + b·m bend all views; what looks like turn and growth of that is taken off."""
    offsets = small().offsets.reshape(-1, 2)
    turns = np.random.default_rng(0).normal(0, 1e-3, (9, 2))
    a, b = 4e-4, -7e-4
    motions = []
    for (down, right), (angle, growth) in zip(offsets, turns, strict=True):
        moved = np.outer((down, right), (a, b))
        seen = 0.5 * np.array([moved[0, 1] - moved[1, 0], moved[0, 0] + moved[1, 1]]) + (angle, growth)
        bent = 0.5 * np.array([moved[0, 0] - moved[1, 1], moved[0, 1] + moved[1, 0]])
        motions.append(Motion((0.0, 0.0), seen[0], (1.0,), seen[1], *bent))
    found = _without_tilt(motions, offsets)
    np.testing.assert_allclose([(left.angle, left.growth) for left in found], turns, atol=1e-12)


def test_an_alignment_of_other_views_is_refused():
    lightfield = small()
    with pytest.raises(InputError, match=r"made for 5×5 views with 3 channels; the light field has 3×3"):
        applied(lightfield, Alignment(np.zeros((5, 5, 2)), np.zeros((5, 5)), np.ones((5, 5, 3)), np.ones((5, 5))))
    shaded = replace(Alignment.none(lightfield), shading=np.ones((3, 3, 2, 2, 3)))
    with pytest.raises(InputError, match=r"of another size"):
        applied(lightfield, shaded)
    with pytest.raises(InputError, match=r"at least one round, found 0"):
        align(lightfield, rounds=0)


def test_the_command_line_aligns_and_checks_what_it_aligned(tmp_path, capsys):
    put = faults(small())
    lightfield = applied(small(), Alignment(-put.shifts, -put.angles, 1.0 / put.gains, 1.0 / put.scales), 1)
    write_lightfield(lightfield, tmp_path / "views.npz")
    scene, out = str(tmp_path / "views.npz"), str(tmp_path / "out")
    assert run(["estimate", scene, "--out", out, "--preset", "fast", "--align", "--threads", "1"]) == 0
    assert "views aligned: shifts" in capsys.readouterr().err
    estimate = ioadr.load_estimate(out)
    assert estimate.source.alignment["shifts"]
    assert run(["check", out, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["residual"]
    assert told < 0.7 * residuals(lightfield, estimate.disparity).mean


@pytest.mark.parametrize(
    "stored",
    [
        {"a": 1},
        {"shifts": "x", "angles": [[0.0]], "gains": [[[1.0]]]},
        {"shifts": [[[0.0, 0.0]]], "angles": [0.0], "gains": [[1.0]]},
        {"shifts": [[[0.0, float("nan")]]], "angles": [[0.0]], "gains": [[[1.0]]]},
        {"shifts": [[[0.0, 0.0]]], "angles": [[0.0]], "gains": [[[0.0]]]},
        {"shifts": [[[0.0, 0.0]]], "angles": [[10**400]], "gains": [[[1.0]]]},
    ],
)
def test_what_is_no_alignment_is_refused(stored):
    with pytest.raises(InputError, match="alignment: not written by `align`"):
        Alignment.of(stored)


def test_alignments_of_earlier_versions_have_no_scales():
    stored = {"shifts": [[[0.0, 0.5]]], "angles": [[0.0]], "gains": [[[1.0]]]}
    np.testing.assert_array_equal(Alignment.of(stored).scales, [[1.0]])
    with pytest.raises(InputError, match="alignment: not written by `align`"):
        Alignment.of(stored | {"scales": [[0.0]]})
    assert Alignment.of(stored).shading is None
    for wrong in ([[1.0]], [[[[[0.0]]]]], [[[[[1.0, 1.0]]]]]):
        with pytest.raises(InputError, match="alignment: not written by `align`"):
            Alignment.of(stored | {"shading": wrong})


@pytest.mark.slow
def test_photographs_that_contradict_each_other_are_aligned_unless_told_otherwise(tmp_path, capsys):
    matt = random_light_field(5, size=(64, 72), grid=(5, 5)).lightfield
    for name, lightfield in (("matt", matt), ("glossy", glossy(matt))):
        ioadr.estimate(lightfield, "fast", threads=1).export("nerfstudio", tmp_path / name, lightfield)
    command = ["estimate", str(tmp_path / "glossy"), "--preset", "fast", "--pose-unit", "1", "--threads", "1", "--out"]
    assert run([*command, str(tmp_path / "a")]) == 0
    told = capsys.readouterr().err
    assert "contradict a first map and are aligned (--no-align keeps them)" in told
    assert "brightness within views by up to " in told
    assert ioadr.load_estimate(tmp_path / "a").source.alignment["shading"]
    assert run([*command, str(tmp_path / "b"), "--no-align"]) == 0
    assert "aligned" not in capsys.readouterr().err
    assert run([*command[:1], str(tmp_path / "matt"), *command[2:], str(tmp_path / "c")]) == 0
    assert "aligned" not in capsys.readouterr().err
