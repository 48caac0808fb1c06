"""Synthetic light fields obey the conventions, and their truth is exact."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr import Layout
from ioadr.errors import InputError
from ioadr.evaluation.scores import score
from ioadr.evaluation.synthetic import (
    FAMILIES,
    Options,
    Rendered,
    Scene,
    camera_for,
    demo,
    demo_scene,
    random_light_field,
    render,
    render_views,
)
from ioadr.evaluation.synthetic.shapes import Box, Cylinder, Lattice, Quad, Sphere
from ioadr.evaluation.synthetic.textures import Texture, bake, sample
from ioadr.evaluation.synthetic.trace import View, bake_textures, colours, nearest_hits
from ioadr.geometry.points import normals_from_points, points_from_disparity
from ioadr.geometry.windows import grow
from tests.marks import some_quick

NOISE = Texture("noise", (0.1, 0.2, 0.3), (0.9, 0.8, 0.7), grain=0.3)
SIZE = (48, 64)


def facing_wall(depth: float) -> Quad:
    return Quad((0.0, 0.0, depth), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), NOISE)


@pytest.fixture(scope="module")
def still_life() -> Rendered:
    return demo(size=(96, 112), grid=(5, 5), options=Options("float32"))


def warped(rendered: Rendered, row: int, column: int, shift: float = 0.0) -> np.ndarray:
    """View (row, column) sampled bilinearly where the reference view's points, moved by `shift` px, should be."""
    field = rendered.lightfield
    view = np.asarray(field.views[row, column], np.float64)
    offset = field.offsets[row, column]
    n0, m0 = np.indices(rendered.truth.disparity.shape)
    d = rendered.truth.disparity + shift
    n, m = n0 - d * offset[0], m0 - d * offset[1]
    top = np.clip(np.floor(n).astype(int), 0, view.shape[0] - 2)
    left = np.clip(np.floor(m).astype(int), 0, view.shape[1] - 2)
    a, b = (n - top)[..., None], (m - left)[..., None]
    upper = view[top, left] * (1 - b) + view[top, left + 1] * b
    lower = view[top + 1, left] * (1 - b) + view[top + 1, left + 1] * b
    return upper * (1 - a) + lower * a


def test_a_wall_of_integer_disparity_is_the_same_picture_shifted() -> None:
    camera = camera_for(SIZE, 2.0, 4.0, (-1.0, 2.0))
    rendered = render(Scene((facing_wall(2.0),)), camera, (3, 5), options=Options("float32"))
    np.testing.assert_allclose(rendered.truth.disparity, 2.0, atol=1e-12)
    views, reference = rendered.lightfield.views, rendered.lightfield.reference_view
    for row in range(3):
        for column in range(5):
            shift = (-2 * (row - 1), -2 * (column - 2))
            moved = np.roll(reference, shift, axis=(0, 1))
            np.testing.assert_allclose(views[row, column, 2:-2, 4:-4], moved[2:-2, 4:-4], atol=1e-5)


