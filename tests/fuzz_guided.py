"""Coverage-guided fuzzing of one door, by atheris (`pip install atheris`; Linux).

    python -m tests.fuzz_guided npz -runs=20000 -seed=1

It grows inputs that reach new lines of `ioadr`, which random damage (tests/fuzz_readers.py, tests/fuzz_doors.py) may
never do. Options after the name are libFuzzer's. Anything but success or an IoadrError ends it, and the input is kept.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["ioadr"]):
    from ioadr import IoadrError
    from tests import fuzz_doors, fuzz_readers


def main() -> None:
    os.environ["IOADR_MEMORY_LIMIT"] = fuzz_readers.LIMIT
    warnings.simplefilter("ignore")
    folder = Path(tempfile.mkdtemp(prefix="ioadr-guided-"))
    (folder / "doors").mkdir()
    found = fuzz_readers.targets(folder) | fuzz_doors.targets(folder / "doors")
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in found:
        sys.exit(f"name one of {', '.join(found)}")
    (file, *_), door = found[name]

    def attack(data: bytes) -> None:
        file.write_bytes(data)
        with suppress(IoadrError):
            door()

    seeds = folder / "seeds"
    seeds.mkdir()
    (seeds / "valid").write_bytes(file.read_bytes())
    atheris.Setup([sys.argv[0], *sys.argv[2:], str(seeds)], attack)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
