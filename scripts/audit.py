"""Known vulnerabilities of the versions pinned in requirements/, found without a network.

    python scripts/audit.py ADVISORIES [LOCK …]

ADVISORIES is a zip of records in the OSV format, such as all.zip of the ecosystem PyPI that osv.dev publishes. Ends
with 1 if a pinned version is vulnerable.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    if not arguments or not zipfile.is_zipfile(arguments[0]):
        print(f"audit: expected a zip of advisories, found {' '.join(arguments[:1]) or 'none'}.")
        print("Get all.zip of the ecosystem PyPI from osv.dev, and name it: make audit ADVISORIES=all.zip")
        return 2
    locks = [Path(name) for name in arguments[1:]] or sorted((ROOT / "requirements").glob("*.txt"))
    versions = {pair: lock.stem for lock in locks for pair in pinned(lock.read_text(encoding="utf-8"))}
    found = sorted(weaknesses(records(Path(arguments[0])), versions))
    for name, version, told in found:
        print(f"{name} {version} ({versions[name, version]}): {told}")
    print(f"{len(versions)} versions, {len(found)} known vulnerabilities")
    return 1 if found else 0


def pinned(lock: str) -> set[tuple[str, str]]:
    """Names and versions."""
    found = re.findall(r"^([\w.-]+)==([^\s;\\]+)", lock, re.MULTILINE)
    return {(canonicalize_name(name), version) for name, version in found}


def records(archive: Path) -> Iterator[Mapping[str, Any]]:
    with zipfile.ZipFile(archive) as file:
        for name in file.namelist():
            if name.endswith(".json"):
                yield json.loads(file.read(name))


def weaknesses(
    advisories: Iterable[Mapping[str, Any]], versions: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str, str]]:
    """Name and version of vulnerable packages, with the advisory."""
    by_name: dict[str, list[str]] = {}
    for name, version in versions:
        by_name.setdefault(name, []).append(version)
    for record in advisories:
        if record.get("withdrawn"):
            continue
        for affected in record.get("affected", ()):
            name = canonicalize_name(affected.get("package", {}).get("name", ""))
            for version in by_name.get(name, ()):
                if is_affected(version, affected):
                    yield name, version, f"{record['id']} {record.get('summary', '')}".strip()


def is_affected(version: str, affected: Mapping[str, Any]) -> bool:
    """By name, or within a range of versions."""
    if version in affected.get("versions", ()):
        return True
    ranges = [entry["events"] for entry in affected.get("ranges", ()) if entry.get("type") == "ECOSYSTEM"]
    return any(_within(Version(version), events) for events in ranges)


def _within(version: Version, events: Iterable[Mapping[str, str]]) -> bool:
    """An end that cannot be compared is none."""
    inside = False
    for event in events:
        kind, text = next(iter(event.items()))
        try:
            bound = Version(text)
        except InvalidVersion:
            inside = inside or kind == "introduced"
            continue
        if kind == "introduced" and version >= bound:
            inside = True
        elif (kind == "fixed" and version >= bound) or (kind == "last_affected" and version > bound):
            inside = False
    return inside


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
