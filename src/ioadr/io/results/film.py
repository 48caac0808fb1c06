"""Videos of rendered views: a folder of PNG pictures, an animated file written by Pillow, or a video by OpenCV."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ioadr.colours import Rgb
from ioadr.errors import OutputError
from ioadr.extras import install
from ioadr.io.safety.atomic import atomic_file, atomic_folder, check_folder

ANIMATED: dict[str, dict[str, Any]] = {
    ".webp": {"quality": 90, "method": 2},
    ".gif": {},
    ".png": {},
}
ENCODED = {".mp4": "mp4v", ".webm": "VP90"}
"""Codecs of the wheels of OpenCV, whose FFmpeg is built without parts under the GPL: no H.264."""
FILE = re.compile(r"\.[a-z][a-z0-9]{2,3}")
"""Endings that name a file, such as .mov or .jpeg, and not a new folder."""


def check_film(path: str | os.PathLike[str], overwrite: bool) -> None:
    """Refuse an unusable target before anything is rendered."""
    target = Path(path)
    ending = target.suffix.lower()
    if FILE.fullmatch(ending) and ending not in ANIMATED.keys() | ENCODED.keys() and not target.is_dir():
        raise OutputError(
            f"{target}: cannot be written as {ending}. Write NAME.mp4, NAME.webm, NAME.webp, NAME.gif or "
            "NAME.png (animated), or a folder of frames; one of this name has to exist already."
        )
    if ending in ENCODED and find_spec("cv2") is None:
        raise OutputError(
            f"{target}: needs the package opencv-python-headless; NAME.webp, NAME.gif, NAME.png (animated) or a folder "
            f"of frames do not. {install('film')}"
        )
    if ending in ANIMATED or ending in ENCODED:
        check_folder(target.parent, overwrite=True)
        if target.is_dir():
            raise OutputError(f"{target}: a folder, not a file. Choose another ⟦out⟧.")
        if target.exists() and not overwrite:
            raise OutputError(f"{target}: already exists. Add ⟦overwrite⟧ to replace it, or choose another ⟦out⟧.")
        return
    check_folder(path, overwrite)
    if not overwrite and target.is_dir() and any(target.glob("frame_*.png")):
        raise OutputError(f"{target}: already holds frames. Add ⟦overwrite⟧ to replace them, or choose another ⟦out⟧.")


def write_film(path: str | os.PathLike[str], frames: Iterable[Rgb], rate: float, overwrite: bool = False) -> list[Path]:
    """Write pictures [H, W, 3] at `rate` frames per second, to one file or to a folder; all or none."""
    from PIL import Image

    target = Path(path)
    check_film(target, overwrite)
    ending = target.suffix.lower()
    if ending in ENCODED:
        with atomic_file(target) as temporary:
            _encode(temporary, frames, rate)
        return [target]
    if ending in ANIMATED:
        pictures: Iterator[Any] = (Image.fromarray(frame) for frame in frames)
        first = next(pictures)
        with atomic_file(target) as temporary:
            # Pillow looks at the frames of a PNG twice.
            rest = list(pictures) if ending == ".png" else pictures
            settings = {"save_all": True, "append_images": rest, "duration": round(1000 / rate), "loop": 0}
            first.save(temporary, format=ending[1:].upper(), **settings, **ANIMATED[ending])
        return [target]
    names = []
    earlier = [file.name for file in target.glob("frame_*.png")] if target.is_dir() else []
    with atomic_folder(target, overwrite, replacing=earlier) as staging:
        for number, frame in enumerate(frames):
            names.append(f"frame_{number:04d}.png")
            Image.fromarray(frame).save(staging / names[-1], compress_level=3)
    return [target / name for name in names]


def film_size(path: str | os.PathLike[str], size: tuple[int, int]) -> tuple[int, int]:
    """Height and width of pictures of a size in the file; encoders halve them, so odd ones grow by a row or column."""
    height, width = size
    return (height + height % 2, width + width % 2) if Path(path).suffix.lower() in ENCODED else size


def _encode(path: Path, frames: Iterable[Rgb], rate: float) -> None:
    """A video of the frames, of even size."""
    import cv2

    writer, count = None, 0
    for frame in frames:
        height, width = film_size(path, frame.shape[:2])
        even = np.pad(frame, ((0, height - len(frame)), (0, width - frame.shape[1]), (0, 0)), mode="edge")
        if writer is None:
            code = cv2.VideoWriter.fourcc(*ENCODED[path.suffix.lower()])
            with _silent():
                writer = cv2.VideoWriter(str(path), code, rate, (width, height))
        writer.write(np.ascontiguousarray(even[..., ::-1]))
        count += 1
    if writer is not None:
        writer.release()
    # OpenCV says nothing if it cannot write, as on a full disk.
    if _frames(path) != count:
        raise OutputError(
            f"{path.name}: OpenCV could not write all of it. If the disk is full, free some space; otherwise write "
            "NAME.webp or a folder of frames."
        )


@contextmanager
def _silent() -> Iterator[None]:
    """Discard what a library writes to standard error: OpenCV calls the codec of .webm unsupported, and writes it."""
    try:
        kept = os.dup(2)
    except OSError:  # there is none
        yield
        return
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _frames(path: Path) -> int:
    """Number of frames that can be read back."""
    import cv2

    film, count = cv2.VideoCapture(str(path)), 0
    while film.grab():
        count += 1
    return count
