"""Differential fuzzer: the same light field, written by many hands, must give the same samples or a refusal.

    python -m tests.differential --inputs 20000 --seed 1

Writers are independent of our readers: Pillow, tifffile, h5py, zarr, NumPy, and PNG and PPM written here byte by
byte. Each input is a random light field in a random form of a random format. Half of the inputs are then broken:
these may also give other samples where the format has no checksum over them, but never another shape unsaid.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr import IoadrError, read
from tests.differential_writers import WRITERS, Writer
from tests.fuzz_readers import broken

Views = NDArray[Any]
AS_STORED: dict[str, Any] = {"transpose": False, "flip_rows": False, "flip_columns": False, "dark": "keep"}
CHECKED = {"own_png": "*", "pillow_png": "*", "npz": "*", "hdf5_checked": "*", "zarr_checked": "c/*"}
"""Formats with a checksum over the samples, and which of their files it covers: broken ones give the same samples or
a refusal."""

NOT_WRITTEN = "not written"
"""The writer has no such sample type; another input is tried."""


def random_views(chance: random.Random) -> Views:
    """[3, 3, N, M, C] of a random size and sample type, no two views alike."""
    numbers = np.random.default_rng(chance.randrange(2**32))
    shape = (3, 3, chance.randint(5, 17), chance.randint(6, 19), chance.choice((1, 3)))
    kind = chance.choice(("uint8", "uint8", "uint16", "float32"))
    if kind == "float32":
        return numbers.uniform(0.05, 1.0, shape).astype(np.float32)
    return numbers.integers(1, np.iinfo(kind).max, shape, dtype=kind, endpoint=True)


def samples(path: Path, options: dict[str, Any]) -> Views | None:
    """What our reader makes of it; None is a refusal."""
    try:
        return read(path, **AS_STORED, **options).views
    except IoadrError:
        return None


def alike(found: Views, expected: Views) -> bool:
    """The same samples; a grey picture may come back with three equal channels."""
    if found.shape[:4] != expected.shape[:4] or found.dtype.kind != expected.dtype.kind:
        return False
    return found.shape[4] in (expected.shape[4], 3) and np.array_equal(found, np.broadcast_to(expected, found.shape))


def tried(name: str, writer: Writer, views: Views, chance: random.Random, folder: Path) -> str:
    """What became of one input: same, refused, other (only broken), or a finding."""
    written = writer(folder, views, chance)
    if written is None:
        return NOT_WRITTEN
    path, options = written
    if chance.random() < 0.5:
        found = samples(path, options)
        return "refused" if found is None else "same" if alike(found, views) else "finding: other samples"
    files = [file for file in sorted(path.rglob("*")) if file.is_file()] if path.is_dir() else [path]
    file = chance.choice(files)
    file.write_bytes(broken(file.read_bytes(), chance))
    found = samples(path, options)
    if found is None:
        return "broken, refused"
    if alike(found, views):
        return "broken, same"
    checked = name in CHECKED and fnmatch(file.relative_to(path).as_posix(), CHECKED[name])
    return "finding: checksum ignored" if checked else "broken, other"


def main(arguments: list[str] | None = None, writers: dict[str, Writer] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    known = writers or WRITERS
    counts: dict[str, Counter[str]] = {name: Counter() for name in known}
    number, done = 0, 0
    while done < chosen.inputs:
        chance = random.Random(f"{chosen.seed}-{number}")
        name = chance.choice(sorted(known))
        folder = Path(tempfile.mkdtemp(prefix="ioadr-differential-"))
        try:
            outcome = _outcome(lambda: tried(name, known[name], random_views(chance), chance, folder))  # noqa: B023
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        number += 1
        if outcome == NOT_WRITTEN:
            continue
        done += 1
        counts[name][outcome] += 1
        if outcome.startswith("finding"):
            sys.stderr.write(f"{name}, input {number - 1} of seed {chosen.seed}: {outcome}\n")
    total = sum(counts.values(), Counter[str]())
    sys.stdout.write(json.dumps({"seed": chosen.seed, "total": total, **counts}) + "\n")
    return 1 if any(key.startswith("finding") for key in total) else 0


def _outcome(try_one: Callable[[], str]) -> str:
    try:
        return try_one()
    except Exception as error:
        return f"finding: {type(error).__name__}: {error}"


if __name__ == "__main__":
    sys.exit(main())
