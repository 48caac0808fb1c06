"""`estimate --every-view`, `render` and `check --leave-out` on the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import ioadr
from ioadr import InputError, load_views
from ioadr.app.cli import group
from ioadr.io import write_lightfield
from ioadr.io.results.left_out_file import load_left_out
from tests.builders import make_lightfield


def run(*arguments):
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    target = tmp_path_factory.mktemp("scene") / "plane.npz"
    write_lightfield(make_lightfield(grid=(5, 5), size=(40, 48), disparity=0.5), target)
    return target


@pytest.fixture(scope="module")
def result(scene):
    out = scene.parent / "out"
    done = run("estimate", scene, "--out", out, "--every-view", "--preset", "fast", "--no-report", "--threads", "1")
    assert done.exit_code == 0, done.output
    assert "maps of 25 views from" in done.output
    assert "mean confidence 0." in done.output
    return out


def test_every_view_is_written(result):
    views = load_views(result)
    assert views.disparity.shape == (25, 40, 48)
    assert abs(float(np.median(views.map_of((0, 4)))) - 0.5) < 0.02
    assert (result / "scene.ply").is_file()


def test_a_given_range_that_other_views_exceed_is_noted(scene, tmp_path):
    out = tmp_path / "out"
    short = ("--range", "0", "0.3", "--preset", "fast", "--save", "npz", "--threads", "1")
    done = run("estimate", scene, "--out", out, "--every-view", *short)
    assert done.exit_code == 0, done.output
    text = " ".join(done.stderr.split())
    assert "lie outside the given range 0 … 0.3 px" in text
    assert "leave --range out, or widen it: --range 0 0.6" in text
    [note] = [note for note in load_views(out).estimate.notes if "outside the given range" in note]
    assert note in json.loads((out / "provenance.json").read_text())["source"]["notes"]
    assert "outside the given range" in (out / "report.html").read_text()


def test_an_unusable_work_folder_is_refused_before_the_estimation(scene, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("ioadr.views.estimation.estimate", lambda *_: pytest.fail("estimated"))
    done = run("estimate", scene, "--out", tmp_path / "a", "--every-view", "--work", tmp_path / "file" / "w")
    assert done.exit_code != 0
    assert f"{tmp_path / 'file' / 'w'}: cannot be created: Not a directory" in str(done.exception)
    assert not (tmp_path / "a").exists()


def test_formats_without_npz_are_refused(scene, tmp_path):
    done = run("estimate", scene, "--out", tmp_path / "a", "--every-view", "--save", "ply", "--json")
    assert done.exit_code != 0
    assert "needs npz" in str(done.exception) + done.output


def test_a_wrong_light_field_is_refused_without_options_of_other_commands(result, tmp_path):
    """`render` named --reference and --format, which it does not have; a 4×5 grid was read beyond its end."""
    write_lightfield(make_lightfield(grid=(3, 3), size=(40, 48)), tmp_path / "few.npz")
    write_lightfield(make_lightfield(grid=(4, 5), size=(40, 48)), tmp_path / "fewer.npz")
    write_lightfield(make_lightfield(grid=(5, 5), size=(40, 44)), tmp_path / "small.npz")
    (tmp_path / "notes.txt").write_text("no light field")
    for name, found in (
        ("few.npz", "expected 5×5 views, found 3×3"),
        ("fewer.npz", "found 4×5"),
        ("small.npz", "expected views of 48×40 px, found 44×40"),
        ("notes.txt", "not a light field in a known format"),
    ):
        film = ("--path", "orbit", "--frames", "2", "--out", tmp_path / "f", "--lightfield", tmp_path / name)
        done = run("render", result, *film)
        message = done.exception.for_command_line()
        assert found in message
        assert message.endswith("Give the light field that was estimated.")
        assert " --" not in message


def test_colours_of_another_scene_are_refused(result, tmp_path):
    """A light field of the same size and grid was silently painted on the surfaces of the result."""
    write_lightfield(make_lightfield(grid=(5, 5), size=(40, 48), seed=5), tmp_path / "other.npz")
    words = ("--path", "orbit", "--frames", "2", "--out", tmp_path / "f", "--lightfield", tmp_path / "other.npz")
    done = run("render", result, *words)
    assert "other.npz: not the light field that was estimated: its view " in str(done.exception)
    assert not (tmp_path / "f").exists()
    with pytest.raises(InputError, match="not the light field that was estimated"):
        load_views(result, ioadr.read(tmp_path / "other.npz"))
    with pytest.raises(TypeError, match="expected a LightField, not str"):
        load_views(result, "other.npz")  # type: ignore[arg-type]


def test_mirrored_columns_are_refused(scene, result):
    """The reference view is the same; the pictures of other anchors are not."""
    with pytest.raises(InputError, match="not the light field that was estimated"):
        load_views(result, ioadr.read(scene, flip_columns=True))


def test_the_same_capture_with_more_bits_is_rendered_as_bright(scene, result, tmp_path):
    """Its 16-bit samples were shown with the white of the 8-bit result."""
    lightfield = ioadr.read(scene)
    deep = lightfield.with_(views=lightfield.views.astype(np.uint16) * 257, white=65535.0)
    write_lightfield(deep, tmp_path / "deep.npz")
    (tmp_path / "path.txt").write_text("1.5 2.5\n")
    words = ("--path", tmp_path / "path.txt", "--out")
    assert run("render", result, *words, tmp_path / "own").exit_code == 0
    done = run("render", result, *words, tmp_path / "deep", "--lightfield", tmp_path / "deep.npz")
    assert done.exit_code == 0, done.output
    own, made = (np.asarray(Image.open(next((tmp_path / name).glob("*.png"))), float) for name in ("own", "deep"))
    assert np.abs(own - made).max() <= 1


def test_frames_are_rendered(result, tmp_path):
    film = ("--path", "orbit", "--frames", "3", "--size", "60x50")
    done = run("render", result, *film, "--out", tmp_path / "f", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["size"] == [50, 60]
    files = sorted((tmp_path / "f").glob("*.png"))
    assert len(files) == 3
    with Image.open(files[0]) as picture:
        assert picture.size == (60, 50)


def test_the_even_size_of_a_video_is_told(result, tmp_path):
    pytest.importorskip("cv2")
    (tmp_path / "places.txt").write_text("2 2\n")
    film = ("--path", tmp_path / "places.txt", "--size", "33x18", "--threads", "1")
    done = run("render", result, *film, "--out", tmp_path / "film.mp4", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["size"] == [18, 34]
    assert "the last row or column of 33×18 px is repeated" in done.stderr
    done = run("render", result, *film, "--out", tmp_path / "film.gif", "--json")
    assert json.loads(done.stdout)["size"] == [18, 33]


def test_a_file_of_places_is_rendered(result, scene, tmp_path):
    (tmp_path / "places.txt").write_text("2 2\n1.5 2\n")
    film = tmp_path / "film.webp"
    done = run("render", result, "--path", tmp_path / "places.txt", "--out", film, "--lightfield", scene)
    assert done.exit_code == 0, done.output
    with Image.open(film) as picture:
        assert getattr(picture, "n_frames", 1) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--path", "orbit", "--out", "film.mkv"], "film.mkv: cannot be written as .mkv"),
        (["--path", "orbit", "--out", "still.jpg"], "still.jpg: cannot be written as .jpg"),
        (["--path", "orbit", "--out", "pages.pdf"], "pages.pdf: cannot be written as .pdf"),
        (["--path", "orbit", "--out", "f", "--focus", "0.5"], "--focus: without --aperture X, everything is in focus"),
        (["--path", __file__, "--out", "f", "--frames", "5"], "has one camera position per frame. Leave --frames out"),
        (["--path", "nowhere", "--out", "f"], "expected orbit, dolly, grid or a file"),
        (["--path", "orbit", "--out", "f", "--size", "wide"], "expected WIDTHxHEIGHT"),
        (["--path", "orbit", "--out", "f.gif", "--rate", "nan"], "nan is not in the range 0.1<=x<=100"),
    ],
)
def test_what_cannot_be_rendered_is_explained(result, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    done = run("render", result, *options)
    assert done.exit_code != 0
    assert message in str(done.exception) + done.output
    assert list(tmp_path.iterdir()) == []


def test_a_camera_that_sees_nothing_is_named(result, tmp_path):
    (tmp_path / "places.txt").write_text("2 2\n1e9 2\n")
    done = run("render", result, "--path", tmp_path / "places.txt", "--out", tmp_path / "f", "--threads", "1")
    assert done.exit_code != 0
    assert str(done.exception).startswith("picture 2 of 2: viewpoint: no part of the scene is visible from there.")
    assert not (tmp_path / "f").exists()


def test_the_picture_that_no_view_saw_is_noted(result, tmp_path):
    """From far away, most of the picture lies outside all views; its colours were filled in silently."""
    (tmp_path / "near.txt").write_text("2 2\n")
    (tmp_path / "far.txt").write_text("2 2\n2 2 -5\n")
    rendered = [
        run("render", result, "--path", tmp_path / f"{name}.txt", "--out", tmp_path / name, "--json", "--threads", "1")
        for name in ("near", "far")
    ]
    near, far = (json.loads(done.stdout)["seen"] for done in rendered)
    assert (near[0], far[0], far[1] < 0.5) == (1.0, 1.0, True)
    assert "no view saw" not in rendered[0].stderr
    assert f"picture 2 of 2: no view saw {100 * (1 - far[1]):.0f} % of the pixels" in " ".join(
        rendered[1].stderr.split()
    )


def test_views_left_out_are_reported(scene):
    done = run("check", scene, "--leave-out", "2", "--preset", "fast", "--json", "--threads", "1")
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert (answer["kept"], answer["left_out"]) == (9, 16)
    assert "(numpy): 5×5 views of 48×40 px" in done.stderr, "how the light field was read"
    assert len(answer["by_view"]) == 16
    means = {name: values["psnr"] for name, values in answer["means"].items()}
    assert means["views"] > max(means["nearest"], means["blend"]) + 2


def test_a_light_field_is_checked_with_the_options_that_read_it(scene, tmp_path):
    views = ioadr.read(scene).views
    rows, columns, height, width, channels = views.shape
    mosaic = views.transpose(0, 2, 1, 3, 4).reshape(rows * height, columns * width, channels)
    Image.fromarray(mosaic).save(tmp_path / "quilt.png")
    options = ("--quilt", "5x5", "--range", "0", "0.3", "--crop", "0", "0", "40", "40")
    done = run("check", tmp_path / "quilt.png", "--leave-out", "2", *options, "--preset", "fast", "--threads", "1")
    assert done.exit_code == 0, done.output
    assert "5×5 views of 40×40 px" in done.stderr
    assert "maps from 9 kept views, on a grid of 3×3" in done.stderr
    assert "lie outside the given range 0 … 0.3 px" in done.stderr
    assert "doubtful: 100 % of the pixels have the largest disparity: widen --range MIN MAX" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--leave-out", "2", "--order", "row", "--scale", "0.5"), "as it was estimated, without --order, --scale."),
        (("--flip-rows",), "as it was estimated, without --flip-rows. Leave it out"),
        (("--preset", "fast"), "only --leave-out N estimates"),
        (("--leave-out", "2", "--no-align"), "a result is checked as it was estimated"),
    ],
)
def test_options_that_a_check_of_a_result_would_ignore_are_refused(result, options, message):
    done = run("check", result, *options)
    assert done.exit_code != 0
    assert message in str(done.exception)


def test_the_explorer_refuses_options_that_it_would_ignore(result):
    pytest.importorskip("starlette")
    done = run("explore", result, "--scale", "0.5", "--no-browser")
    assert done.exit_code != 0
    assert "as it was estimated, without --scale. Leave it out" in str(done.exception)


def test_a_light_field_needs_no_other_light_field(scene):
    done = run("check", scene, "--leave-out", "2", "--lightfield", scene)
    assert done.exit_code != 0
    assert f"give it alone: ioadr check {scene} --leave-out 2" in str(done.exception)


def test_the_check_of_a_result_is_kept_with_it_and_shown(result, scene, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(result, out)
    assert run("report", out, "--lightfield", scene).exit_code == 0
    assert "points come from other views" in (out / "report.html").read_text()
    done = run("check", out, "--leave-out", "2", "--lightfield", scene, "--json", "--threads", "1")
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert [Path(file).name for file in answer.pop("files")] == ["leave_out.json", "report.html"]
    assert json.loads((out / "leave_out.json").read_text()) == answer
    assert "Check without ground truth" in (out / "report.html").read_text()
    shown = [(out / name).read_bytes() for name in ("leave_out.json", "report.html")]
    done = run("check", out, "--leave-out", "2", "--lightfield", scene, "--preset", "paper", "--threads", "1")
    assert f"these figures are not those of {out}" in " ".join(done.stderr.split())
    assert shown == [(out / name).read_bytes() for name in ("leave_out.json", "report.html")]
    (out / "leave_out.json").write_text('{"by_view": [{"view": [9, 9]}]}')
    with pytest.raises(InputError, match="not what `ioadr check` writes: view 9 9, outside a grid of 5×5"):
        load_left_out(out, load_views(out).layout)
    load_views(out).estimate.save(out, "npz", overwrite=True)
    assert not (out / "leave_out.json").exists()
    assert load_left_out(out, load_views(result).layout) is None
