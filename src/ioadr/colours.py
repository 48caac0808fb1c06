"""Pictures of maps: colour scales of even lightness, normals as colours, any image as 8-bit RGB.

The scales are paths through OKLab (Ottosson 2020) whose lightness rises evenly, so that equal steps of
the map look equally large, also in grey print and to the colour-blind.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rgb = NDArray[np.uint8]

# (lightness, chroma, hue in degrees) at even steps from the lowest value to the highest.
_SCALES = {
    "depth": ((0.20, 0.07, 285), (0.38, 0.15, 300), (0.55, 0.19, 352), (0.72, 0.165, 45), (0.93, 0.13, 100)),
    "confidence": ((0.18, 0.02, 260), (0.44, 0.07, 235), (0.70, 0.09, 195), (0.95, 0.05, 150)),
    "signed": ((0.45, 0.17, 262), (0.72, 0.10, 250), (0.95, 0.0, 180), (0.72, 0.13, 35), (0.45, 0.17, 28)),
}
_GAP = np.array([128, 128, 128], np.uint8)


@cache
def scale(name: str) -> Rgb:
    """[256, 3]: "depth" (far dark, near bright), "confidence", or "signed" (pale at the middle)."""
    anchors = np.array(_SCALES[name], np.float64)
    hue = np.unwrap(np.radians(anchors[:, 2]))
    lab = np.stack([anchors[:, 0], anchors[:, 1] * np.cos(hue), anchors[:, 1] * np.sin(hue)], axis=-1)
    curve = np.polynomial.Polynomial.fit  # one polynomial through all anchors: kinks would show as false edges
    steps = np.linspace(0, len(lab) - 1, 256)
    path = [curve(np.arange(len(lab)), lab[:, axis], len(lab) - 1)(steps) for axis in range(3)]
    return _srgb_from_oklab(np.stack(path, axis=-1))


def coloured(values: NDArray[Any], low: float, high: float, name: str = "depth") -> Rgb:
    """[..., 3]: `low` … `high` along the scale, clipped; grey where there is no value."""
    with np.errstate(invalid="ignore"):
        levels = (np.asarray(values, np.float32) - low) * (255.0 / (high - low or 1.0))
    index = np.clip(np.nan_to_num(levels), 0, 255).astype(np.uint8)
    picture: Rgb = scale(name)[index]
    picture[~np.isfinite(levels)] = _GAP
    return picture


def shown_range(values: NDArray[Any]) -> tuple[float, float]:
    """The range of nearly all values, so that a few stray pixels do not reduce the contrast."""
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return 0.0, 1.0
    low, high = np.percentile(finite, (0.2, 99.8))
    return float(low), float(high)


def coloured_normals(normals: NDArray[Any]) -> Rgb:
    """Right is red, up is green, towards the camera is blue; grey where there is no normal."""
    finite = np.isfinite(normals)
    gaps = ~(finite[..., 0] & finite[..., 1] & finite[..., 2])  # numpy's `all` is slow over axes of three
    upward = np.asarray(normals, np.float32) * np.array([127.0, -127.0, -127.0], np.float32)
    upward += np.float32(128.0)
    upward[gaps] = 0.0
    picture: Rgb = np.clip(upward, 0, 255, out=upward).astype(np.uint8)
    picture[gaps] = _GAP
    return picture


def rgb8(image: NDArray[Any], white: float) -> Rgb:
    """Convert a stored image [N, M, C], C = 1 or 3, to [N, M, 3] of 8 bits."""
    if image.dtype == np.uint8 and white == 255:
        samples = image
    else:
        samples = np.clip(image.astype(np.float32) * (255.0 / white) + 0.5, 0, 255).astype(np.uint8)
    return np.ascontiguousarray(np.broadcast_to(samples, (*samples.shape[:2], 3)))


def linear_from_srgb(samples: Rgb) -> NDArray[np.float32]:
    """Convert display values 0 … 255 to linear light 0 … 1."""
    values = np.arange(256, dtype=np.float32) / 255
    table = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return table.astype(np.float32)[samples]


def _srgb_from_oklab(lab: NDArray[np.float64]) -> Rgb:
    lms = (
        lab
        @ np.array(
            [
                [1.0, 1.0, 1.0],
                [0.3963377774, -0.1055613458, -0.0894841775],
                [0.2158037573, -0.0638541728, -1.2914855480],
            ]
        )
    ) ** 3
    linear = lms @ np.array(
        [
            [4.0767416621, -1.2684380046, -0.0041960863],
            [-3.3077115913, 2.6097574011, -0.7034186147],
            [0.2309699292, -0.3413193965, 1.7076147010],
        ]
    )
    linear = np.clip(linear, 0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.asarray(np.round(encoded * 255), np.uint8)
