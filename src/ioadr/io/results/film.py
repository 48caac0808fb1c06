"""Films and frames of rendered views: a folder of PNG pictures, or one animated file that Pillow writes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ioadr.colours import Rgb
from ioadr.errors import OutputError
from ioadr.io.safety.atomic import atomic_file, atomic_folder, check_folder

ANIMATED: dict[str, dict[str, Any]] = {
    ".webp": {"quality": 90, "method": 2},
    ".gif": {},
    ".png": {},
}
VIDEO = (".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v")


def check_film(path: str | os.PathLike[str], overwrite: bool) -> None:
    """Refuse an unusable target before anything is rendered."""
    target = Path(path)
    ending = target.suffix.lower()
    if ending in VIDEO:
        raise OutputError(
            f"{target}: ioadr brings no video encoder. Write NAME.webp, NAME.gif or NAME.png (animated), or a folder "
            f"of frames and encode it: `ffmpeg -i FRAMES/frame_%04d.png -pix_fmt yuv420p {target.name}`."
        )
    if ending in ANIMATED:
        if target.exists() and not overwrite:
            raise OutputError(f"{target}: exists already. Add ⟦overwrite⟧ to replace it, or choose another ⟦out⟧.")
        return
    check_folder(target, overwrite)
    if not overwrite and target.is_dir() and any(target.glob("frame_*.png")):
        raise OutputError(f"{target}: holds frames already. Add ⟦overwrite⟧ to replace them, or choose another ⟦out⟧.")


def write_film(path: str | os.PathLike[str], frames: Iterable[Rgb], rate: float, overwrite: bool = False) -> list[Path]:
    """Write pictures [H, W, 3] at `rate` frames per second, to one file or to a folder; all or none."""
    from PIL import Image

    target = Path(path)
    check_film(target, overwrite)
    ending = target.suffix.lower()
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
