"""CONTRIBUTING.md's format works as it is printed, in two files."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from types import SimpleNamespace

import pytest

from ioadr.io import registry
from tests.conftest import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
READER, TESTS, *_ = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def checks(tmp_path, monkeypatch):
    """What the page's tests define, while its reader is a module of `ioadr.io`."""
    import ioadr.io

    (tmp_path / "plain.py").write_text(READER, encoding="utf-8")
    (tmp_path / "test_plain.py").write_text(TESTS, encoding="utf-8")
    monkeypatch.setattr(ioadr.io, "__path__", [*ioadr.io.__path__, str(tmp_path)])
    registry.formats.cache_clear()
    yield SimpleNamespace(**runpy.run_path(str(tmp_path / "test_plain.py")))
    registry.formats.cache_clear()
    sys.modules.pop("ioadr.io.plain", None)


@pytest.mark.parametrize("name", re.findall(r"^def (test_\w+)", TESTS, re.MULTILINE))
def test_the_format_of_the_page(checks, name, tmp_path):
    getattr(checks, name)(tmp_path)


def test_nonsense_in_its_header_is_refused(checks, tmp_path):
    (tmp_path / "a.plain").write_bytes(b"PLAIN three by four\n")
    with pytest.raises(checks.InputError, match="a line of sizes, then samples, found: invalid literal"):
        checks.read(tmp_path / "a.plain")


def test_its_code_is_in_our_format(tmp_path):
    for name, text in (("plain.py", READER), ("test_plain.py", TESTS)):
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
