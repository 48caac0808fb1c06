"""Results and light fields that version 0.1 wrote: the camera said where a part begins, and no layout was kept."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ioadr import Estimate, Layout, Part, Source, Window
from ioadr.geometry.points import points_from_disparity
from ioadr.io import load_estimate, read
from tests.builders import make_camera, make_views
from tests.scenes import make_estimate

CAMERA = {
    "focal_length_mm": 100.0,
    "sensor_size_mm": 35.0,
    "baseline_mm": 50.0,
    "focus_distance_m": 8.0,
    "width": 24,
    "height": 20,
}


def stored_as_before(folder: Path, estimate: Estimate, camera: Any, **source: Any) -> Path:
    """The estimate's archive with a provenance of 0.1."""
    estimate.save(folder, formats=["npz"])
    archive = folder / "estimate.npz"
    with np.load(archive) as content:
        arrays = {name: content[name] for name in content.files}
    provenance = json.loads(str(arrays["provenance"])) | {"camera": camera, "source": source}
    del provenance["layout"], provenance["part"]
    provenance["parameters"]["congruence"]["average_angles"] = True
    provenance["parameters"]["finish"] |= {"border_passes": 4, "border_contrast": 8.0}
    np.savez(archive, **(arrays | {"provenance": np.array(json.dumps(provenance))}))
    return folder


@pytest.mark.parametrize("origin", [(4.0, 6.0), (3.75, 6.5), (0.0, 0.0)])
def test_a_part_has_the_points_that_it_had(tmp_path, origin):
    disparity = np.random.default_rng(0).uniform(-1, 1, (12, 16))
    folder = stored_as_before(tmp_path / "out", make_estimate(disparity), CAMERA | {"origin": origin}, name="old")
    found = load_estimate(folder)
    rays = make_camera().pinhole()
    expected = rays._replace(n0=rays.n0 - origin[0], m0=rays.m0 - origin[1])
    np.testing.assert_array_equal(found.points, points_from_disparity(found.disparity, expected))
    assert (found.part.height, found.part.width) == (20, 24)
    assert found.name == "old"


def test_the_source_and_the_reach_of_views_come_back(tmp_path):
    about: dict[str, Any] = {"name": "old", "grid": [3, 5], "reference": [0, 2], "reach": [1.8, 2.0]}
    about |= {"path": "scene", "format": "hci", "recognised": True, "notes": ["flipped"], "options": {"skip": [[0, 1]]}}
    found = load_estimate(stored_as_before(tmp_path / "out", make_estimate(np.zeros((20, 24))), None, **about))
    assert found.source == Source("scene", "hci", True, ("flipped",), {"skip": ((0, 1),)})
    assert found.layout.grid == (3, 5)
    assert found.layout.reference == (0, 2)
    assert found.layout.reach == (1.8, 2.0)
    assert found.part == Part.whole(20, 24)


def test_layout_part_and_source_come_back(tmp_path):
    positions = np.random.default_rng(0).uniform(0, 4, (3, 4, 2))
    present = np.ones((3, 4), bool)
    present[0, 0] = False
    layout = Layout.of((3, 4), (2, 1), (1.0, 0.9), positions, present)
    part = Part(Window(4, 6, 24, 30), 50, 60)
    source = Source("scene", "hci", True, ("flipped",), {"crop": (4, 6, 20, 24)})
    estimate = make_estimate(np.zeros((20, 24)), layout=layout, part=part, source=source)
    estimate.save(tmp_path / "out", formats=["npz"])
    found = load_estimate(tmp_path / "out")
    np.testing.assert_array_equal(found.layout.positions, layout.positions)
    np.testing.assert_array_equal(found.layout.present, present)
    assert (found.layout.reference, found.layout.eta) == ((2, 1), (1.0, 0.9))
    assert (found.part, found.source, found.name) == (part, source, "by hand")


def test_a_light_field_file_knows_where_it_begins(tmp_path):
    description = {
        "kind": "ioadr light field",
        "version": 1,
        "camera": CAMERA | {"width": 48, "height": 40, "origin": [3.0, 5.5]},
    }
    archive = tmp_path / "old.npz"
    np.savez(archive, views=make_views())
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr("description.json", json.dumps(description))
    lightfield = read(archive)
    assert lightfield.camera is not None
    rays = lightfield.camera.pinhole(lightfield.part.window)
    assert (rays.n0, rays.m0) == (0.5 * 39 - 3.0, 0.5 * 47 - 5.5)
    assert (lightfield.part.height, lightfield.part.width) == (40, 48)
