"""Arrays and pictures as text inside a page; `web/packed.js` unpacks them."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.colours import Rgb
from ioadr.io.results.maps import deflated, quantised
from ioadr.machine import cores


def packed(values: NDArray[Any]) -> dict[str, Any]:
    """uint8 or uint16 [N, M] or [N, M, C]: differences along the rows, high and low bytes apart, deflated, base64."""
    steps = np.diff(values, axis=1, prepend=values.dtype.type(0))
    planes = steps.reshape(-1).view(np.uint8).reshape(-1, values.dtype.itemsize).T
    if values.dtype.itemsize == 2 and np.little_endian:
        planes = planes[::-1]
    content = deflated(np.ascontiguousarray(planes).tobytes())
    return {"shape": values.shape, "bytes": values.dtype.itemsize, "data": base64.b64encode(content).decode("ascii")}


def packed_values(values: NDArray[Any]) -> dict[str, Any]:
    """Real numbers in 16 bits: value = offset + scale · sample; sample 0 means "no value"."""
    samples, scale, offset = quantised(values)
    return packed(samples) | {"scale": scale, "offset": offset}


def jpegs(pictures: Sequence[Rgb], most: int) -> list[str]:
    """Base64 of JPEGs, in the best quality that keeps their total below `most` characters."""
    made: list[str] = []
    with ThreadPoolExecutor(cores()) as pool:
        for quality in (92, 80, 60, 40):
            made = list(pool.map(lambda picture, quality=quality: _jpeg(picture, quality), pictures))
            if sum(map(len, made)) <= most:
                break
    return made


def _jpeg(picture: Rgb, quality: int) -> str:
    """A JPEG without colour subsampling, because lines in EPIs are one pixel wide."""
    return base64.b64encode(_encoded(np.ascontiguousarray(picture), quality)).decode("ascii")


def _encoded(picture: Rgb, quality: int) -> bytes:
    """By imagecodecs if it is installed, which takes five sixths of Pillow's time for the same bytes."""
    with suppress(ImportError):
        from imagecodecs import jpeg8_encode

        return bytes(jpeg8_encode(picture, level=quality, subsampling="444"))
    from PIL import Image

    content = io.BytesIO()
    Image.fromarray(picture).save(content, "JPEG", quality=quality, subsampling=0)
    return content.getvalue()
