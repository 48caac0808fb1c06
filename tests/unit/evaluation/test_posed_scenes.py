"""Synthetic scenes through posed cameras: maps are about as good as of ideal cameras."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ioadr
from ioadr.errors import InputError
from ioadr.evaluation.synthetic import camera_for, random_light_field, random_scene
from ioadr.evaluation.synthetic.posed import disordered, idealised, photographed, scene_points, true_disparity
from ioadr.geometry.lens import Lens
from ioadr.io.poses.photographs import Photograph
from tests.posed import TURNED, Shots, colmap_scene


@pytest.mark.slow
def test_posed_cameras_do_as_well_as_ideal_ones(tmp_path):
    """Tilts to 15°, a tenth of the extent out of plane, distortion: BadPix 0.07 at most 1.3 times that of the grid."""
    bad = []
    for seed, disorder in ((0, 3), (1, 3), (5, 3), (11, 11), (12, 12), (13, 13)):
        scene = random_scene(seed)
        turned = replace(TURNED, seed=disorder)
        photographs = disordered(camera_for((160, 160), 2.0, 5.75, (-2.0, 2.0)), (5, 5), turned)
        taken = Shots(photographs, photographed(scene, photographs), scene_points(scene, photographs[12]))
        posed = ioadr.read(colmap_scene(tmp_path / str(seed), taken))
        truth = true_disparity(scene, posed).disparity
        maps = [ioadr.estimate(views, "fast").disparity for views in (idealised(posed, scene), posed)]
        bad.append([(np.abs(found - truth)[15:-15, 15:-15] > 0.07).mean() for found in maps])
    ideal, found = np.mean(bad, axis=0)
    assert found < 1.3 * ideal


def test_without_poses_there_is_no_place_in_the_scene():
    rendered = random_light_field(0, size=(40, 40), grid=(3, 3))
    for function in (
        lambda: true_disparity(rendered.scene, rendered.lightfield),
        lambda: idealised(rendered.lightfield, rendered.scene),
    ):
        with pytest.raises(InputError, match="has no poses"):
            function()


@pytest.mark.slow
@pytest.mark.parametrize(("degrees", "seed", "doubtful"), [(9.0, 101, False), (9.0, 102, False), (13.0, 102, True)])
def test_photographs_on_arcs_are_doubted_where_they_are_far_apart(degrees, seed, doubtful, tmp_path):
    """Of 15 photographs on a sphere, 4.3 and 4.8° apart as seen from the scene, or 6.8°; good views raise no doubt."""
    scene, angles = random_scene(seed), np.radians(degrees) * np.arange(-2, 3)
    taken = [
        _looking_inwards(2.0, x, y, f"{number}_{turn}.png")
        for number, y in enumerate(angles[1:4])
        for turn, x in enumerate(angles)
    ]
    shots = Shots(taken, photographed(scene, taken), scene_points(scene, taken[len(taken) // 2]))
    found = ioadr.estimate(ioadr.read(colmap_scene(tmp_path / "arc", shots)), "fast", threads=1)
    assert any("° apart as seen from the scene" in doubt for doubt in found.doubts) == doubtful
    assert doubtful or found.doubts == ()


def _looking_inwards(distance: float, x: float, y: float, name: str) -> Photograph:
    """A photograph of 200×150 px on a sphere, towards its middle."""
    place = distance * np.array([np.sin(x), 0.9 * np.sin(y), 1 - np.cos(x) * np.cos(y)])
    away = np.array([0.0, 0.0, distance]) - place
    away /= np.linalg.norm(away)
    right = np.cross([0.0, 1.0, 0.0], away)
    right /= np.linalg.norm(right)
    turn = np.stack([right, np.cross(away, right), away])
    return Photograph(name, None, (200, 150), (240.0, 240.0), (99.5, 74.5), Lens(), turn, -turn @ place)
