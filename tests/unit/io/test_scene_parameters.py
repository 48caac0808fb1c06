"""`parameters.cfg` round trip and faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from ioadr.camera import Camera
from ioadr.errors import InputError
from ioadr.io.scene_parameters import SceneParameters, format_scene_parameters, read_scene_parameters
from ioadr.lightfield import DisparityRange

PARAMETERS = SceneParameters(
    Camera(100.0, 35.0, 25.0, 4.25, 120, 90), (5, 7), DisparityRange(-1.6, 1.5, "file"), "corner"
)


def test_round_trip(tmp_path: Path) -> None:
    (tmp_path / "parameters.cfg").write_text(format_scene_parameters(PARAMETERS), encoding="utf-8")
    assert read_scene_parameters(tmp_path) == PARAMETERS


def test_a_file_of_an_editor_of_windows(tmp_path: Path) -> None:
    """With a byte order mark and CRLF."""
    text = format_scene_parameters(PARAMETERS).replace("\n", "\r\n")
    (tmp_path / "parameters.cfg").write_bytes(text.encode("utf-8-sig"))
    assert read_scene_parameters(tmp_path) == PARAMETERS


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "focal_length_mm = 100.0",
            "focal_length_mm = long",
            "[intrinsics]: expected a number for focal_length_mm, found 'long'",
        ),
        ("baseline_mm = 25.0", "", "[extrinsics]: baseline_mm is missing"),
        ("baseline_mm = 25.0", "baseline_mm = 0", "positive baseline_mm"),
        ("num_cams_x = 7", "num_cams_x = 7.5", "positive whole number for num_cams_x"),
        ("disp_max = 1.5", "", "[meta]: disp_max is missing"),
        ("disp_max = 1.5", "disp_max = -2", "MIN < MAX"),
        ("[intrinsics]", "intrinsics", "expected [section]"),
    ],
)
def test_faults_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = format_scene_parameters(PARAMETERS).replace(old, new)
    (tmp_path / "parameters.cfg").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as found:
        read_scene_parameters(tmp_path)
    assert message in str(found.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"parameters\.cfg"):
        read_scene_parameters(tmp_path)


def test_the_range_may_be_missing(tmp_path: Path) -> None:
    text = format_scene_parameters(SceneParameters(PARAMETERS.camera, (3, 3), None, "open"))
    (tmp_path / "parameters.cfg").write_text(text, encoding="utf-8")
    assert read_scene_parameters(tmp_path).range is None
