"""Photographs with known cameras and poses, from any calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.geometry.lens import Fisheye, Lens
from ioadr.io.decoding.images import SUFFIXES

Floats = NDArray[np.float64]
ROUNDING = 1e-4
"""Distance, px, by which a pixel may lie outside the image and still count as inside."""
MOST_SIDES, MOST_BENT, FARTHEST = 1e4, 1e6, 1e12
"""Largest plausible focal length and principal point (in image sides), lens coefficient, and distance from the
origin."""
PARALLEL = 3e-4
"""Smallest spread of lines, as a squared sine, for which their intersection is meaningful."""


@dataclass(frozen=True, eq=False)
class Photograph:
    """One image and its camera. Camera axes are x right, y down, z away; the middle of the first pixel is (0, 0)."""

    name: str
    file: Path | None
    """The image file; None if it is missing."""
    size: tuple[int, int]
    """Size (width, height), px, for which the camera was calibrated."""
    focal: tuple[float, float]
    """Focal length (x, y), px."""
    principal: tuple[float, float]
    """Principal point (x, y), px."""
    lens: Lens | Fisheye
    rotation: Floats
    """Rotation [3, 3] from world to camera."""
    translation: Floats
    """Translation [3] from world to camera."""
    upright: bool = False
    """Whether the camera belongs to the upright image (orientation tag applied), not to the stored one."""
    scale: float = 1.0
    """Size of the camera's image relative to the file: the image is reduced when it is read."""

    @property
    def centre(self) -> Floats:
        """Position [3] of the camera in the world."""
        return -self.rotation.T @ self.translation

    @property
    def gaze(self) -> Floats:
        """Unit vector [3] through the middle of the image, in the world; differs from the axis for a shifted sensor."""
        middle = np.array([0.5 * (self.size[0] - 1), 0.5 * (self.size[1] - 1)])
        ray = self.rotation.T @ self.rays(middle[None])[0]
        return np.asarray(ray / np.linalg.norm(ray))

    def rays(self, pixels: Floats) -> Floats:
        """Directions [P, 3] in camera axes, z = 1, of pixels [P, 2] (x, y)."""
        x, y = ((pixels[:, axis] - self.principal[axis]) / self.focal[axis] for axis in (0, 1))
        return np.stack([*self.lens.undistorted(x, y), np.ones(len(pixels))], axis=1)

    def pixels(self, rays: Floats) -> Floats:
        """Pixels […, 2] (x, y) that see directions […, 3] in camera axes; NaN if none does."""
        with np.errstate(all="ignore"):
            x, y = rays[..., 0] / rays[..., 2], rays[..., 1] / rays[..., 2]
            seen = (rays[..., 2] > 0) & (np.hypot(x, y) < self.lens.farthest)
            bent = self.lens.distorted(x, y)
        coordinates = [bent[axis] * self.focal[axis] + self.principal[axis] for axis in (0, 1)]
        return np.where(seen[..., None], np.stack(coordinates, axis=-1), np.nan)

    def holds(self, pixels: Floats) -> NDArray[np.bool_]:
        """Whether pixels […, 2] lie in the image."""
        return np.asarray(((pixels >= -ROUNDING) & (pixels <= np.array(self.size) - 1.0 + ROUNDING)).all(axis=-1))

    def reduced(self, scale: float) -> Photograph:
        """The photograph, to be read scaled by exactly this factor; partial pixels are dropped."""
        size = max(1, int(self.size[0] * scale + 1e-9)), max(1, int(self.size[1] * scale + 1e-9))
        return replace(self._scaled((scale, scale)), size=size, scale=self.scale * scale)

    def resized(self, size: tuple[int, int]) -> Photograph:
        """The photograph scaled to another size."""
        return replace(self._scaled((size[0] / self.size[0], size[1] / self.size[1])), size=size)

    def _scaled(self, factor: tuple[float, float]) -> Photograph:
        return replace(
            self,
            focal=(self.focal[0] * factor[0], self.focal[1] * factor[1]),
            principal=(
                (self.principal[0] + 0.5) * factor[0] - 0.5,
                (self.principal[1] + 0.5) * factor[1] - 0.5,
            ),
        )


