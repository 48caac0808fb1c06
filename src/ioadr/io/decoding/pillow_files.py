"""Images decoded by Pillow: allowed formats and sizes only.

By default Pillow tries all formats it knows, some of them through external programs.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ioadr.errors import InputError
from ioadr.io.safety.doors import check_file, one_line
from ioadr.io.safety.limits import check_memory, check_packing

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "PPM", "WEBP")
BYTES = {"I": 4, "F": 4}
"""Bytes of a sample, by Pillow's mode; others have 1, or 2 if their name contains 16."""
PIXELS_A_BYTE = {"1": 8, "L": 8, "P": 8}
"""Largest number of pixels per byte of a file: masks are often stored with one bit per pixel."""


@contextmanager
def pillow_image(path: Path, expected: str = "an image", formats: Sequence[str] = FORMATS) -> Iterator[Image]:
    """The image, not yet decoded; its declared size fits into memory and into the file."""
    from PIL import Image, UnidentifiedImageError

    check_file(path, expected)
    try:
        with Image.open(path, formats=list(formats)) as image:
            sample = BYTES.get(image.mode, 2 if "16" in image.mode else 1)
            declared = image.height * image.width * len(image.getbands()) * sample
            check_memory(path, declared, f"an image of {image.width}×{image.height} px", "Give smaller images")
            check_packing(path, declared // PIXELS_A_BYTE.get(image.mode, 1), path.stat().st_size)
            yield image
    except UnidentifiedImageError as error:
        supported = f" in a supported format ({', '.join(formats)})" if len(formats) > 1 else ""
        raise InputError(f"{path}: not {expected}{supported}. Copy or export the file again.") from error
    except Image.DecompressionBombError as error:
        raise InputError(f"{path}: implausibly large: {one_line(error)}. Make it smaller, or split it.") from error


@contextmanager
def without_warnings() -> Iterator[None]:
    """Silence Pillow's warnings: errors and the memory limit replace them. Filters are global, not per thread."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"PIL\b")
        yield
