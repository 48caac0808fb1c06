"""Procedural materials, baked into periodic pictures with all their reductions.

A texture is a continuous function of two surface coordinates: bilinear within a level, linear between levels.
Views sample that same function, so that a surface point has the same colour in each of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Colour = tuple[float, float, float]
Kind = Literal["noise", "checker", "stripes", "wood", "bricks", "marble", "speckle"]


@dataclass(frozen=True)
class Texture:
    """Appearance of a surface; colours are sRGB in 0 … 1."""

    kind: Kind
    first: Colour
    second: Colour
    period: float = 0.3
    """Size of the pattern's cell, in the unit of the surface coordinates (metres)."""
    grain: float = 0.25
    """Strength of the fine structure that covers the pattern at all scales, 0 … 1."""
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Baked:
    """Levels of [T, T, 3] linear light, each half the size of the one before."""

    levels: tuple[NDArray[np.float32], ...]
    texel: float
    """Metres per texel of the first level."""


@lru_cache(maxsize=64)
def bake(texture: Texture, texel: float, size: int) -> Baked:
    """Levels of a texture whose finest detail is about `texel` metres, on `size` (a power of two) texels a side."""
    cells = max(2, 2 * round(size * texel / texture.period / 2))
    side = cells * texture.period
    v, u = (np.mgrid[:size, :size] + 0.5) * (cells / size)
    random = np.random.default_rng([texture.seed, size])
    weight = np.clip(_PATTERNS[texture.kind](u, v, cells, random), 0.0, 1.0)[..., None]
    first, second = (to_linear(np.array(colour)) for colour in (texture.first, texture.second))
    grain = np.exp(texture.grain * fractal_noise(size, 1.0, random))[..., None]
    tone = fractal_noise(size, 1.2, random)
    tint = 1.0 + 0.25 * texture.grain * np.stack([np.roll(tone, i * size // 3, axis=1) for i in range(3)], axis=-1)
    albedo = np.clip((first + (second - first) * weight) * grain * tint, 0.0, 1.0)
    return Baked(tuple(_levels(albedo.astype(np.float32))), side / size)


def sample(baked: Baked, u: Floats, v: Floats, footprint: Floats) -> NDArray[np.float32]:
    """[P, 3] linear light at surface coordinates, smoothed to about `footprint` metres."""
    level = np.clip(np.log2(np.maximum(footprint / baked.texel, 1e-9)), 0.0, len(baked.levels) - 1.001)
    whole = level.astype(np.intp)
    share = (level - whole).astype(np.float32)[:, None]
    colour = np.empty((len(u), 3), np.float32)
    for index in range(int(whole.min(initial=0)), int(whole.max(initial=0)) + 1):
        chosen = np.flatnonzero(whole == index)
        if len(chosen):
            finer, coarser = (
                _bilinear(baked.levels[i], u[chosen], v[chosen], baked.texel * 2**i) for i in (index, index + 1)
            )
            colour[chosen] = finer + share[chosen] * (coarser - finer)
    return colour


def fractal_noise(size: int, exponent: float, random: np.random.Generator) -> Floats:
    """Periodic noise [size, size] of unit variance with amplitude 1/f^exponent: detail at all scales."""
    spectrum = np.fft.rfft2(random.standard_normal((size, size)))
    frequency = np.hypot(np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size)[None, :]) * size
    frequency[0, 0] = np.inf
    # Waves longer than an eighth of the tile would only show as its repetition.
    values = np.fft.irfft2(spectrum / np.maximum(frequency, 8.0) ** exponent, s=(size, size))
    return values / values.std()


def to_linear(colour: Floats) -> Floats:
    """sRGB to linear light, by the plain power that `to_srgb` inverts."""
    return np.power(colour, 2.2)


def to_srgb(light: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.power(np.clip(light, 0.0, 1.0), np.float32(1 / 2.2))


def _levels(picture: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    levels = [picture]
    while len(levels[-1]) > 2:
        fine = levels[-1]
        levels.append(0.25 * (fine[::2, ::2] + fine[1::2, ::2] + fine[::2, 1::2] + fine[1::2, 1::2]))
    return levels


def _bilinear(picture: NDArray[np.float32], u: Floats, v: Floats, texel: float) -> NDArray[np.float32]:
    size = len(picture)
    flat = picture.reshape(-1, 3)
    x, y = u / texel - 0.5, v / texel - 0.5
    left, top = np.floor(x), np.floor(y)
    a, b = (x - left).astype(np.float32)[:, None], (y - top).astype(np.float32)[:, None]
    columns = left.astype(np.intp) & (size - 1)
    rows = top.astype(np.intp) & (size - 1)
    right, below = (columns + 1) & (size - 1), ((rows + 1) & (size - 1)) * size
    rows *= size
    upper = flat[rows + columns] * (1 - a) + flat[rows + right] * a
    lower = flat[below + columns] * (1 - a) + flat[below + right] * a
    result: NDArray[np.float32] = upper + (lower - upper) * b
    return result


def _smooth_step(values: Floats, width: float) -> Floats:
    return np.clip(values / width + 0.5, 0.0, 1.0)


def _noise(u: Floats, v: Floats, cells: int, random: np.random.Generator) -> Floats:
    return 0.5 + 0.3 * fractal_noise(len(u), 1.1, random)


def _checker(u: Floats, v: Floats, cells: int, random: np.random.Generator) -> Floats:
    return (np.floor(u) + np.floor(v)) % 2


def _stripes(u: Floats, v: Floats, cells: int, random: np.random.Generator) -> Floats:
    return (v % 1.0 < 0.5).astype(np.float64)


def _wood(u: Floats, v: Floats, cells: int, random: np.random.Generator) -> Floats:
    """Planks along u, each with its own tone and rings stretched along it; dark joints between them."""
    plank = np.floor(v).astype(int) % cells
    tone = random.random(cells)[plank]
    size = len(u)
    bend = fractal_noise(size, 1.4, random)
    stretched = np.roll(bend[:, np.arange(size) // 8], size // 3, axis=0)
    rings = 0.5 + 0.5 * np.sin(2 * math.pi * (v * 4 + 1.3 * stretched + 9 * tone))
    joint = _smooth_step(np.abs(v % 1.0 - 0.5) - 0.47, 0.02)
    return (0.25 + 0.35 * tone + 0.3 * rings) * (1 - joint) + joint


def _bricks(u: Floats, v: Floats, cells: int, random: np.random.Generator) -> Floats:
    """Courses half a period high, every other one shifted; the second colour is the mortar."""
    course = np.floor(2 * v).astype(int)
    along = u + 0.5 * (course % 2)
    tone = random.random((2 * cells, cells))[course % (2 * cells), np.floor(along).astype(int) % cells]
    gap = np.maximum(np.abs(along % 1.0 - 0.5) - 0.46, 0.5 * (np.abs((2 * v) % 1.0 - 0.5) - 0.42))
    mortar = _smooth_step(gap, 0.02)
    return 0.3 * tone * (1 - mortar) + mortar


def _marble(u: Floats, v: Floats, cells: int, random: np.random.Generator) -> Floats:
    vein = np.abs(np.sin(math.pi * (u + v) + 1.6 * fractal_noise(len(u), 2.0, random)))
    return (1 - np.power(vein, 0.4)) * (0.6 + 0.3 * fractal_noise(len(u), 1.5, random))


def _speckle(u: Floats, v: Floats, cells: int, random: np.random.Generator) -> Floats:
    return _smooth_step(fractal_noise(len(u), 0.4, random) - 0.6, 0.6)


_PATTERNS = {
    "noise": _noise,
    "checker": _checker,
    "stripes": _stripes,
    "wood": _wood,
    "bricks": _bricks,
    "marble": _marble,
    "speckle": _speckle,
}
