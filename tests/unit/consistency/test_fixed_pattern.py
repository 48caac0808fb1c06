"""JPEG blocks and raw sensor data do not pass for a scene."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import ioadr
from ioadr.app.doctor import command_line, verdict
from ioadr.consistency.fixed_pattern import has_blocks, is_mosaic
from ioadr.io.diagnosis import BLOCKS, MOSAIC
from tests import explored
from tests.builders import save_png


@pytest.fixture(scope="module")
def views():
    return explored.larger()


def jpeg(folder, views, quality):
    folder.mkdir()
    for (row, column), _ in np.ndenumerate(views[..., 0, 0, 0]):
        Image.fromarray(views[row, column]).save(folder / f"v_{row}_{column}.jpg", quality=quality)
    return folder


def raw(view):
    """The colours of a Bayer sensor, as one channel."""
    mosaic = view[..., 1].copy()
    mosaic[::2, ::2], mosaic[1::2, 1::2] = view[::2, ::2, 0], view[1::2, 1::2, 2]
    return mosaic[..., None]


def test_near_and_far_are_not_judged_by_blocks(views, tmp_path):
    """Blocks stay in place: of strongly compressed views, near and far were found to be swapped, and "corrected"."""
    source = ioadr.read(jpeg(tmp_path / "strong", views, 10)).source
    assert BLOCKS in source.notes
    assert source.order == "unknown: near and far cannot be distinguished"
    assert BLOCKS not in source.doubts.values()
    source = ioadr.read(jpeg(tmp_path / "usual", views, 95)).source
    assert BLOCKS not in source.notes
    assert source.order.startswith("agrees")


@pytest.mark.parametrize("cut", [0, 3])
def test_blocks_are_found_at_any_offset(views, tmp_path, cut):
    folder = jpeg(tmp_path / "strong", views[:1, :1], 10)
    view = np.asarray(Image.open(folder / "v_0_0.jpg"))[cut:, cut:]
    assert has_blocks(view)
    assert not has_blocks(views[0, 0][cut:, cut:])
    assert not is_mosaic(view)


def test_noise_has_no_pattern():
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(100, 20, (40, 48, 1))
        assert not has_blocks(noise)
        assert not is_mosaic(noise)


def test_maps_of_raw_sensor_data_are_doubtful(views, tmp_path):
    """The mosaic does not move: half of the pixels were off by .3 px, without a doubt."""
    for (row, column), _ in np.ndenumerate(views[..., 0, 0, 0]):
        save_png(tmp_path / f"v_{row}_{column}.png", raw(views[row, column]))
    assert MOSAIC in ioadr.read(tmp_path).source.doubts.values()
    found = ioadr.diagnose(tmp_path)
    assert not found.healthy
    assert verdict(found) == MOSAIC
    assert command_line(found).startswith("none:")
    assert not is_mosaic(views[0, 0])
