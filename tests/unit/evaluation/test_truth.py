"""Truth from a scene folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ioadr.camera import Camera
from ioadr.errors import InputError
from ioadr.evaluation.scores import score
from ioadr.evaluation.truth import Truth, has_truth, load_truth
from ioadr.io.results.pfm import write_pfm
from ioadr.io.scene_parameters import SceneParameters, format_scene_parameters

WIDTH, HEIGHT = 40, 32


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "desk"
    folder.mkdir()
    parameters = SceneParameters(Camera(100.0, 35.0, 25.0, 4.0, WIDTH, HEIGHT), (3, 3), None, "desk")
    (folder / "parameters.cfg").write_text(format_scene_parameters(parameters), encoding="utf-8")
    write_pfm(folder / "gt_disp_lowres.pfm", np.zeros((HEIGHT, WIDTH)))
    save(folder / "mask_planes_lowres.png", np.full((HEIGHT, WIDTH), 255, np.uint8))
    save(folder / "mask_boxes_lowres.png", np.full((HEIGHT, WIDTH), 3, np.uint8))
    return folder


def save(path: Path, values: np.ndarray) -> None:
    Image.fromarray(values).save(path)


def test_a_folder_gives_map_masks_and_camera(folder: Path) -> None:
    truth = load_truth(folder)
    assert has_truth(folder)
    assert truth.name == "desk"
    assert truth.disparity.shape == (HEIGHT, WIDTH)
    assert truth.camera == Camera(100.0, 35.0, 25.0, 4.0, WIDTH, HEIGHT)
    assert truth.masks["planes"].dtype == bool
    assert set(np.unique(truth.masks["boxes"])) == {3}
    region = truth.region("planes", "boxes")
    assert region is not None
    assert region.sum() == (HEIGHT - 30) * (WIDTH - 30)
    assert truth.region("planes", "fine") is None


def test_masks_may_be_colour_or_one_bit(folder: Path) -> None:
    save(folder / "mask_fine_lowres.png", np.full((HEIGHT, WIDTH, 3), 255, np.uint8))
    Image.new("1", (WIDTH, HEIGHT), 1).save(folder / "mask_smooth_surfaces_lowres.png")
    masks = load_truth(folder).masks
    assert masks["fine"].all()
    assert masks["smooth_surfaces"].all()
    assert masks["fine"].shape == (HEIGHT, WIDTH)


def test_a_large_mask_of_one_value_is_no_damaged_file(tmp_path: Path) -> None:
    """One bit per pixel, packed: thousands of pixels in every byte."""
    size = 1024
    scene = SceneParameters(Camera(100.0, 35.0, 25.0, 4.0, size, size), (3, 3), None, "desk")
    (tmp_path / "parameters.cfg").write_text(format_scene_parameters(scene), encoding="utf-8")
    write_pfm(tmp_path / "gt_disp_lowres.pfm", np.zeros((size, size), np.float32))
    Image.new("1", (size, size), 1).save(tmp_path / "mask_fine_lowres.png")
    assert load_truth(tmp_path).masks["fine"].all()


def test_a_misspelt_folder_is_suggested(folder: Path) -> None:
    with pytest.raises(InputError, match=f"there is no such file or folder. Did you mean '{folder.name}'"):
        load_truth(folder.with_name(folder.name + "s"))


def test_high_resolution_truth_is_ten_times_as_large(folder: Path) -> None:
    write_pfm(folder / "gt_disp_highres.pfm", np.full((10 * HEIGHT, 10 * WIDTH), 0.5))
    save(folder / "mask_fine_highres.png", np.full((10 * HEIGHT, 10 * WIDTH), 255, np.uint8))
    truth = load_truth(folder, "highres")
    assert (truth.scale, truth.disparity.shape) == (10, (320, 400))
    assert set(truth.masks) == {"fine"}
    scores = score(np.full((HEIGHT, WIDTH), 0.25), truth)
    assert scores["mse"] == pytest.approx(6.25)
    assert scores["fine_thinning"] == 100
    assert (scores.size, scores.pixels) == ((320, 400), 20 * 100)
    with pytest.raises(InputError, match=r"expected a map of 40×32 px, found 400×320"):
        score(truth.disparity, truth)


def test_faults_are_named(folder: Path) -> None:
    save(folder / "mask_fine_lowres.png", np.zeros((5, 6), np.uint8))
    with pytest.raises(InputError, match=r"mask_fine_lowres\.png: expected a mask of 40×32 px, found 6×5"):
        load_truth(folder)
    (folder / "mask_fine_lowres.png").write_bytes(b"no picture")
    with pytest.raises(InputError, match=r"mask_fine_lowres\.png: .*a PNG mask"):
        load_truth(folder)
    write_pfm(folder / "gt_disp_lowres.pfm", np.zeros((WIDTH, HEIGHT)))
    with pytest.raises(InputError, match=r"gt_disp_lowres\.pfm: expected 40×32 px, found 32×40"):
        load_truth(folder)
    (folder / "gt_disp_lowres.pfm").unlink()
    assert not has_truth(folder)
    with pytest.raises(InputError, match=r"the scene's ground truth gt_disp_lowres\.pfm is missing"):
        load_truth(folder)


def test_a_truth_that_is_all_border_is_refused() -> None:
    with pytest.raises(InputError, match="90×30 px is too small"):
        Truth(np.zeros((30, 90)))