@dataclass(frozen=True, eq=False)
class PosedPhotographs:
    """A set of calibrated photographs."""

    path: Path
    photographs: Sequence[Photograph]
    points: Floats = field(default_factory=lambda: np.empty((0, 3)))
    """Scene points [P, 3] in world coordinates; may be empty."""
    notes: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    """Photographs that cannot be used: name → reason."""
    upright: bool = False
    """Whether orientation tags apply, for images whose size does not determine it."""


def photograph(name: str, file: Path | None, numbers: Any, pose: tuple[Floats, Floats], path: Path) -> Photograph:
    """A photograph of (width, height, fx, fy, cx, cy, lens); implausible numbers are refused."""
    width, height, fx, fy, cx, cy, lens = numbers
    values = np.array([fx, fy, cx, cy, *lens, *pose[0].ravel(), *pose[1].ravel()], np.float64)
    turned = pose[0] @ pose[0].T
    proper = np.allclose(turned, np.eye(3), atol=1e-3) and np.linalg.det(pose[0]) > 0
    positive = np.isfinite(values).all() and fx > 0 and fy > 0 and width > 0 and height > 0
    if positive and not _plausible(numbers, pose[1]):
        raise InputError(
            f"{path}: the camera of {name} has implausible numbers: a focal length, principal point or distance of "
            "many times its image, or a distortion that no lens has. Correct it, or calibrate again."
        )
    if not (positive and proper):
        raise InputError(
            f"{path}: the camera of {name} is invalid: it needs positive focal lengths and sizes, finite numbers, and "
            "a rotation without scale or mirroring. Correct it, or calibrate again."
        )
    left, _, right = np.linalg.svd(pose[0])
    return Photograph(
        name,
        file,
        (int(width), int(height)),
        (float(fx), float(fy)),
        (float(cx), float(cy)),
        lens if isinstance(lens, Fisheye) else Lens(*map(float, lens)),
        left @ right,
        np.asarray(pose[1], np.float64).reshape(3),
    )


def _plausible(numbers: Any, translation: Floats) -> bool:
    """Whether the numbers of a camera are plausible; far beyond, arithmetic overflows."""
    width, height, fx, fy, cx, cy, lens = numbers
    side = max(width, height)
    focal = all(side / MOST_SIDES <= value <= side * MOST_SIDES for value in (fx, fy))
    principal = max(abs(cx), abs(cy)) <= side * MOST_SIDES
    return focal and principal and max(map(abs, lens)) <= MOST_BENT and bool(np.abs(translation).max() <= FARTHEST)


def meeting_point(origins: Floats, directions: Floats) -> Floats | None:
    """Point [3] nearest to all lines through origins [V, 3] along unit directions [V, 3]; None if they are parallel."""
    across = np.eye(3) - directions[:, :, None] * directions[:, None, :]
    mean = across.mean(axis=0)
    if np.linalg.eigvalsh(mean)[0] < PARALLEL:
        return None
    return np.asarray(np.linalg.solve(mean, (across @ origins[:, :, None]).mean(axis=0))[:, 0])


def inside(folder: Path, name: str, path: Path) -> Path | None:
    """The file of that name in a folder, None if missing; a name outside the folder is refused."""
    file = folder / name
    if not file.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{path}: names an image outside its folder, {name!r}. Move the image, or correct the name.")
    return file if file.is_file() else None


def image_inside(folder: Path, name: str, path: Path) -> Path | None:
    """The image of that name, or with another extension: some names have none, and images get converted."""
    exact = inside(folder, name, path)
    if exact is not None:
        return exact
    plain = PurePosixPath(name.replace("\\", "/"))
    stems = [plain.as_posix(), *([plain.with_suffix("").as_posix()] if plain.suffix else [])]
    tried = [stem + ending for stem in stems for ending in ("", *SUFFIXES, *(suffix.upper() for suffix in SUFFIXES))]
    return next((file for other in tried if (file := inside(folder, other, path)) is not None), None)
