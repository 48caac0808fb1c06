"""Exports, read back by other libraries, or by readers written here from the formats' documentation."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ioadr import Camera, Estimate, InputError, LightField, OutputError
from ioadr.app.commands import export
from ioadr.geometry.points import disparity_from_depth
from ioadr.io.exporting import MOST_POINTS, export_estimate
from ioadr.part import Part, Window
from tests.builders import make_lightfield
from tests.exported import CLOSE, colmap_landed, colmap_map, farthest_off, nerfstudio_landed, read_colmap, view_index
from tests.scenes import CUBE, WALL, make_estimate

HEIGHT, WIDTH = 40, 52
WORLD = ((0.0, 0.0, 2.0, 5.0), (-1.6, 1.2, 0.0, 6.0), (-1.2, -1.6, 0.0, 7.0))
"""A turned camera at (5, 6, 7) in a world whose unit is half a metre."""
LAYOUTS: dict[str, dict[str, Any]] = {
    "regular": {},
    "focused at infinity": {"focus": np.inf},
    "axis off the middle": {"axis": (3.5, -2.25)},
    "slopes that differ": {"eta": (0.5, 1.25)},
    "reference in the corner": {"reference": (0, 4)},
    "places of its own": {"positions": True},
    "a view is missing": {"missing": (2, 1)},
    "part of an image": {"window": Window(7, 11, 7 + HEIGHT, 11 + WIDTH)},
    "camera unknown": {"camera": False},
    "out of plane": {"forward": True},
    "posed": {"forward": True, "posed": True},
}


def lightfield(
    focus: float = 2.5,
    axis: tuple[float, float] = (0.0, 0.0),
    window: Window | None = None,
    positions: bool = False,
    missing: tuple[int, int] | None = None,
    camera: bool = True,
    forward: bool = False,
    posed: bool = False,
    **options: Any,
) -> LightField:
    """3×5 views, of a larger image if there is a window."""
    part = Part.whole(HEIGHT, WIDTH) if window is None else Part(window, 90, 120)
    if positions:
        grid = np.stack(np.meshgrid(np.arange(3), np.arange(5), indexing="ij"), -1)
        options["positions"] = grid + np.random.default_rng(2).uniform(-0.4, 0.4, grid.shape)
    if forward:
        grid = np.stack(np.meshgrid(np.arange(3.0), np.arange(5.0), indexing="ij"), -1)
        options["positions"] = np.dstack([grid, np.random.default_rng(5).uniform(-0.8, 0.8, (3, 5))])
    if missing:
        options["present"] = np.ones((3, 5), bool)
        options["present"][missing] = False
    lens = Camera(50.0, 36.0, 120.0, focus, part.width, part.height, axis) if camera else None
    if posed and lens:
        lens = replace(lens, world=WORLD, metric=False)
    return make_lightfield(grid=(3, 5), size=(HEIGHT, WIDTH), camera=lens, part=part, **options)


def estimate(views: LightField) -> Estimate:
    """A box before a slanted wall."""
    camera = views.camera or Camera(50.0, 36.0, 120.0, 2.5, WIDTH, HEIGHT)
    depth = np.broadcast_to(np.linspace(WALL, WALL + 0.5, WIDTH), (HEIGHT, WIDTH)).copy()
    depth[12:28, 18:34] = CUBE
    disparity = disparity_from_depth(depth, camera)
    return make_estimate(
        disparity, views.camera, image=views.reference_view, layout=views.layout, part=views.part, white=views.white
    )


@pytest.fixture(params=LAYOUTS)
def case(request: pytest.FixtureRequest) -> tuple[LightField, Estimate]:
    views = lightfield(**LAYOUTS[request.param])
    return views, estimate(views)


def test_nerfstudio_sees_every_seed_where_the_views_do(case: tuple[LightField, Estimate], tmp_path: Path) -> None:
    views, found = case
    found.export("nerfstudio", tmp_path / "out", views, points=300)
    landed = nerfstudio_landed(tmp_path / "out")
    assert len(landed) == views.view_count
    assert {len(place) for place in landed.values()} == {300}
    assert farthest_off(found, landed) < CLOSE
    for name in landed:
        picture = np.asarray(Image.open(tmp_path / "out" / "images" / name))
        assert np.array_equal(picture, views.views[view_index(name)])


def test_colmap_sees_every_seed_where_the_views_do(case: tuple[LightField, Estimate], tmp_path: Path) -> None:
    views, found = case
    found.export("colmap", tmp_path / "out", views, points=300)
    cameras, images, points = read_colmap(tmp_path / "out" / "sparse" / "0")
    landed = colmap_landed(cameras, images, points)
    assert len(images) == len(cameras) == views.view_count
    assert {len(place) for place in landed.values()} == {300}
    assert farthest_off(found, landed) < CLOSE
    for _, _, name, seen in images.values():
        for column, row, point in seen:
            assert np.allclose(landed[name][point - 1] + 0.5, (column, row), atol=1e-3)


def test_poses_go_back_to_where_they_came_from(tmp_path: Path) -> None:
    """The reference camera of both formats is that of `Camera.world`, and points lie before it there."""
    views = lightfield(posed=True)
    found = estimate(views)
    found.export("nerfstudio", tmp_path / "nerfstudio", views, points=50)
    found.export("colmap", tmp_path / "colmap", views, points=50)
    frames = json.loads((tmp_path / "nerfstudio" / "transforms.json").read_text())["frames"]
    middle = next(frame for frame in frames if frame["file_path"].endswith("view_01_02.png"))
    world = np.array(WORLD)
    pose = np.array(middle["transform_matrix"])
    np.testing.assert_allclose(pose[:3, 3], world[:, 3])
    np.testing.assert_allclose(pose[:3, :3], world[:, :3] / 2 * (1, -1, -1), atol=1e-12)
    *_, points = read_colmap(tmp_path / "colmap" / "sparse" / "0")
    assert points
    expected = (found.points.reshape(-1, 3) @ world[:, :3].T + world[:, 3]).astype(np.float32)
    for place, *_ in points.values():
        assert np.abs(expected - place).sum(axis=1).min() < 1e-4
    with pytest.raises(InputError, match=r"unit of the poses, which is unknown, and open3d needs metres.*pose_unit"):
        found.export("open3d", tmp_path / "open3d")


def test_views_without_part_in_the_estimation_are_exported_too(tmp_path: Path) -> None:
    views = lightfield()
    present = np.ones((3, 5), bool)
    present[:, 1::2] = False
    few = views.replace(present=present)
    estimate(few).export("colmap", tmp_path / "out", views, points=5)
    assert len(read_colmap(tmp_path / "out" / "sparse" / "0")[1]) == 15
    with pytest.raises(InputError, match="not the light field that was estimated: view 0 1 is missing"):
        estimate(views).export("colmap", tmp_path / "few", few)


def test_colmap_tracks_and_observations_name_each_other(tmp_path: Path) -> None:
    views = lightfield()
    estimate(views).export("colmap", tmp_path / "out", views, points=400)
    _, images, points = read_colmap(tmp_path / "out" / "sparse" / "0")
    of_points = {(image, seen, number) for number, point in points.items() for image, seen in point[3]}
    of_images = {(i, k, int(seen[2])) for i, image in images.items() for k, seen in enumerate(image[3])}
    assert of_points == of_images
    reference = next(number for number, image in images.items() if image[2] == "view_01_02.png")
    assert all(reference in {image for image, _ in point[3]} for point in points.values())
    assert len(of_points) < len(points) * len(images)


def test_colmap_text_says_what_the_binary_does(tmp_path: Path) -> None:
    views = lightfield()
    estimate(views).export("colmap", tmp_path / "out", views, points=50)
    sparse = tmp_path / "out" / "sparse" / "0"
    cameras, images, points = read_colmap(sparse)
    lines = {
        name: [line.split() for line in (sparse / f"{name}.txt").read_text().splitlines() if not line.startswith("#")]
        for name in ("cameras", "images", "points3D")
    }
    assert {int(words[0]): tuple(map(float, words[2:])) for words in lines["cameras"]} == cameras
    assert {words[1] for words in lines["cameras"]} == {"PINHOLE"}
    for head, seen in zip(lines["images"][::2], lines["images"][1::2], strict=True):
        pose, camera, name, observations = images[int(head[0])]
        assert [list(map(float, head[1:8])), int(head[8]), head[9]] == [pose, camera, name]
        assert np.allclose(np.array(seen, float).reshape(-1, 3), observations, atol=1e-4)
    for words in lines["points3D"]:
        place, colour, error, track = points[int(words[0])]
        assert tuple(map(float, words[1:4])) == place
        assert [*map(int, words[4:7]), float(words[7])] == [*colour, error]
        assert list(zip(map(int, words[8::2]), map(int, words[9::2]), strict=True)) == track


def test_colmap_maps_are_ours(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    views = lightfield()
    found = estimate(views)
    found.export("colmap", tmp_path / "out", views, min_confidence=0.5)
    stereo, kept = tmp_path / "out" / "stereo", found.confidence >= 0.5
    depth = colmap_map(stereo / "depth_maps" / "view_01_02.png.geometric.bin")[..., 0]
    assert np.allclose(depth[kept], found.depth[kept], rtol=1e-6)
    assert (depth[~kept] == 0).all()
    normals = colmap_map(stereo / "normal_maps" / "view_01_02.png.geometric.bin")
    assert np.allclose(normals[kept], found.normals[kept])
    assert (normals[~kept] == 0).all()
    fused = trimesh.load(tmp_path / "out" / "fused.ply")
    assert np.allclose(fused.vertices, found.points[kept], rtol=1e-5)


@pytest.mark.slow
def test_open3d_makes_our_points_of_it(tmp_path: Path) -> None:
    open3d = pytest.importorskip("open3d")
    found = estimate(lightfield(axis=(3.5, -2.25)))
    found.export("open3d", tmp_path / "out")
    colour, depth = (open3d.io.read_image(str(tmp_path / "out" / name)) for name in ("color.png", "depth.png"))
    camera = open3d.io.read_pinhole_camera_intrinsic(str(tmp_path / "out" / "intrinsics.json"))
    image = open3d.geometry.RGBDImage.create_from_color_and_depth(colour, depth, depth_trunc=10.0)
    points = np.asarray(open3d.geometry.PointCloud.create_from_rgbd_image(image, camera).points)
    assert np.abs(points - found.points.reshape(-1, 3)).max() < 0.001


def test_open3d_depth_is_ours_to_half_a_millimetre(tmp_path: Path) -> None:
    cv2 = pytest.importorskip("cv2")
    found = estimate(lightfield(axis=(3.5, -2.25)))
    found.export("open3d", tmp_path / "out", min_confidence=0.25)
    depth = cv2.imread(str(tmp_path / "out" / "depth.png"), cv2.IMREAD_UNCHANGED)
    assert depth.dtype == np.uint16
    kept = found.confidence >= 0.25
    assert np.abs(depth[kept] - 1000.0 * found.depth[kept]).max() <= 0.5 + 1e-3
    assert (depth[~kept] == 0).all()
    colour = cv2.imread(str(tmp_path / "out" / "color.png"), cv2.IMREAD_UNCHANGED)[..., ::-1]
    assert np.array_equal(colour, found.image)
    camera = json.loads((tmp_path / "out" / "intrinsics.json").read_text())
    assert (camera["width"], camera["height"]) == (WIDTH, HEIGHT)
    matrix = np.array(camera["intrinsic_matrix"]).reshape(3, 3, order="F")
    columns, rows = np.meshgrid(np.arange(WIDTH), np.arange(HEIGHT))
    rays = np.stack([columns, rows, np.ones_like(rows)], -1) @ np.linalg.inv(matrix).T
    assert np.allclose((rays * found.depth[..., None])[kept], found.points[kept], atol=1e-5)


def test_depth_beyond_16_bits_is_said(tmp_path: Path) -> None:
    camera = Camera(50.0, 36.0, 20.0, np.inf, WIDTH, HEIGHT)
    depth = np.full((HEIGHT, WIDTH), 5.0)
    depth[0, :7] = 70.0
    found = make_estimate(disparity_from_depth(depth, camera), camera)
    done = export_estimate(found, "open3d", tmp_path / "out")
    assert any(note.startswith("7 pixels have depth that 16 bits") for note in done.notes)
    assert (np.asarray(Image.open(tmp_path / "out" / "depth.png"))[0, :7] == 0).all()


def test_blender_gets_depth_and_normals(tmp_path: Path) -> None:
    openexr = pytest.importorskip("OpenEXR")
    found = estimate(lightfield(axis=(3.5, -2.25)))
    found.export("blender", tmp_path / "out", min_confidence=0.25)
    with openexr.File(str(tmp_path / "out" / "scene.exr"), separate_channels=True) as file:
        planes = {name: channel.pixels for name, channel in file.channels().items()}
    assert set(planes) == {"R", "G", "B", "Z", "Normal.X", "Normal.Y", "Normal.Z"}
    kept = found.confidence >= 0.25
    assert np.array_equal(planes["Z"][kept], found.depth[kept])
    assert (planes["Z"][~kept] == np.float32(1e10)).all()
    for axis, sign, plane in zip("XYZ", (1, -1, -1), np.moveaxis(found.normals, -1, 0), strict=True):
        assert np.allclose(planes[f"Normal.{axis}"][kept], sign * plane[kept])
    camera = json.loads((tmp_path / "out" / "camera.json").read_text())
    assert camera["lens"] / camera["sensor_width"] == pytest.approx(1 / found.rays.pitch_x / WIDTH)
    assert camera["shift_x"] == pytest.approx(2.25 / WIDTH)
    assert camera["shift_y"] == pytest.approx(3.5 / WIDTH)


def test_blender_without_its_library_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "OpenEXR", None)
    with pytest.raises(InputError, match=r"EXR files need the package OpenEXR\. .*pip install .*\[exr\]"):
        estimate(lightfield()).export("blender", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_relative_depth_is_not_taken_for_metres(tmp_path: Path) -> None:
    views = lightfield(camera=False)
    found = estimate(views)
    with pytest.raises(InputError, match="open3d needs metres"):
        found.export("open3d", tmp_path / "out")
    done = export_estimate(found, "open3d", tmp_path / "out", scale_to=1.0)
    assert "1 m away" in done.notes[0]
    assert json.loads((tmp_path / "out" / "provenance.json").read_text())["unit"] == "m"
    depth = np.asarray(Image.open(tmp_path / "out" / "depth.png"))
    assert np.abs(depth - 1000.0 * found.depth).max() <= 0.5 + 1e-3
    done = export_estimate(found, "nerfstudio", tmp_path / "nerf", views)
    assert "no unit" in done.notes[0]
    assert "comment unit: relative" in (tmp_path / "nerf" / "seeds.ply").read_bytes()[:200].decode()


def test_scaling_scales_cameras_and_points_alike(tmp_path: Path) -> None:
    views = lightfield(camera=False)
    found = estimate(views)
    centres, places = [], []
    for name, metres in (("a", None), ("b", 3.0)):
        found.export("colmap", tmp_path / name, views, scale_to=metres)
        _, images, points = read_colmap(tmp_path / name / "sparse" / "0")
        centres.append([image[0][4:] for image in images.values()])
        places.append([point[0] for point in points.values()])
    assert np.allclose(3.0 * np.array(centres[0]), centres[1])
    assert np.allclose(3.0 * np.array(places[0]), places[1], rtol=1e-5)


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("nerfstudo", {}, "Did you mean 'nerfstudio'"),
        ("nerfstudio", {}, "all views"),
        ("open3d", {"scale_to": 2.0}, "already in metres"),
        ("open3d", {"min_confidence": 1.5}, "0 … 1"),
        ("colmap", {"points": 0, "lightfield": "own"}, "at least 1"),
        ("colmap", {"lightfield": "other"}, "not the light field that was estimated"),
        ("colmap", {"lightfield": "moved"}, "not the light field that was estimated"),
    ],
)
def test_what_does_not_fit_is_refused(target: str, options: dict[str, Any], message: str, tmp_path: Path) -> None:
    views = lightfield()
    others = {"own": views, "other": lightfield(seed=9), "moved": views.replace(eta=(1.0, 2.0))}
    if "lightfield" in options:
        options = options | {"lightfield": others[options["lightfield"]]}
    with pytest.raises(InputError, match=message):
        estimate(views).export(target, tmp_path / "out", **options)
    assert list(tmp_path.iterdir()) == []


def test_only_its_own_earlier_export_is_replaced(tmp_path: Path) -> None:
    views, folder = lightfield(), tmp_path / "out"
    found = estimate(views)
    found.export("nerfstudio", folder, views, points=9)
    (folder / "mine.txt").write_text("kept")
    with pytest.raises(OutputError, match="overwrite=True"):
        found.export("nerfstudio", folder, views)
    with pytest.raises(OutputError, match="not part of an export to colmap"):
        found.export("colmap", folder, views, overwrite=True)
    (folder / "images" / "stale.png").write_text("of the earlier export")
    files = found.export("nerfstudio", folder, views, overwrite=True, points=7)
    there = {str(path) for path in folder.rglob("*") if path.is_file()}
    assert there == {*files, str(folder / "mine.txt")}


@pytest.mark.parametrize("overwrite", [False, True])
def test_folders_of_others_are_left_alone(overwrite: bool, tmp_path: Path) -> None:
    views = lightfield()
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "holiday.png").write_text("dear")
    with pytest.raises(OutputError, match="images"):
        estimate(views).export("nerfstudio", tmp_path, views, overwrite=overwrite)
    assert (tmp_path / "images" / "holiday.png").read_text() == "dear"


def test_an_export_that_fails_leaves_the_earlier_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    views, folder = lightfield(), tmp_path / "out"
    found = estimate(views)
    found.export("nerfstudio", folder, views)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    monkeypatch.setattr("ioadr.io.exports.nerfstudio.write_ply", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(OutputError, match="disk is full"):
        found.export("nerfstudio", folder, views, overwrite=True, points=7)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_exports_are_the_same_each_time(tmp_path: Path) -> None:
    views = lightfield()
    for name in ("a", "b"):
        estimate(views).export("colmap", tmp_path / name, views, points=100)
    contents = [{p.name: p.read_bytes() for p in (tmp_path / name).rglob("*") if p.is_file()} for name in "ab"]
    assert contents[0] == contents[1]


def test_the_command_knows_the_most_points() -> None:
    options = {parameter.name: parameter for parameter in export.command.params}
    assert getattr(options["points"], "show_default", None) == str(MOST_POINTS)
