"""The pictures of docs/gallery.md: runs every example and keeps the picture that it saves.

python scripts/gallery.py [docs/images]
"""

from __future__ import annotations

import contextlib
import runpy
import sys
import tempfile
from pathlib import Path

import matplotlib
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 900
"""Largest width of a picture, px."""


def main(folder: Path = ROOT / "docs" / "images") -> None:
    matplotlib.use("agg")
    sys.argv = sys.argv[:1]
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        for example in sorted((ROOT / "examples").glob("[0-9]*.py")):
            runpy.run_path(str(example), run_name="__main__")
            name = example.stem.partition("_")[2]
            picture = Image.open(f"{name}.png").convert("RGB")
            picture.thumbnail((WIDTH, WIDTH), Image.Resampling.LANCZOS)
            picture.quantize(255, dither=Image.Dither.NONE).save(folder / f"example_{name}.png", optimize=True)


if __name__ == "__main__":
    main(*(Path(argument).resolve() for argument in sys.argv[1:2]))
