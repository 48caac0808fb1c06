"""CONTRIBUTING.md's format works as it is printed, in two files, and its cost term in three."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import ioadr.io.readers
from ioadr.io import registry
from tests.conftest import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
READER, TESTS, KERNEL = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
NUMBERS, PLACE = re.findall(r"^```diff\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
TERM = {"cost/focus.py": KERNEL, "parameters.py": NUMBERS, "cost/total.py": PLACE}

# Not compiled: that the numbers arrive is the same question, and answered sooner.
USE = """
import numpy as np
import ioadr
from ioadr.app.explorer.answers import adjustable
from ioadr.solver.explain import Explainer
from tests.builders import make_lightfield

lf = make_lightfield(grid=(3, 3), size=(10, 12))
small = {"search.sweeps": 1, "congruence.ramp": False, "congruence.half_width": 1, "data.occlusion_aware": False}
usual = ioadr.preset("paper").vary(small)
without, leaning = (ioadr.estimate(lf, usual.vary({"focus.weight": w})) for w in ("0", "1e6"))
assert list(leaning.costs) == ["data", "congruence", "planar", "focus", "accepted"]
assert not without.costs["focus"].any()
assert np.array_equal(leaning.costs["focus"], np.float32(1e6) * abs(leaning.disparity))
assert abs(leaning.disparity).mean() < abs(without.disparity).mean(), "towards the focus plane"
curve = Explainer(lf, leaning).explain(4, 5).curve
assert np.array_equal(curve.terms["focus"], np.float32(1e6) * abs(curve.disparities))
assert np.array_equal(curve.total, sum(curve.terms.values()))
assert {"focus.weight": 1e6}.items() <= {p["name"]: p["value"] for p in adjustable(leaning.parameters)}.items()
"""


@pytest.fixture
def checks(tmp_path, monkeypatch):
    """What the page's tests define, while its reader is a module of `ioadr.io.readers`."""
    (tmp_path / "readers").mkdir()
    (tmp_path / "readers" / "plain.py").write_text(READER, encoding="utf-8")
    (tmp_path / "test_plain.py").write_text(TESTS, encoding="utf-8")
    monkeypatch.setattr(ioadr.io.readers, "__path__", [*ioadr.io.readers.__path__, str(tmp_path / "readers")])
    registry.formats.cache_clear()
    yield SimpleNamespace(**runpy.run_path(str(tmp_path / "test_plain.py")))
    registry.formats.cache_clear()
    sys.modules.pop("ioadr.io.readers.plain", None)


@pytest.mark.parametrize("name", re.findall(r"^def (test_\w+)", TESTS, re.MULTILINE))
def test_the_format_of_the_page(checks, name, tmp_path):
    getattr(checks, name)(tmp_path)


def test_nonsense_in_its_header_is_refused(checks, tmp_path):
    (tmp_path / "a.plain").write_bytes(b"PLAIN three by four\n")
    with pytest.raises(checks.InputError, match="a line of sizes, then samples: invalid literal"):
        checks.read(tmp_path / "a.plain")


def test_its_code_is_in_our_format(tmp_path):
    for name, text in (("plain.py", READER), ("test_plain.py", TESTS), ("focus.py", KERNEL)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--check",
        "--config",
        str(ROOT / "pyproject.toml"),
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout


def patched(text: str, changes: str) -> str:
    """The text after a diff whose parts are separated by `@@`; each must find its place, and only one."""
    for part in changes.split("@@\n"):
        lines = part.splitlines(keepends=True)
        before, after = ("".join(line[1:] for line in lines if line[0] in kept) for kept in (" -", " +"))
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


@pytest.fixture
def with_term(tmp_path: Path) -> Path:
    """A copy of the package with the page's cost term."""
    package = tmp_path / "ioadr"
    shutil.copytree(Path(ioadr.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in TERM.items():
        path = package / name
        path.write_text(patched(path.read_text(encoding="utf-8"), text) if path.exists() else text, encoding="utf-8")
    return package


def test_the_term_of_the_page(with_term: Path) -> None:
    paths = os.pathsep.join([str(with_term.parent), str(ROOT)])
    environment = os.environ | {"PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "ignore", "-c", USE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, env=environment)
    assert done.returncode == 0, done.stderr


def test_the_lines_of_the_page_are_counted() -> None:
    lines = [line for text in (NUMBERS, PLACE) for line in text.splitlines() if line.startswith("+")]
    assert f"needs {len(lines) + len(KERNEL.splitlines())} lines in three files" in PAGE