def test_a_point_has_one_colour_in_all_views(still_life: Rendered) -> None:
    """Rays of any view through n0 − d·Δl, m0 − d·Δk meet the reference's point, and it has the same colour."""
    field, truth = still_life.lightfield, still_life.truth
    assert field.camera is not None
    rays = field.camera.pinhole()
    baked = bake_textures(still_life.scene, rays, truth.disparity.shape)
    n0, m0 = (grid.ravel().astype(float) for grid in np.indices(truth.disparity.shape))
    d = truth.disparity.ravel()

    def look(offset: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        view = View(rays, float(offset[0]), float(offset[1]))
        direction = view.directions(n0 - d * offset[0], m0 - d * offset[1])
        hits = nearest_hits(still_life.scene.bodies, view.origin, direction)
        points = view.origin + hits.depth[:, None] * direction
        return points, colours(still_life.scene, baked, rays.pitch_x, points, hits.key // 8)

    points, colour = look(np.zeros(2))
    inner = ~grow(truth.masks["discontinuities"], 1).ravel()
    for row, column in [(0, 0), (0, 2), (2, 4), (4, 1)]:
        seen = still_life.visible[row, column].ravel() & inner
        there, found = look(field.offsets[row, column])
        assert seen.mean() > 0.3
        np.testing.assert_allclose(there[seen], points[seen], atol=1e-9)
        np.testing.assert_allclose(found[seen], colour[seen], atol=1e-5)
        n, m = n0 - d * field.offsets[row, column, 0], m0 - d * field.offsets[row, column, 1]
        inside = (n >= 0) & (n <= field.height - 1) & (m >= 0) & (m <= field.width - 1)
        hidden = ~still_life.visible[row, column].ravel() & inside
        assert hidden.sum() > 100
        assert (there[hidden][:, 2] < points[hidden][:, 2]).all()


def test_every_view_shows_the_reference_where_the_truth_says(still_life: Rendered) -> None:
    """Bilinear warping by the truth fits better than by a tenth of a pixel more or less."""
    reference = np.asarray(still_life.lightfield.reference_view, np.float64)
    clear = ~grow(still_life.truth.masks["discontinuities"], 3)
    errors = np.zeros(3)
    for row, column in [(0, 0), (0, 4), (4, 0), (4, 4)]:
        seen = still_life.visible[row, column] & clear
        errors += [np.mean((warped(still_life, row, column, shift) - reference)[seen] ** 2) for shift in (-0.1, 0, 0.1)]
    assert errors[1] < 0.6 * min(errors[0], errors[2])
    best = 0.05 * (errors[0] - errors[2]) / (errors[0] + errors[2] - 2 * errors[1])
    assert abs(best) < 0.01


def test_points_of_a_sphere_lie_on_it() -> None:
    ball = Sphere((0.1, -0.05, 2.5), 0.4, NOISE)
    rendered = render(Scene((facing_wall(4.0), ball)), camera_for(SIZE, 2.0, 4.0, (-1.0, 1.0)), (3, 3))
    assert rendered.lightfield.camera is not None
    points = points_from_disparity(rendered.truth.disparity, rendered.lightfield.camera.pinhole())
    on_ball = rendered.objects == 1
    assert on_ball.sum() > 200
    np.testing.assert_allclose(np.linalg.norm(points[on_ball] - ball.centre, axis=1), 0.4, rtol=1e-9)
    np.testing.assert_allclose(points[~on_ball][:, 2], 4.0, rtol=1e-12)
    outwards = (points[on_ball] - ball.centre) / 0.4
    np.testing.assert_allclose(rendered.normals[on_ball], outwards, atol=1e-6)
    assert not rendered.truth.masks["planes"][on_ball].any()
    assert rendered.truth.masks["smooth_surfaces"].sum() > 100


def test_normals_are_those_of_the_points(still_life: Rendered) -> None:
    assert still_life.lightfield.camera is not None
    points = points_from_disparity(still_life.truth.disparity, still_life.lightfield.camera.pinhole())
    planes = still_life.truth.masks["planes"] & ~grow(~still_life.truth.masks["planes"], 1)
    np.testing.assert_allclose(normals_from_points(points)[planes], still_life.normals[planes], atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(still_life.normals, axis=-1), 1.0, atol=1e-6)
    assert (np.sum(still_life.normals * points, axis=-1) < 0).all()


def test_a_screen_hides_exactly_what_lies_behind_it() -> None:
    """Disparities 2 and 0: view k sees background pixel m unless the screen, shifted by −2(k − 2), covers it."""
    camera = camera_for(SIZE, 2.0, 4.0, (0.0, 2.0))
    edge = camera.pinhole().pitch_x * 2.0 * (20.5 - 31.5)
    screen = Quad((edge - 5.0, 0.0, 2.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), NOISE, half=(5.0, 5.0))
    rendered = render(Scene((facing_wall(4.0), screen)), camera, (3, 5))
    columns = np.arange(SIZE[1])
    np.testing.assert_allclose(
        rendered.truth.disparity, np.where(columns <= 20, 2.0, 0.0)[None, :].repeat(48, 0), atol=1e-9
    )
    for column in range(5):
        covered = columns <= 20 - 2 * (column - 2)
        outside = (columns - 2 * (column - 2) < 0) & (columns <= 20)
        expected = np.where(columns <= 20, ~outside, ~covered)
        np.testing.assert_array_equal(rendered.visible[1, column], expected[None, :].repeat(48, 0))
    assert rendered.visible_views[24, 40] == 15
    assert rendered.visible_views[24, 22] == 3 * 3


def test_edges_are_anti_aliased_by_area() -> None:
    """A white screen over a black wall: the pixel that it covers by a quarter has a quarter of the light."""
    white = Texture("checker", (1.0, 1.0, 1.0), (1.0, 1.0, 1.0), grain=0.0)
    black = Texture("checker", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), grain=0.0)
    camera = camera_for(SIZE, 2.0, 4.0, (0.0, 2.0))
    edge = camera.pinhole().pitch_x * 2.0 * (19.75 - 31.5)
    screen = Quad((edge - 5.0, 0.0, 2.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), white, half=(5.0, 5.0))
    wall = Quad((0.0, 0.0, 4.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), black)
    view = render(Scene((wall, screen)), camera, (3, 3), options=Options("float32")).lightfield.reference_view
    light = np.power(view[24, :, 0], 2.2)
    assert light[20] / light[18] == pytest.approx(0.25, abs=1e-3)
    assert light[21] == 0


def test_thin_bars_are_seen_and_masked() -> None:
    bars = Quad((0, 0, 2.0), (1, 0, 0), (0, 1, 0), NOISE, (0.5, 0.3), Lattice(0.2, 0.05), thin=True)
    rendered = render(Scene((facing_wall(4.0), bars)), camera_for(SIZE, 2.0, 4.0, (0.0, 2.0)), (3, 3))
    masks = rendered.truth.masks
    np.testing.assert_array_equal(masks["fine"], rendered.truth.disparity > 1)
    assert not (masks["fine"] & masks["fine_surrounding"]).any()
    assert 0 < masks["fine"].mean() < 0.5
    assert masks["discontinuities"][masks["fine"]].mean() > 0.8


@pytest.mark.parametrize("family", some_quick(FAMILIES, ["mixed"]))
def test_random_scenes_are_reproducible_and_within_their_range(family: str) -> None:
    first, again, other = (random_light_field(seed, family, (40, 48), (3, 3)) for seed in (3, 3, 4))  # type: ignore[arg-type]
    np.testing.assert_array_equal(first.lightfield.views, again.lightfield.views)
    assert not np.array_equal(first.lightfield.views, other.lightfield.views)
    limits = first.lightfield.range
    assert limits is not None
    assert limits.minimum <= first.truth.disparity.min() < first.truth.disparity.max() <= limits.maximum
    assert -2 < first.truth.disparity.min() < 0 < first.truth.disparity.max() < 3
    assert first.lightfield.views.shape == (3, 3, 40, 48, 3)
    assert max(score(first.truth.disparity, first.truth).values.values()) == pytest.approx(0, abs=1e-5)


def test_low_texture_has_low_contrast() -> None:
    def contrast(family: str) -> float:
        picture = random_light_field(1, family, (64, 64), (3, 3)).lightfield.reference_view  # type: ignore[arg-type]
        return float(np.median(np.abs(np.diff(picture.astype(float), axis=1))))

    assert contrast("low-texture") < 0.4 * contrast("mixed")


def test_noise_has_its_strength_and_differs_between_views() -> None:
    def views(noise: float) -> np.ndarray:
        return random_light_field(2, "mixed", SIZE, (3, 3), options=Options("float32", noise=noise)).lightfield.views

    difference = 255 * (views(4.0) - views(0.0))
    assert difference.std() == pytest.approx(4.0, rel=0.02)
    assert abs(np.corrcoef(difference[0, 0].ravel(), difference[1, 1].ravel())[0, 1]) < 0.05


def test_sample_types_agree() -> None:
    pictures = {
        kind: random_light_field(5, "planes", SIZE, (3, 3), options=Options(kind)).lightfield
        for kind in ("uint8", "uint16", "float32")
    }
    shares = {kind: field.views / field.white for kind, field in pictures.items()}
    np.testing.assert_allclose(shares["uint8"], shares["float32"], atol=0.51 / 255)
    np.testing.assert_allclose(shares["uint16"], shares["float32"], atol=0.51 / 65535)
    grey = random_light_field(5, "planes", SIZE, (3, 3), options=Options("float32", grey=True)).lightfield
    assert grey.channels == 1
    np.testing.assert_allclose(grey.views[..., 0], pictures["float32"].views @ [0.299, 0.587, 0.114], atol=1e-5)


def test_positions_and_reference_follow_the_light_field(still_life: Rendered) -> None:
    """The same scene from a corner, and by positions instead of the grid, shows the same pictures."""
    camera = camera_for((96, 112), 2.05, 5.5, (-1.7, 1.8))
    positions = still_life.lightfield.positions
    assert positions is not None
    again = render(
        demo_scene(), camera, (5, 5), positions=10 + positions, reference=(0, 4), options=Options("float32")
    ).lightfield
    assert again.reference == (0, 4)
    assert again.offsets[0, 4].tolist() == [0.0, 0.0]
    assert again.offsets[4, 0].tolist() == [4.0, -4.0]
    assert again.views.shape == still_life.lightfield.views.shape


def test_eta_stretches_the_parallax() -> None:
    camera = camera_for(SIZE, 2.0, 4.0, (0.0, 1.0))
    rendered = render(Scene((facing_wall(2.0),)), camera, (3, 3), eta=(2.0, 3.0), options=Options("float32"))
    views = rendered.lightfield.views
    moved = np.roll(views[1, 1], (2, 3), axis=(0, 1))
    np.testing.assert_allclose(views[0, 0, 3:-3, 3:-3], moved[3:-3, 3:-3], atol=1e-5)


def test_views_can_be_had_one_by_one() -> None:
    camera = camera_for(SIZE, 2.0, 4.0, (-1.0, 1.0))
    scene = Scene((facing_wall(3.0), Sphere((0.0, 0.0, 2.4), 0.3, NOISE)))
    whole = render(scene, camera, (3, 5), options=Options(noise=2.0)).lightfield.views
    views = render_views(scene, camera, Layout.of((3, 5)), Options(noise=2.0))
    np.testing.assert_array_equal(np.stack(list(views)).reshape(whole.shape), whole)


def test_wide_baselines_reach_their_disparities() -> None:
    rendered = random_light_field(0, "mixed", (64, 64), (3, 3), disparity=(-20.0, 20.0))
    assert rendered.truth.disparity.min() < -15
    assert rendered.truth.disparity.max() > 5


@pytest.mark.slow
def test_frames_move_a_little() -> None:
    first, second = (demo(frame, (64, 64), (3, 3)).truth.disparity for frame in (0, 1))
    moved = np.abs(first - second) > 1e-9
    assert 0.02 < moved.mean() < 0.6
    assert not np.array_equal(
        random_light_field(1, frame=0, size=(40, 40), grid=(3, 3)).truth.disparity,
        random_light_field(1, frame=3, size=(40, 40), grid=(3, 3)).truth.disparity,
    )


def test_boxes_and_cylinders_have_edges_and_round_sides() -> None:
    box = Box((-0.4, 0.0, 3.0), (0.3, 0.3, 0.3), NOISE, ((0.8, 0.0, 0.6), (0.0, 1.0, 0.0), (-0.6, 0.0, 0.8)))
    tube = Cylinder((0.5, 0.4, 3.0), (0.5, -0.4, 3.0), 0.2, NOISE)
    rendered = render(Scene((facing_wall(5.0), box, tube)), camera_for(SIZE, 2.0, 5.0, (-1.0, 1.0)), (3, 3))
    sides = np.unique(np.round(rendered.normals[rendered.objects == 1], 6), axis=0)
    np.testing.assert_allclose(sides, [[-0.8, 0, -0.6], [0.6, 0, -0.8]], atol=1e-6)
    round_normals = rendered.normals[rendered.objects == 2]
    np.testing.assert_allclose(round_normals[:, 1], 0, atol=1e-6)
    assert np.ptp(round_normals[:, 0]) > 1.5


def test_textures_are_periodic_and_smoothed_with_distance() -> None:
    baked = bake(Texture("checker", (0, 0, 0), (1, 1, 1), period=0.1, grain=0.3), 0.01, 128)
    side = baked.texel * 128
    u, v = np.random.default_rng(0).random((2, 500))
    near, far = np.full(500, 1e-4), np.full(500, 0.4)
    np.testing.assert_allclose(sample(baked, u, v, near), sample(baked, u + side, v - 2 * side, near), atol=1e-4)
    assert sample(baked, u, v, far).std() < 0.1 * sample(baked, u, v, near).std()


def test_open_scenes_and_impossible_cameras_are_refused() -> None:
    with pytest.raises(InputError, match="Add a wall"):
        render(Scene((Sphere((0, 0, 3), 0.2, NOISE),)), camera_for(SIZE, 2.0, 4.0, (-1, 1)), (3, 3))
    with pytest.raises(InputError, match="Lower the smaller disparity"):
        camera_for(SIZE, 2.0, 4.0, (5.0, 6.0))
    with pytest.raises(InputError, match="Available: planes"):
        random_light_field(0, "clouds")  # type: ignore[arg-type]
