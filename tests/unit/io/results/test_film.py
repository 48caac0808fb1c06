"""Videos and frames are written completely or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ioadr.errors import OutputError
from ioadr.io.results.film import check_film, write_film


def frames(count=4):
    random = np.random.default_rng(0)
    return [random.integers(0, 256, (12, 16, 3), np.uint8) for _ in range(count)]


def test_frames_come_back(tmp_path):
    pictures = frames()
    files = write_film(tmp_path / "frames", pictures, 25)
    assert [file.name for file in files] == [f"frame_{number:04d}.png" for number in range(4)]
    for file, picture in zip(files, pictures, strict=True):
        with Image.open(file) as image:
            np.testing.assert_array_equal(np.asarray(image), picture)


@pytest.mark.parametrize("name", ["film.webp", "film.gif", "film.png"])
def test_films_have_all_frames(tmp_path, name):
    write_film(tmp_path / name, frames(), 20)
    with Image.open(tmp_path / name) as image:
        assert getattr(image, "n_frames", 1) == 4
        assert image.size == (16, 12)


def test_earlier_frames_are_replaced_only_if_told(tmp_path):
    write_film(tmp_path / "frames", frames(6), 25)
    with pytest.raises(OutputError, match="already holds frames"):
        write_film(tmp_path / "frames", frames(2), 25)
    write_film(tmp_path / "frames", frames(2), 25, overwrite=True)
    assert len(list((tmp_path / "frames").iterdir())) == 2
    write_film(tmp_path / "film.gif", frames(), 25)
    with pytest.raises(OutputError, match="already exists"):
        write_film(tmp_path / "film.gif", frames(), 25)


@pytest.mark.parametrize("name", ["film.gif", "film.webm"])
def test_unusable_targets_are_refused_before_anything_is_rendered(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(OutputError, match="a folder, not a file"):
        check_film(tmp_path / name, overwrite=True)
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="is a file|not a folder"):
        check_film(tmp_path / "file" / name, overwrite=True)
    with pytest.raises(OutputError, match="the name is empty"):
        check_film("", overwrite=True)


def test_a_failure_leaves_nothing(tmp_path):
    def broken():
        yield frames()[0]
        raise ValueError("no more")

    for name in ("frames", "film.webp"):
        with pytest.raises(ValueError, match="no more"):
            write_film(tmp_path / name, broken(), 25)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["film.mp4", "film.webm"])
def test_videos_show_the_frames(tmp_path, name, capfd):
    cv2 = pytest.importorskip("cv2")
    levels = [40, 90, 140, 200]
    write_film(tmp_path / name, [np.full((33, 47, 3), (level, 60, 120), np.uint8) for level in levels], 20)
    assert capfd.readouterr().err == ""
    video = cv2.VideoCapture(str(tmp_path / name))
    pictures = [video.read()[1] for _ in levels]
    assert not video.read()[0]
    assert pictures[0].shape == (34, 48, 3)
    for level, picture in zip(levels, pictures, strict=True):
        np.testing.assert_allclose(picture.mean(axis=(0, 1)), (120, 60, level), atol=6)


def test_videos_that_cannot_be_written_are_refused_with_a_remedy(tmp_path, monkeypatch):
    with pytest.raises(OutputError, match=r"film.mkv: cannot be written as .mkv. Write NAME.mp4"):
        write_film(tmp_path / "film.mkv", frames(), 25)
    monkeypatch.setattr("ioadr.io.results.film.find_spec", lambda name: None)
    with pytest.raises(OutputError, match=r"NAME.webp.* do not\. Install it with: pip install .*\[film\]"):
        write_film(tmp_path / "film.mp4", frames(), 25)
    assert list(tmp_path.iterdir()) == []


def test_a_film_that_opencv_did_not_finish_is_told(tmp_path, monkeypatch):
    """OpenCV does not report a full disk."""
    cv2 = pytest.importorskip("cv2", reason="opencv-python-headless is not installed")

    true = cv2.VideoWriter

    class Losing:
        fourcc = staticmethod(true.fourcc)

        def __init__(self, name, *arguments):
            self.name, self.inner = Path(name), true(name, *arguments)
            self.write = self.inner.write

        def release(self):
            self.inner.release()
            self.name.write_bytes(self.name.read_bytes()[:-200])

    monkeypatch.setattr(cv2, "VideoWriter", Losing)
    with pytest.raises(OutputError, match=r"film\.mp4: OpenCV could not write all of it"):
        write_film(tmp_path / "film.mp4", frames(), 20)
    assert list(tmp_path.iterdir()) == []
