"""Codecs of a Zarr array that check packed chunks before the library unpacks them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from numcodecs.abc import Codec
from zarr.abc.codec import BytesBytesCodec
from zarr.codecs import ShardingCodec

from ioadr.io.decoding.packed import LENGTHS, check_unpacked


def guarded(array: Any, path: object) -> Any:
    """The same array, of version 2 or 3, with checked codecs."""
    metadata, bytes_each = array.metadata, array.dtype.itemsize
    if hasattr(metadata, "codecs"):
        metadata = replace(metadata, codecs=_version_3(metadata.codecs, path, bytes_each))
    else:
        declared = math.prod(metadata.chunks) * bytes_each
        filters = tuple(_version_2(codec, path, declared) for codec in metadata.filters or ())
        metadata = replace(
            metadata, compressor=_version_2(metadata.compressor, path, declared), filters=filters or None
        )
    return type(array)(metadata=metadata, store_path=array.store_path)


def _version_3(codecs: Any, path: object, bytes_each: int) -> tuple[Any, ...]:
    return tuple(_guarded(codec, path, bytes_each) for codec in codecs)


def _guarded(codec: Any, path: object, bytes_each: int) -> Any:
    if isinstance(codec, ShardingCodec):
        return replace(codec, codecs=_version_3(codec.codecs, path, bytes_each))
    name = codec.to_dict()["name"]
    return _Packed(codec, name, path, bytes_each) if name in LENGTHS else codec


def _version_2(codec: Any, path: object, declared: int) -> Any:
    return codec if codec is None or codec.codec_id not in LENGTHS else _PackedVersion2(codec, path, declared)


@dataclass(frozen=True)
class _Packed(BytesBytesCodec):  # type: ignore[misc]
    inner: Any
    name: str
    path: object
    bytes_each: int
    is_fixed_size = False

    def to_dict(self) -> dict[str, Any]:
        return dict(self.inner.to_dict())

    async def _decode_single(self, chunk_bytes: Any, chunk_spec: Any) -> Any:
        check_unpacked(self.path, self.name, chunk_bytes.to_bytes(), math.prod(chunk_spec.shape) * self.bytes_each)
        return await self.inner._decode_single(chunk_bytes, chunk_spec)

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> int:
        return int(self.inner.compute_encoded_size(input_byte_length, chunk_spec))


class _PackedVersion2(Codec):  # type: ignore[misc]
    codec_id = "packed"

    def __init__(self, inner: Any, path: object, declared: int) -> None:
        self.inner, self.path, self.declared = inner, path, declared
        self.codec_id = inner.codec_id

    def decode(self, buf: Any, out: Any = None) -> Any:
        check_unpacked(self.path, self.codec_id, bytes(buf), self.declared)
        return self.inner.decode(buf, out)

    def encode(self, buf: Any) -> Any:
        return self.inner.encode(buf)

    def get_config(self) -> Any:
        return self.inner.get_config()
