"""Bad input at every door: refused in words, by the right code, for little memory; docs/reliability.md quotes it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.doors.cases import Case, Outcome, Request, ask, call, masked
from tests.doors.page import PAGE, all_cases, explorer, rewritten
from tests.messages import explains

ROOT = PAGE.parent.parent
ALLOWED = 200_000_000
"""Bytes over start-up that hostile files may cost."""
CASES = all_cases()


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Where each case's bad input is, and how it is given to `ioadr`."""
    base = tmp_path_factory.mktemp("doors").resolve()
    found = {}
    for number, case in enumerate(CASES):
        folder = base / str(number)
        folder.mkdir()
        found[case] = folder, case.make(folder)
    return found


@pytest.fixture(scope="module")
def outcomes(places) -> dict[Case, Outcome]:
    found = {}
    with explorer() as running:
        for case, (folder, made) in places.items():
            before = sorted(folder.rglob("*"))
            found[case] = ask(made, running) if isinstance(made, Request) else call(made, folder)
            assert sorted(folder.rglob("*")) == before, f"{case.name}: nothing is written"
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_input_is_refused_in_words(case, outcomes):
    outcome = outcomes[case]
    assert outcome.code == case.code, outcome.text
    assert "Traceback" not in outcome.text
    assert "Warning" not in outcome.text
    lines = outcome.text.splitlines()
    assert "Not Found" in outcome.text or explains(f"{lines[-1]}.")
    assert len(lines) == (2 if case.code == 1 else 1), "one paragraph; a list of problems has a heading"
    assert len(outcome.text) < 1200


def test_the_page_quotes_what_is_told(outcomes):
    page = PAGE.read_text(encoding="utf-8")
    assert masked(rewritten(page, outcomes)) == masked(page), "write it again: python -m tests.doors"
    assert f"| kinds of bad input, tables below | {len(CASES)} | 0 |" in page


def test_hostile_files_cost_little_memory(places, tmp_path):
    calls = [
        {"name": case.name, "arguments": made, "folder": str(folder)}
        for case, (folder, made) in places.items()
        if not isinstance(made, Request)
    ]
    (tmp_path / "calls.json").write_text(json.dumps(calls))
    command = [sys.executable, "-m", "tests.doors", "--measure", str(tmp_path / "calls.json")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert 0 < told["growth"] < ALLOWED, told


def test_every_reader_has_a_door():
    from ioadr.io.registry import formats

    doors = {case.door for case in CASES}
    named = {
        "manifest": "manifest lightfield.toml",
        "hci": "HCI folder, a view",
        "stanford": "Stanford folder, a view",
        "lytro": "raw Lytro file",
        "zarr": "Zarr, metadata",
        "matlab": "MATLAB v5",
        "hdf5": "HDF5",
        "numpy": "NumPy array",
        "mosaic": "mosaic",
        "folder": "folder of TIFF views, a view",
    }
    own = {path.stem.removeprefix("test_") for path in (ROOT / "tests" / "unit" / "io" / "readers").glob("test_*.py")}
    assert set(named) <= {found.name for found in formats()} <= set(named) | own, "a new format has a test of its own"
    assert set(named.values()) <= doors


def test_masked_hides_only_what_depends_on_libraries():
    text = "a.npy: cannot be read as a NumPy file: mmap length is greater. Save it again."
    assert masked(text) == "a.npy: cannot be read as a NumPy file: …. Save it again."
    assert masked("a: expected 3, found 4. Correct it.") == "a: expected 3, found 4. Correct it."
    text = "a.zarr: a file of 634 B cannot hold the 19.7 GB that its header declares. It is cut off or damaged."
    assert masked(text) == text.replace("634 B", "…")
