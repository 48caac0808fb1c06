"""Maps in every format, and folders of results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ioadr.errors import InputError
from ioadr.io import save_estimate
from ioadr.io.results.map_files import SUFFIXES, read_map, write_map
from ioadr.io.results.maps import Label
from tests.scenes import make_estimate

VALUES = np.linspace(-2, 2, 20 * 31).reshape(20, 31).astype(np.float32)
LABEL = Label("disparity", "px", "{}")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_reads_back(tmp_path: Path, suffix: str) -> None:
    path = write_map(tmp_path / f"map{suffix}", VALUES, LABEL)
    found = read_map(path)
    np.testing.assert_allclose(found.values, VALUES, atol=4 / 65534 if suffix == ".png" else 0)
    assert found.values.dtype.kind == "f"
    assert found.seconds is None
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_gaps_survive(tmp_path: Path) -> None:
    values = VALUES.copy()
    values[3, 4] = np.nan
    for suffix in SUFFIXES:
        found = read_map(write_map(tmp_path / f"map{suffix}", values, LABEL)).values
        assert np.argwhere(np.isnan(found)).tolist() == [[3, 4]], suffix


@pytest.mark.parametrize("formats", [["npz"], ["pfm"], ["npy"], ["tiff"]])
def test_folders_of_results(tmp_path: Path, formats: list[str]) -> None:
    save_estimate(make_estimate(VALUES, seconds={"total": 7.5}), tmp_path / "out", formats)
    found = read_map(tmp_path / "out")
    np.testing.assert_array_equal(found.values, VALUES)
    assert found.seconds == 7.5


def test_a_folder_without_a_record_has_no_runtime(tmp_path: Path) -> None:
    write_map(tmp_path / "disparity.pfm", VALUES, LABEL)
    assert read_map(tmp_path).seconds is None
    (tmp_path / "provenance.json").write_text(json.dumps({"seconds": "soon"}))
    assert read_map(tmp_path).seconds is None
    (tmp_path / "provenance.json").write_text("[" * 100_000)
    assert read_map(tmp_path).seconds is None


def test_the_only_map_of_an_archive_needs_no_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", depth=VALUES, name="x")
    np.testing.assert_array_equal(read_map(tmp_path / "one.npz").values, VALUES)
    np.savez(tmp_path / "two.npz", depth=VALUES, other=VALUES)
    with pytest.raises(InputError, match="holds no array called disparity, only depth, other"):
        read_map(tmp_path / "two.npz")
    np.testing.assert_array_equal(read_map(tmp_path / "two.npz", "other").values, VALUES)


def test_faults_are_named(tmp_path: Path) -> None:
    for suffix in SUFFIXES:
        (tmp_path / f"bad{suffix}").write_bytes(b"nothing of the kind")
        with pytest.raises(InputError, match=f"bad\\{suffix}: .*[a-z]"):
            read_map(tmp_path / f"bad{suffix}")
    with pytest.raises(InputError, match="there is no such file"):
        read_map(tmp_path / "missing.pfm")
    with pytest.raises(InputError, match=r"expected a map \(\.pfm"):
        read_map(tmp_path / "map.jpg")
    with pytest.raises(InputError, match="must end in one of"):
        write_map(tmp_path / "map.jpg", VALUES, LABEL)
    with pytest.raises(InputError, match="holds neither"):
        read_map(tmp_path)


@pytest.mark.parametrize("values", [np.zeros((2, 3, 4)), np.zeros(5), np.zeros((3, 3), bool), np.zeros((0, 3))])
def test_only_maps_are_read(tmp_path: Path, values: np.ndarray) -> None:
    np.save(tmp_path / "array.npy", values)
    with pytest.raises(InputError, match="expected one map"):
        read_map(tmp_path / "array.npy")


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "array.npy", np.array([[{}]], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match=r"array\.npy"):
        read_map(tmp_path / "array.npy")


def test_whole_numbers_and_a_channel_axis_are_accepted(tmp_path: Path) -> None:
    np.save(tmp_path / "array.npy", np.arange(6).reshape(2, 3, 1))
    found = read_map(tmp_path / "array.npy").values
    np.testing.assert_array_equal(found, np.arange(6.0).reshape(2, 3))
    assert found.dtype.kind == "f"
