"""Ground truth of a scene: exact disparities, camera and regions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera, RayModel
from ioadr.errors import InputError
from ioadr.evaluation.metrics import interior
from ioadr.io.decoding.pillow_files import pillow_image, without_warnings
from ioadr.io.results.map_files import read_map
from ioadr.io.results.pfm import read_pfm
from ioadr.io.safety.doors import absent, damage_explained
from ioadr.io.scene_parameters import read_scene_parameters
from ioadr.lightfield import DisparityRange
from ioadr.part import Window

BORDER = 15
"""Width of the image's edge that is not scored, px (times `scale`)."""
HIGH_RESOLUTION = 10
LABELS = ("boxes", "dots_by_size", "vertical_bins")
"""Masks whose values are numbers of things; all others are yes or no."""

Resolution = Literal["lowres", "highres"]


@dataclass(frozen=True, eq=False)
class Truth:
    """Maps are [N, M] at `scale` times the size of the light field's views."""

    disparity: NDArray[np.floating[Any]]
    camera: Camera | None = None
    """None: normals are not scored."""
    masks: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """By the benchmark's names without `mask_`: "planes", "smooth_surfaces", "discontinuities", "fine", …"""
    name: str = "scene"
    range: DisparityRange | None = None
    border: int = BORDER
    scale: int = 1
    window: Window | None = None
    """The pixels of the camera's image that the maps show; None is all."""

    def __post_init__(self) -> None:
        shape = self.disparity.shape
        wrong = [f"mask {key} {mask.shape}" for key, mask in self.masks.items() if mask.shape != shape]
        if len(shape) != 2 or wrong:
            raise InputError(
                f"{self.name}: expected truth [height, width] and masks of the same size, "
                f"found truth {shape}{''.join(', ' + item for item in wrong)}."
            )
        if min(shape) <= 2 * self.border * self.scale:
            raise InputError(
                f"{self.name}: a truth of {shape[1]}×{shape[0]} px is too small: its border of "
                f"{self.border * self.scale} px is not scored."
            )

    def crop(self, window: Window) -> Truth:
        """The part inside `window`."""
        outer = self.window or Window(0, 0, 0, 0)
        return replace(
            self,
            disparity=self.disparity[window.slices],
            masks={name: mask[window.slices] for name, mask in self.masks.items()},
            window=window.moved(outer.top, outer.left),
        )

    @property
    def rays(self) -> RayModel | None:
        """The benchmark's geometry, in which normals are scored."""
        return None if self.camera is None else self.camera.benchmark(self.window)

    @property
    def area(self) -> NDArray[np.bool_]:
        """Pixels that are scored."""
        area = interior(self.disparity.shape, self.border * self.scale)
        area &= np.isfinite(self.disparity)
        return area

    def region(self, *names: str) -> NDArray[np.bool_] | None:
        """Scored pixels in any of the named masks; None if a mask is missing."""
        if any(name not in self.masks for name in names):
            return None
        inside = np.zeros(self.disparity.shape, bool)
        for name in names:
            inside |= self.masks[name].astype(bool)
        return inside & self.area


def load_truth(folder: str | Path, resolution: Resolution = "lowres") -> Truth:
    """Load the ground truth of a scene folder (`gt_disp_*.pfm`, `mask_*.png`, `parameters.cfg`), or of a single map."""
    folder = Path(folder)
    if folder.is_file() and resolution == "lowres":
        return Truth(read_map(folder).values, name=folder.name)
    if not folder.exists():
        raise absent(folder)
    parameters = read_scene_parameters(folder)
    path = folder / f"gt_disp_{resolution}.pfm"
    if not path.is_file():
        raise InputError(
            f"{folder}: the scene's ground truth {path.name} is missing. "
            "Give a scene that has one, such as the benchmark's training scenes."
        )
    scale = HIGH_RESOLUTION if resolution == "highres" else 1
    disparity = read_pfm(path)
    expected = (parameters.camera.height * scale, parameters.camera.width * scale)
    if disparity.shape != expected:
        raise InputError(f"{path}: expected {expected[1]}×{expected[0]} px, found {_size(disparity.shape)}.")
    masks = {}
    for file in sorted(folder.glob(f"mask_*_{resolution}.png")):
        name = file.name[len("mask_") : -len(f"_{resolution}.png")]
        masks[name] = _read_mask(file, disparity.shape, labels=name in LABELS)
    return Truth(disparity, parameters.camera, masks, folder.absolute().name, parameters.range, scale=scale)


def has_truth(folder: str | Path) -> bool:
    """Whether there is ground truth for `load_truth`."""
    return (Path(folder) / "gt_disp_lowres.pfm").is_file()


def _read_mask(path: Path, shape: tuple[int, ...], labels: bool) -> NDArray[Any]:
    with damage_explained(path, "a PNG mask"), without_warnings(), pillow_image(path, "a PNG mask", ["PNG"]) as image:
        if (image.height, image.width) != shape:
            raise InputError(f"{path}: expected a mask of {_size(shape)} px, found {image.width}×{image.height}.")
        values = np.asarray(image)
    values = values if values.ndim == 2 else values[..., 0]
    return values if labels else values > 0


def _size(shape: tuple[int, ...]) -> str:
    return f"{shape[1]}×{shape[0]}"
