"""Image headers, and the orientation of their samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError

ORIENTATION = 274
"""The tag of EXIF and TIFF."""


@dataclass(frozen=True)
class Header:
    """The header of an image file."""

    height: int
    width: int
    channels: int
    dtype: np.dtype[Any]
    orientation: int = 1
    """Orientation of EXIF and TIFF, 1 … 8: how the stored samples are rotated."""
    remarks: tuple[str, ...] = field(default=(), compare=False)
    """Remarks for the user on how the samples were converted."""

    def __str__(self) -> str:
        turned = f" (orientation {self.orientation})" if self.orientation != 1 else ""
        return f"{self.width}×{self.height} px, {self.channels} × {self.dtype}{turned}"

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.height, self.width, self.channels

    @property
    def nbytes(self) -> int:
        return self.height * self.width * self.channels * self.dtype.itemsize

    def upright(self) -> Header:
        """The header with the size of the upright image."""
        if self.orientation == 1:
            return self
        remark = f"images rotated according to their orientation tag ({self.orientation})"
        size = (self.width, self.height) if self.orientation > 4 else (self.height, self.width)
        return replace(self, height=size[0], width=size[1], remarks=(*self.remarks, remark))


Opened = tuple[Header, Callable[[], NDArray[Any]]]
"""A header, and how to get the samples [N, M, C] that it declares."""


def check_frames(path: Path, count: int) -> None:
    """Refuse animations and other files of several images, of which decoders read the first."""
    if count > 1:
        raise InputError(f"{path}: holds {count} images. Export each view as its own file.")


def valid_orientation(value: object) -> int:
    """An orientation 1 … 8; anything else, such as 0 for unknown, means upright."""
    return int(value) if isinstance(value, int | np.integer) and 1 <= value <= 8 else 1


def orientation_in(exif: Callable[[], Mapping[int, Any]]) -> tuple[int, tuple[str, ...]]:
    """Orientation from EXIF data, and a remark if they are damaged, which is common."""
    try:
        return valid_orientation(exif().get(ORIENTATION, 1)), ()
    except Exception:
        return 1, ("EXIF data cannot be read: images are used as stored",)


def turned(samples: NDArray[Any], orientation: int) -> NDArray[Any]:
    """Samples [N, M, C] as stored → upright."""
    if orientation > 4:
        samples = samples.swapaxes(0, 1)
    # After swapping, 5 … 8 are as 1, 2, 3 and 4 in another order.
    rows, columns = {2: (1, -1), 3: (-1, -1), 4: (-1, 1), 6: (1, -1), 7: (-1, -1), 8: (-1, 1)}.get(orientation, (1, 1))
    return samples[::rows, ::columns]
