"""Where the project's parts come from: locked, hashed, of known licences, and tested with the oldest versions."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
ALLOWED = r"BSD|MIT|Apache|HPND|PSF|Python Software Foundation|ISC|MPL|Mozilla|0BSD|Unlicense|Zlib|CC0|CNRI"
"""Licences that let the package be used and passed on by anybody."""
UNNAMED = {"openexr": "BSD-3-Clause"}
"""Distributions that do not state their licence in their metadata, and what it is."""
TOOLS = {"codespell"}
"""Programs of any licence that are run on the project's files and never become part of it."""


def pinned(lock: Path) -> dict[str, set[str]]:
    """Versions by name."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", lock.read_text(), re.MULTILINE):
        found.setdefault(canonicalize_name(name), set()).add(version)
    return found


def declared(*extras: str) -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    texts = [*project["dependencies"], *(text for extra in extras for text in optional[extra])]
    return [Requirement(text) for text in texts if not text.startswith("ioadr[")]


def building() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [Requirement(text) for text in project["build-system"]["requires"]]


RUN = ("formats",)
ALL = ("formats", "exr", "cluster", "plot", "explore")


@pytest.mark.parametrize(("name", "extras"), [("run", RUN), ("dev", (*ALL, "dev")), ("oldest", ALL)])
def test_locks_name_everything_that_is_declared(name, extras):
    versions = pinned(ROOT / "requirements" / f"{name}.txt")
    for requirement in (*declared(*extras), *building()):
        found = versions.get(canonicalize_name(requirement.name))
        assert found, f"{requirement.name}: run `make lock`"
        assert all(requirement.specifier.contains(version) for version in found), requirement


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_locks_are_hashed_and_name_no_place(lock):
    text = lock.read_text()
    assert "://" not in text
    entries = re.split(r"\n(?=\S)", text.strip())
    assert len(entries) > 20 or lock.stem == "pip"
    assert all("--hash=sha256:" in entry for entry in entries)


def test_the_oldest_versions_are_the_lower_bounds():
    """As far as the oldest of one lets the oldest of the others in."""
    versions = pinned(ROOT / "requirements" / "oldest.txt")
    for requirement in (*declared(*ALL), *building()):
        (bound,) = [item.version for item in requirement.specifier if item.operator == ">="]
        (version,) = versions[canonicalize_name(requirement.name)]
        assert version.split(".")[: len(bound.split("."))] == bound.split("."), requirement


def test_licences():
    """Of all that is installed for the package and its tools."""
    wrong = {}
    for name in sorted(needed() - TOOLS):
        licence = UNNAMED.get(name) or licence_of(name)
        if not re.search(ALLOWED, licence):
            wrong[name] = licence[:80]
    assert not wrong


def needed() -> set[str]:
    """The package's dependencies, theirs, and so on, as far as they are installed."""
    found: set[str] = set()
    waiting = [canonicalize_name(requirement.name) for requirement in declared(*ALL, "dev")]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            requires = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        found.add(name)
        parsed = [Requirement(text) for text in requires]
        waiting += [canonicalize_name(r.name) for r in parsed if r.marker is None or r.marker.evaluate({"extra": ""})]
    assert len(found) > 10
    return found


def licence_of(name: str) -> str:
    about = metadata.metadata(name)
    stated = [text for key in ("License-Expression", "License") for text in about.get_all(key) or []]
    classified = [text for text in about.get_all("Classifier") or [] if text.startswith("License ::")]
    return " ".join([*stated, *classified])


EVENTS = [{"introduced": "0"}, {"fixed": "0.5"}, {"introduced": "0.9"}, {"fixed": "1.1"}]
ADVISORIES = {
    "named": {"package": {"name": "Alpha_Beta"}, "versions": ["1.0"]},
    "range": {"package": {"name": "gamma"}, "ranges": [{"type": "ECOSYSTEM", "events": EVENTS}]},
    "fixed": {"package": {"name": "delta"}, "ranges": [{"type": "ECOSYSTEM", "events": EVENTS}]},
    "others": {"package": {"name": "omega"}, "versions": ["1.0"]},
}


def audited(folder: Path, lock: str, withdrawn: str | None = None) -> subprocess.CompletedProcess[str]:
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        for name, affected in ADVISORIES.items():
            record = {"id": name, "summary": "breaks", "affected": [affected], "withdrawn": withdrawn}
            archive.writestr(f"{name}.json", json.dumps(record))
    (folder / "lock.txt").write_text(lock)
    command = [sys.executable, str(ROOT / "scripts/audit.py"), str(folder / "all.zip"), str(folder / "lock.txt")]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_known_weaknesses_are_found_without_a_network(tmp_path):
    lock = "".join(f"{name}==1.0 \\\n    --hash=sha256:00\n" for name in ("alpha-beta", "gamma", "sigma"))
    found = audited(tmp_path, lock + "delta==1.1 \\\n    --hash=sha256:00\n")
    assert found.returncode == 1
    assert found.stdout.splitlines() == [
        "alpha-beta 1.0 (lock): named breaks",
        "gamma 1.0 (lock): range breaks",
        "4 versions, 2 known vulnerabilities",
    ]
    assert audited(tmp_path, lock, withdrawn="2026-01-01T00:00:00Z").returncode == 0
    assert audited(tmp_path, "sigma==1.0 \\\n").stdout == "1 versions, 0 known vulnerabilities\n"


def test_an_audit_says_where_its_advisories_come_from():
    command = [sys.executable, str(ROOT / "scripts/audit.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "osv.dev" in done.stdout


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_only_read(path):
    text = path.read_text(encoding="utf-8")
    head = text.partition("\njobs:")[0]
    assert re.search(r"^permissions:\n  contents: read$", head, re.MULTILINE), "for all jobs, before them"
    assert not re.search(r"pip install|: write|pull_request_target", text), "by the lock, and with no more rights"
    used = re.findall(r"uses: *(\S+)", text)
    assert used
    assert all(re.search(r"@[0-9a-f]{40}$", action) for action in used), "what a tag names may change"


def test_who_to_tell():
    assert "Report" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")
