"""Mutation fuzzer for the readers: damaged files may be refused, and nothing else.

    python -m tests.fuzz_readers --seconds 60 --seed 1

Each file is broken in its header or anywhere and read. A read that succeeds is fine, an IoadrError is fine; any
other exception, a read of more than `HANG` seconds or memory beyond the limit is a finding, and the broken file is
kept. The process itself is the guard against crashes of the libraries below: run it as a separate process.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ioadr import IoadrError, estimate, preset, read
from tests import layouts, posed
from tests.builders import make_views
from tests.doors.measure import peak
from tests.messages import explains

HANG = 20
LIMIT = "60M"
INTERESTING = (0, 1, 0x7F, 0x80, 0xFF)
NUMBER = re.compile(rb"-?\d+(\.\d*)?(e-?\d+)?")
LARGE = (0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x10000, 0xFFFF, 2**40, 2**63 - 1)

Target = tuple[list[Path], Callable[[], object]]
"""The files that may be broken, and who reads them."""


def targets(folder: Path) -> dict[str, Target]:
    """Small light fields in all forms whose parsers see foreign bytes."""
    views = make_views(grid=(3, 3), size=(10, 12))
    found: dict[str, Target] = {}
    for layout in (layouts.hdf5, layouts.hdf5_old_archive, layouts.matlab_v5, layouts.matlab_v73, layouts.npy):
        path, options = layout(_new(folder, layout), views)
        found[layout.__name__] = [path], partial(read, path, **options)
    for layout in (layouts.npz, layouts.quilt):
        path, options = layout(_new(folder, layout), views)
        found[layout.__name__] = [path], partial(read, path, **options)
    for layout in (layouts.zarr_v3, layouts.zarr_v2_group, layouts.manifest, layouts.hci, layouts.tiff_folder):
        path, options = layout(_new(folder, layout), views)
        files = [file for file in sorted(path.rglob("*")) if file.is_file()]
        texts = [file for file in files if file.suffix in (".json", ".toml", ".cfg") or file.name.startswith(".z")]
        found[layout.__name__] = texts * 3 + files[-1:], partial(read, path, **options)
        if layout in (layouts.manifest, layouts.hci):
            found[f"{layout.__name__}, estimated"] = texts, partial(_estimated, path, **options)
    return found | _posed(folder)


def _posed(folder: Path) -> dict[str, Target]:
    """Photographs with poses; only what says where they were taken is broken, as their pictures are anywhere."""
    taken = posed.shots((20, 24), (3, 3))
    writers: dict[str, Callable[[Path], None]] = {
        "colmap": lambda place: posed.write_colmap(place / "sparse", taken.photographs, taken.points),
        "colmap_text": lambda place: posed.write_colmap(place / "sparse", taken.photographs, taken.points, False),
        "transforms": lambda place: posed.write_transforms(place, taken.photographs),
        "transforms_seeds": lambda place: _with_seeds(place, taken),
        "opencv_yaml": lambda place: _text(place / "images/calibration.yml", posed.opencv_yaml(taken.photographs)),
        "opencv_json": lambda place: _text(
            place / "images/calibration.json", json.dumps(posed.opencv_cameras(taken.photographs))
        ),
    }
    found: dict[str, Target] = {}
    for name, write in writers.items():
        posed.write_images(folder / name / "images", taken.photographs, taken.pictures)
        write(folder / name)
        files = [file for file in sorted((folder / name).rglob("*")) if file.is_file() and file.suffix != ".png"]
        where = folder / name / "images" if name.startswith("opencv") else folder / name
        found[name] = files, partial(read, where)
    return found


def _with_seeds(place: Path, taken: posed.Shots) -> None:
    """`transforms.json` that names a binary cloud of points."""
    posed.write_transforms(place, taken.photographs)
    content = json.loads((place / "transforms.json").read_text()) | {"ply_file_path": "seeds.ply"}
    _text(place / "transforms.json", json.dumps(content))
    lines = ["ply", "format binary_little_endian 1.0", f"element vertex {len(taken.points)}"]
    lines += [*(f"property float {axis}" for axis in "xyz"), "end_header", ""]
    (place / "seeds.ply").write_bytes("\n".join(lines).encode() + taken.points.astype("<f4").tobytes())


def _text(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")


def _new(folder: Path, layout: Callable[..., Any]) -> Path:
    (folder / layout.__name__).mkdir()
    return folder / layout.__name__


def _estimated(path: Path, **options: Any) -> None:
    """Cameras, positions and ranges that can be read can be worked with."""
    found = estimate(read(path, **options), preset("fast").vary({"search.sweeps": 1}))
    with tempfile.TemporaryDirectory() as folder:
        found.save(Path(folder) / "out", formats=["pfm", "png", "npz"])


def broken(data: bytes, chance: random.Random) -> bytes:
    """One to four changes, most of them in the first bytes, where headers are."""
    result = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        if not result:
            return b"\0"
        where = chance.randrange(min(len(result), chance.choice((16, 64, 256, 1024, len(result)))))
        chance.choice(CHANGES)(result, where, chance)
    return bytes(result)


def _byte(data: bytearray, where: int, chance: random.Random) -> None:
    data[where] = chance.choice((*INTERESTING, chance.randrange(256)))


def _number(data: bytearray, where: int, chance: random.Random) -> None:
    width = chance.choice((2, 4, 8))
    value = chance.choice(LARGE) % 256**width
    data[where : where + width] = value.to_bytes(width, chance.choice(("little", "big")))


def _digits(data: bytearray, where: int, chance: random.Random) -> None:
    """A number in a text becomes a huge or odd one."""
    places = [i for i, byte in enumerate(data[:4096]) if chr(byte).isdigit()]
    if places:
        where = chance.choice(places)
    data[where : where + 1] = chance.choice((b"99999999999", b"-1", b"0", b"1e308", b"nan", b'"x"', b"{}", b"[]"))


def _value(data: bytearray, where: int, chance: random.Random) -> None:
    """A number in a text becomes another."""
    numbers = [found.span() for found in NUMBER.finditer(data, 0, 4096)]
    if numbers:
        begin, end = chance.choice(numbers)
        data[begin:end] = chance.choice(
            (b"0", b"1", b"3.5", b"-1", b"100", b"1e4", b"1e-9", b"1e9", b"-1e300", b"1e-300")
        )


def _cut(data: bytearray, where: int, chance: random.Random) -> None:
    del data[where : where + chance.choice((1, 4, 64, len(data)))]


def _repeat(data: bytearray, where: int, chance: random.Random) -> None:
    data[where:where] = data[where : where + chance.choice((1, 8, 64))]


CHANGES = (_byte, _byte, _number, _number, _digits, _value, _value, _cut, _repeat)


def fuzz_one(name: str, target: Target, chance: random.Random, outcome: Counter[str], keep: Path) -> bool:
    """Whether the reader behaved."""
    files, door = target
    file = chance.choice(files)
    intact = file.read_bytes()
    damaged = broken(intact, chance)
    file.write_bytes(damaged)
    signal.alarm(HANG)
    try:
        door()
        outcome["read"] += 1
    except IoadrError as error:
        outcome["refused"] += 1
        if not explains(str(error)):
            return _found(name, file, damaged, keep, f"message: {error}")
    except BaseException:
        return _found(name, file, damaged, keep, traceback.format_exc())
    finally:
        signal.alarm(0)
        file.write_bytes(intact)
    return True


def _found(name: str, file: Path, damaged: bytes, keep: Path, text: str) -> bool:
    keep.mkdir(parents=True, exist_ok=True)
    kept = keep / f"{name}-{abs(hash(damaged)) % 10**8}-{file.name}"
    kept.write_bytes(damaged)
    sys.stderr.write(f"finding in {name}, kept as {kept}\n{text}\n")
    return False


def _hang(number: int, frame: Any) -> None:
    raise TimeoutError(f"it took more than {HANG} s")


def main(arguments: list[str] | None = None, targets: Callable[[Path], dict[str, Target]] = targets) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--inputs", type=int, default=None, help="so many instead")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz"))
    chosen = parser.parse_args(arguments)
    os.environ["IOADR_MEMORY_LIMIT"] = LIMIT
    signal.signal(signal.SIGALRM, _hang)
    warnings.simplefilter("ignore")
    seed = chosen.seed if chosen.seed is not None else random.SystemRandom().randrange(10**9)
    chance, outcome, findings = random.Random(seed), Counter[str](), 0
    folder = Path(tempfile.mkdtemp(prefix="ioadr-fuzz-"))
    try:
        found = targets(folder)
        for _, door in found.values():
            door()
        before, end = peak(), time.monotonic() + chosen.seconds
        while time.monotonic() < end if chosen.inputs is None else outcome.total() + findings < chosen.inputs:
            name = chance.choice(list(found))
            findings += not fuzz_one(name, found[name], chance, outcome, chosen.keep)
        growth = peak() - before
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.stdout.write(json.dumps({"seed": seed, **outcome, "findings": findings, "growth": growth}) + "\n")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
