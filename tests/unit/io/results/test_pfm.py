"""PFM files: strict on reading, benchmark-conforming on writing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from ioadr.errors import InputError
from ioadr.io.results.pfm import decode_pfm, encode_pfm, read_pfm, write_pfm

VALUES = np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5


def test_a_file_is_little_endian_and_bottom_up(tmp_path: Path) -> None:
    write_pfm(tmp_path / "map.pfm", VALUES)
    content = (tmp_path / "map.pfm").read_bytes()
    assert content == b"Pf\n3 2\n-1.0\n" + VALUES[::-1].astype("<f4").tobytes()
    np.testing.assert_array_equal(read_pfm(tmp_path / "map.pfm"), VALUES)


def test_pillow_reads_the_same(tmp_path: Path) -> None:
    write_pfm(tmp_path / "map.pfm", VALUES)
    with Image.open(tmp_path / "map.pfm") as image:
        np.testing.assert_array_equal(np.asarray(image), VALUES)


def test_big_endian_and_carriage_returns_are_read() -> None:
    content = b"Pf\r\n3 2\r\n1.000000\r\n" + VALUES[::-1].astype(">f4").tobytes()
    found = decode_pfm(content)
    np.testing.assert_array_equal(found, VALUES)
    assert found.dtype == np.float32
    assert found.dtype.isnative


def test_first_value_may_look_like_white_space() -> None:
    values = np.frombuffer(b"\n \n " * 6, dtype="<f4").reshape(2, 3)
    np.testing.assert_array_equal(decode_pfm(encode_pfm(values)), values)


@settings(deadline=None, max_examples=50)
@given(hnp.arrays(np.float32, hnp.array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.floats(width=32)))
def test_round_trip_keeps_every_bit(values: np.ndarray) -> None:
    np.testing.assert_array_equal(decode_pfm(encode_pfm(values)), values)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a PFM file"),
        (b"P5\n3 2\n255\n" + bytes(6), "not a PFM file"),
        (b"PF\n3 2\n-1\n" + bytes(72), "one channel"),
        (b"Pf\n3 2\n0\n" + bytes(24), "scale other than 0"),
        (b"Pf\n3 2\nnan\n" + bytes(24), "scale other than 0"),
        (b"Pf\n3 2\nminus\n" + bytes(24), "scale other than 0"),
        (b"Pf\n0 2\n-1\n", "at least 1×1"),
        (b"Pf\n3 2\n-1\n" + bytes(23), "expected 24 bytes of values for 3×2 px, found 23"),
        (b"Pf\n3 2\n-1\n" + bytes(25), "found 25"),
        (b"Pf\n999999999 999999999\n-1\n" + bytes(24), "cut off or its header is wrong"),
        (b"Pf\n9999999999 2\n-1\n" + bytes(24), "not a PFM file"),
        (b"Pf\n-3 2\n-1\n" + bytes(24), "not a PFM file"),
    ],
)
def test_damaged_files_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.pfm"
    path.write_bytes(content)
    for read in (lambda: read_pfm(path), lambda: decode_pfm(content, "bad.pfm")):
        with pytest.raises(InputError, match=r"bad\.pfm") as found:
            read()
        assert message in str(found.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.pfm"):
        read_pfm(tmp_path / "nothing.pfm")


@pytest.mark.parametrize("shape", [(3,), (2, 2, 3), (0, 4)])
def test_only_maps_are_written(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="expected a map"):
        encode_pfm(np.zeros(shape))
