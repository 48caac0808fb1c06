"""Views that tell the order of all are decoded once; sizes need none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ioadr
from ioadr.app.batch.sizing import need_of
from ioadr.io import ReadOptions
from ioadr.io.decoding import images
from tests.builders import make_views, write_hci_scene


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files, in the order in which they are decoded."""
    names: list[str] = []
    plain = images._decoded

    def counted(path: Path, expected: Any) -> Any:
        names.append(path.name)
        return plain(path, expected)

    monkeypatch.setattr(images, "_decoded", counted)
    return names


@pytest.mark.parametrize("options", [{}, {"crop": (2, 3, 20, 22)}, {"view_step": 2}, {"scale": 0.5}])
def test_each_view_is_decoded_once(tmp_path, decoded, options):
    views = make_views(grid=(9, 9), size=(32, 36))
    lightfield = ioadr.read(write_hci_scene(tmp_path / "waves", views), **options)
    assert sorted(set(decoded)) == sorted(decoded)
    if "scale" not in options:
        top, left, height, width = options.get("crop", (0, 0, 32, 36))
        there = lightfield.layout.present
        expected = views[there][:, top : top + height, left : left + width]
        np.testing.assert_array_equal(lightfield.views[there], expected)


def test_large_views_are_not_kept(tmp_path, decoded, monkeypatch):
    monkeypatch.setattr("ioadr.io.orientation.REMEMBERED", 1000)
    views = make_views(grid=(5, 5), size=(32, 36))
    np.testing.assert_array_equal(ioadr.read(write_hci_scene(tmp_path / "waves", views)).views, views)
    assert len(decoded) > len(set(decoded)) == 25


def test_many_views_are_not_copied_for_a_few_that_are_kept(tmp_path, decoded):
    """17 of 289 views are decoded twice; all others would be in memory twice."""
    views = make_views(grid=(17, 17), size=(8, 9))
    np.testing.assert_array_equal(ioadr.read(write_hci_scene(tmp_path / "waves", views)).views, views)
    assert len(set(decoded)) == 289
    assert len(decoded) == 289 + 17


def test_what_an_item_needs_is_known_without_decoding_a_view(tmp_path, decoded):
    scene = write_hci_scene(tmp_path / "waves", make_views(grid=(5, 5), size=(32, 36)))
    assert need_of(str(scene), ReadOptions(), ioadr.preset("best")).views == 25
    assert decoded == []
