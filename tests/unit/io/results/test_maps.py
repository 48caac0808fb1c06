"""Maps survive their files, and other programs read them as we do."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from ioadr.errors import InputError
from ioadr.io.results import maps
from ioadr.io.results.maps import Label
from ioadr.io.results.pfm import read_pfm

LABEL = Label("disparity", "px per baseline unit", json.dumps({"seed": 3}))


@pytest.fixture
def values() -> NDArray[np.float32]:
    found = np.random.default_rng(5).normal(0.3, 1.2, (7, 11)).astype(np.float32)
    found[2, 3] = np.nan
    return found


def test_pfm_is_read_alike_by_pillow_opencv_and_us(tmp_path: Path, values: NDArray[np.float32]) -> None:
    cv2 = pytest.importorskip("cv2", reason="opencv-python-headless is not installed")
    path = tmp_path / "a.pfm"
    maps.write_pfm(path, values, LABEL)
    assert np.array_equal(read_pfm(path), values, equal_nan=True)
    assert np.array_equal(np.asarray(Image.open(path)), values, equal_nan=True)
    assert np.array_equal(cv2.imread(str(path), cv2.IMREAD_UNCHANGED), values, equal_nan=True)


def test_png16_comes_back_within_half_a_step(tmp_path: Path, values: NDArray[np.float32]) -> None:
    path = tmp_path / "a.png"
    maps.write_png16(path, values, LABEL)
    found = maps.read_png16(path)
    step = np.nanmax(values) - np.nanmin(values)
    assert np.nanmax(abs(found - values)) <= 0.5 * step / 65534 + 1e-6
    assert np.array_equal(np.isnan(found), np.isnan(values))
    with Image.open(path) as picture:
        assert picture.mode == "I;16"
        assert picture.info["unit"] == LABEL.unit
        assert json.loads(picture.info["provenance"]) == {"seed": 3}


def test_png16_of_a_constant_is_exact(tmp_path: Path) -> None:
    maps.write_png16(tmp_path / "a.png", np.full((3, 4), 0.7, np.float32), LABEL)
    assert (maps.read_png16(tmp_path / "a.png") == np.float32(0.7)).all()


def test_png16_without_scale_is_refused(tmp_path: Path) -> None:
    Image.fromarray(np.zeros((3, 4), np.uint16)).save(tmp_path / "a.png")
    with pytest.raises(InputError, match="scale and offset"):
        maps.read_png16(tmp_path / "a.png")


def test_opencv_reads_the_16_bits(tmp_path: Path, values: NDArray[np.float32]) -> None:
    cv2 = pytest.importorskip("cv2", reason="opencv-python-headless is not installed")
    path = tmp_path / "a.png"
    maps.write_png16(path, values, LABEL)
    with Image.open(path) as picture:
        scale, offset = float(picture.info["scale"]), float(picture.info["offset"])
    samples = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    assert samples.dtype == np.uint16
    assert samples[2, 3] == 0
    finite = np.isfinite(values)
    assert np.allclose(offset + scale * samples[finite], values[finite], atol=0.51 * scale)


def test_tiff_is_exact_and_labelled(tmp_path: Path, values: NDArray[np.float32]) -> None:
    cv2 = pytest.importorskip("cv2", reason="opencv-python-headless is not installed")
    path = tmp_path / "a.tiff"
    maps.write_tiff(path, values, LABEL)
    assert np.array_equal(cv2.imread(str(path), cv2.IMREAD_UNCHANGED), values, equal_nan=True)
    with Image.open(path) as picture:
        assert np.array_equal(np.asarray(picture), values, equal_nan=True)
        assert str(picture.tag_v2[270]) == f"{LABEL.description}\n{LABEL.provenance}"  # type: ignore[attr-defined]


def test_exr_has_a_channel_for_each_map(tmp_path: Path, values: NDArray[np.float32]) -> None:
    openexr = pytest.importorskip("OpenEXR", reason="the extra exr is not installed")
    maps.write_exr(tmp_path / "a.exr", {"disparity": values, "normal.X": 2 * values}, LABEL)
    with openexr.File(str(tmp_path / "a.exr"), separate_channels=True) as file:
        assert np.array_equal(file.channels()["disparity"].pixels, values, equal_nan=True)
        assert np.array_equal(file.channels()["normal.X"].pixels, 2 * values, equal_nan=True)
        assert LABEL.provenance in file.header()["comments"]


def test_exr_names_its_extra(tmp_path: Path, values: NDArray[np.float32], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "OpenEXR", None)
    with pytest.raises(InputError, match=r"pip install .*\[exr\]"):
        maps.write_exr(tmp_path / "a.exr", {"disparity": values}, LABEL)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("name", ["write_pfm", "write_npy", "write_png16", "write_tiff", "write_exr"])
def test_a_full_disk_is_an_error_of_the_system(
    name: str, tmp_path: Path, values: NDArray[np.float32], capfd: pytest.CaptureFixture[str]
) -> None:
    """And nothing else is printed, as libtiff would."""
    if name == "write_exr":
        pytest.importorskip("OpenEXR", reason="the extra exr is not installed")
    (tmp_path / "a.npy").symlink_to("/dev/full")  # NumPy adds an ending to any other name
    with pytest.raises(OSError, match="No space left on device"):
        getattr(maps, name)(tmp_path / "a.npy", {"Z": values} if name == "write_exr" else values, LABEL)
    assert capfd.readouterr() == ("", "")
