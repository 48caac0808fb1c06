"""Films and frames are written whole or not at all."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from ioadr.errors import OutputError
from ioadr.io.results.film import write_film


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
    with pytest.raises(OutputError, match="holds frames already"):
        write_film(tmp_path / "frames", frames(2), 25)
    write_film(tmp_path / "frames", frames(2), 25, overwrite=True)
    assert len(list((tmp_path / "frames").iterdir())) == 2
    write_film(tmp_path / "film.gif", frames(), 25)
    with pytest.raises(OutputError, match="exists already"):
        write_film(tmp_path / "film.gif", frames(), 25)


def test_a_failure_leaves_nothing(tmp_path):
    def broken():
        yield frames()[0]
        raise ValueError("no more")

    for name in ("frames", "film.webp"):
        with pytest.raises(ValueError, match="no more"):
            write_film(tmp_path / name, broken(), 25)
        assert list(tmp_path.iterdir()) == []


def test_videos_are_refused_with_a_remedy(tmp_path):
    with pytest.raises(OutputError, match=r"no video encoder.*NAME.webp.*ffmpeg -i FRAMES/frame_%04d.png"):
        write_film(tmp_path / "film.mp4", frames(), 25)
