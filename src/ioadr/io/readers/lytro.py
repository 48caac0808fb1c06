"""Raw Lytro files: recognised, with advice on decoders."""

from __future__ import annotations

from pathlib import Path

from ioadr.errors import InputError
from ioadr.io.capture import Capture
from ioadr.io.options import ReadOptions
from ioadr.io.registry import Format
from ioadr.io.safety.doors import starts_with

MAGIC = b"\x89LFP\r\n\x1a\n"


def recognise(path: Path, options: ReadOptions) -> bool:
    return starts_with(path, MAGIC)


def open_file(path: Path, options: ReadOptions) -> Capture:
    raise InputError(
        f"{path}: a raw Lytro file. Decode it first: the Light Field Toolbox for MATLAB "
        "makes a .mat with LF, PlenoptiCam (pip install plenopticam) a folder of views, Lytro's Power Tools an "
        "_eslf.png; ioadr reads all three."
    )


FORMAT = Format("lytro", "raw Lytro file (.lfr, .lfp; must be decoded first)", recognise, open_file)
