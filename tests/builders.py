"""Small light fields with known disparities, and the files they may come from."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from ioadr import Camera, DisparityRange, LightField

WAVES = 12


def make_camera(width: int = 24, height: int = 20) -> Camera:
    """Numbers like the benchmark's."""
    return Camera(100.0, 35.0, 50.0, 8.0, width, height)


def make_views(
    grid: tuple[int, int] = (3, 3),
    size: tuple[int, int] = (20, 24),
    channels: int = 3,
    dtype: str = "uint8",
    disparity: float = 0.5,
    seed: int = 0,
) -> NDArray[Any]:
    """Views of one textured plane of constant disparity; texture is a sum of waves, so sub-pixel shifts are exact."""
    return _made_views(grid, size, channels, dtype, disparity, seed).copy()


@lru_cache(maxsize=64)
def _made_views(
    grid: tuple[int, int], size: tuple[int, int], channels: int, dtype: str, disparity: float, seed: int
) -> NDArray[Any]:
    random = np.random.default_rng(seed)
    frequency = random.uniform(-0.6, 0.6, (WAVES, 2))
    phase = random.uniform(0, 2 * np.pi, (WAVES, channels))
    rows, columns = grid
    step = np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"), axis=-1)
    pixel = np.stack(np.meshgrid(np.arange(size[0]), np.arange(size[1]), indexing="ij"), axis=-1)
    place = pixel + disparity * (step - np.array([rows // 2, columns // 2]))[:, :, None, None, :]
    waves = np.sin((place @ frequency.T)[..., None] + phase)
    bright = 0.5 + 0.45 * waves.sum(axis=-2) / WAVES**0.5 / 2
    bright = np.clip(bright, 0.0, 1.0)
    white = {"uint8": 255, "uint16": 65535}.get(dtype)
    return np.round(bright * white).astype(dtype) if white else bright.astype(dtype)


def make_lightfield(**options: Any) -> LightField:
    """`make_views` as a light field; options that it does not know go to `LightField`."""
    known = {
        name: options.pop(name)
        for name in ("grid", "size", "channels", "dtype", "disparity", "seed")
        if name in options
    }
    defaults: dict[str, Any] = {"range": DisparityRange(-1.0, 1.5, "file")}
    return LightField(make_views(**known), **(defaults | options))


def write_hci_scene(folder: Path, views: NDArray[Any] | None = None, **changes: str) -> Path:
    """A benchmark scene folder; `changes` replace lines of its parameters.cfg, an empty text leaves one out."""
    views = make_views() if views is None else views
    folder.mkdir(parents=True)
    flat = views.reshape(-1, *views.shape[2:])
    for index, view in enumerate(flat):
        save_png(folder / f"input_Cam{index:03d}.png", view)
    (folder / "parameters.cfg").write_text(scene_parameters(views.shape, changes), encoding="utf-8")
    return folder


def save_png(path: Path, image: NDArray[Any]) -> None:
    """[N, M, C] as PNG; 16 bits a colour are beyond Pillow."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = image[..., 0] if image.shape[-1] == 1 else image
    if image.dtype == np.uint16 and image.ndim == 3:
        imagecodecs = pytest.importorskip("imagecodecs")
        path.write_bytes(imagecodecs.png_encode(np.ascontiguousarray(image)))
    else:
        Image.fromarray(image).save(path, compress_level=1)  # quick: the files live for a moment


def scene_parameters(shape: tuple[int, ...], changes: dict[str, str]) -> str:
    """Text of a parameters.cfg."""
    rows, columns, height, width = shape[:4]
    sections: dict[str, dict[str, Any]] = {
        "intrinsics": {
            "focal_length_mm": 100.0,
            "image_resolution_x_px": width,
            "image_resolution_y_px": height,
            "sensor_size_mm": 35.0,
        },
        "extrinsics": {
            "num_cams_x": columns,
            "num_cams_y": rows,
            "baseline_mm": 50.0,
            "focus_distance_m": 8.0,
        },
        "meta": {"scene": "waves", "disp_min": -1.0, "disp_max": 1.5},
    }
    lines = []
    for section, values in sections.items():
        lines.append(f"[{section}]")
        lines += [f"{key} = {changes.get(key, value)}" for key, value in values.items() if changes.get(key) != ""]
    return "\n".join(lines) + "\n"
