"""Submissions to the benchmark: a zip of `disp_maps/<scene>.pfm` and `runtimes/<scene>.txt`."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from ioadr.errors import InputError, printable
from ioadr.io.results.map_files import StoredMap
from ioadr.io.results.pfm import decode_pfm, encode_pfm
from ioadr.io.safety.atomic import atomic_file
from ioadr.io.safety.doors import check_file, damage_explained

STRATIFIED = ("backgammon", "dots", "pyramids", "stripes")
TRAINING = ("boxes", "cotton", "dino", "sideboard")
TEST = ("bedroom", "bicycle", "herbs", "origami")
SCENES = STRATIFIED + TRAINING + TEST
SIZE = 512
MAPS, RUNTIMES = "disp_maps", "runtimes"
LARGEST_MAP = 16 << 20
LARGEST_RUNTIME = 1024
MOST_MEMBERS = 1000
EPOCH = (2020, 1, 1, 0, 0, 0)
"""Date of all members, so that the same maps make the same zip."""


def read_runtime(path: Path) -> float:
    """Seconds in the first line of a text file."""
    check_file(path, "a runtime")
    try:
        with path.open("rb") as stream:
            return parse_runtime(stream.read(LARGEST_RUNTIME), str(path))
    except OSError as error:
        raise InputError(f"{path}: cannot read the runtime: {error.strerror or error}.") from error


def parse_runtime(content: bytes, name: str) -> float:
    line = content.decode("utf-8", "replace").partition("\n")[0].strip()
    try:
        seconds = float(line)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds >= 0):
        raise InputError(f"{name}: expected the seconds as a number in the first line, found {line[:40]!r}.")
    return seconds


def write_submission(path: str | Path, maps: Mapping[str, StoredMap]) -> list[str]:
    """Write the zip and return its problems, as `check_submission` finds them (missing scenes, for example)."""
    with atomic_file(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        for scene, stored in maps.items():
            _add(archive, f"{MAPS}/{scene}.pfm", encode_pfm(stored.values))
            if stored.seconds is not None:
                _add(archive, f"{RUNTIMES}/{scene}.txt", f"{stored.seconds:.3f}\n".encode("ascii"))
    return check_submission(path)


def check_submission(path: str | Path) -> list[str]:
    """Problems for which the benchmark would refuse the zip, one sentence each; empty if it is valid."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: there is no such zip file. Make one with `ioadr submission`.")
    advice = "Make one with `ioadr submission`."
    with damage_explained(path, "a zip file", advice), zipfile.ZipFile(path) as archive:
        return [printable(problem) for problem in _problems(archive)]


def _problems(archive: zipfile.ZipFile) -> Iterator[str]:
    members = [item for item in archive.infolist() if not item.is_dir()]
    if len(members) > MOST_MEMBERS:
        yield f"expected {2 * len(SCENES)} files, found {len(members)}"
        return
    names = {item.filename for item in members}
    yield from _misplaced(names)
    for folder, ending, check in ((MAPS, "pfm", _check_map), (RUNTIMES, "txt", _check_runtime)):
        if not any(name.startswith(f"{folder}/") for name in names):
            yield f"{folder}/: this folder is missing at the root of the zip"
        for scene in SCENES:
            name = f"{folder}/{scene}.{ending}"
            if name not in names:
                yield f"{name}: this file is missing"
                continue
            try:
                check(archive, name)
            except InputError as error:
                yield str(error)


def _misplaced(names: Iterable[str]) -> Iterator[str]:
    wanted = {f"{MAPS}/{scene}.pfm" for scene in SCENES} | {f"{RUNTIMES}/{scene}.txt" for scene in SCENES}
    for name in sorted(set(names) - wanted):
        tail = "/".join(name.split("/")[-2:])
        if tail in wanted:
            yield f"{name}: {tail} belongs at the root of the zip, not in a folder. Move it up"
        elif not name.startswith("__MACOSX/") and not name.endswith(".DS_Store"):
            yield f"{name}: only {MAPS}/<scene>.pfm and {RUNTIMES}/<scene>.txt belong here. Remove it"


def _check_map(archive: zipfile.ZipFile, name: str) -> None:
    values = decode_pfm(_content(archive, name, LARGEST_MAP), name)
    if values.shape != (SIZE, SIZE):
        raise InputError(f"{name}: expected {SIZE}×{SIZE} px, found {values.shape[1]}×{values.shape[0]}")
    wrong = int(np.count_nonzero(~np.isfinite(values)))
    if wrong:
        raise InputError(f"{name}: {wrong} px are NaN or infinite")


def _check_runtime(archive: zipfile.ZipFile, name: str) -> None:
    parse_runtime(_content(archive, name, LARGEST_RUNTIME), name)


def _content(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    """Content of a member, at most `limit` bytes: its declared size may be false."""
    with damage_explained(name, "a readable member of the zip", "Make it again."), archive.open(name) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise InputError(f"{name}: larger than {limit} bytes")
    return content


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
