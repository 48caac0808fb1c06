"""Files of OpenCV's FileStorage: YAML and JSON of mappings, lists, numbers, strings and matrices.

Only a part of YAML is read: indented mappings and lists, lists in brackets, plain and quoted strings.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from ioadr.io.safety.doors import damage_explained, small_text

MATRIX = {"rows", "cols", "data"}
ENTRY = re.compile(r"""("[^"]*"|'[^']*'|[^\s\[\]{},"'-][^:\[\]{},"']*+)\s*+:(?:\s+(.*)|$)""")
DEEPEST = 20


def read_storage(path: Path) -> Any:
    """The content of a file; matrices are arrays."""
    text = small_text(path, "a calibration in YAML or JSON", "Export it again.")
    with damage_explained(path, "a calibration in YAML or JSON", "Export it again."):
        return _matrices(json.loads(text) if path.suffix.lower() == ".json" else _yaml(text))


def _matrices(value: Any, depth: int = 0) -> Any:
    if depth > DEEPEST:
        raise ValueError("nested too deeply")
    if isinstance(value, dict):
        if set(value) >= MATRIX:
            rows, columns, data = int(value["rows"]), int(value["cols"]), np.asarray(value["data"], np.float64)
            if min(rows, columns) < 1 or data.shape != (rows * columns,):
                raise ValueError(f"a matrix of {rows}×{columns} with {data.size} numbers")
            return data.reshape(rows, columns)
        return {key: _matrices(item, depth + 1) for key, item in value.items()}
    return [_matrices(item, depth + 1) for item in value] if isinstance(value, list) else value


def _yaml(text: str) -> Any:
    lines: list[tuple[int, str]] = []
    pending: list[str] = []
    still_open = 0
    for raw in text.splitlines():
        line = re.sub(r"(^|\s)#.*$", "", raw).rstrip()
        if not pending and (not line.strip() or line.startswith(("%", "---", "..."))):
            continue
        pending.append(line)
        still_open += sum(line.count(bracket) for bracket in "[{") - sum(line.count(bracket) for bracket in "]}")
        # A list in brackets may go over several lines.
        if still_open <= 0:
            indent = len(pending[0]) - len(pending[0].lstrip(" "))
            lines.append((indent, " ".join(part.strip() for part in pending)))
            pending, still_open = [], 0
    if pending:
        raise ValueError("a bracket is not closed")
    value, rest = _block(lines, 0, lines[0][0] if lines else 0)
    if rest < len(lines):
        raise ValueError(f"cannot read {lines[rest][1]!r}")
    return value


def _block(lines: list[tuple[int, str]], at: int, indent: int, depth: int = 0) -> tuple[Any, int]:
    """The mapping or list that begins at a line, and the line after it."""
    if depth > DEEPEST:
        raise ValueError("nested too deeply")
    if at >= len(lines):
        return None, at
    items: list[Any] = []
    entries: dict[str, Any] = {}
    while at < len(lines) and lines[at][0] == indent:
        content = lines[at][1]
        if content == "-" or content.startswith("- "):
            inner = content[1:].strip()
            if not inner:
                value, at = _below(lines, at + 1, indent, depth)
            elif ENTRY.fullmatch(inner):
                # The first entry of a mapping stands beside the dash, the others below it.
                lines[at] = (indent + len(content) - len(inner), inner)
                value, at = _block(lines, at, lines[at][0], depth + 1)
            else:
                value, at = _scalar(inner), at + 1
            items.append(value)
            continue
        match = ENTRY.fullmatch(content)
        if match is None or items:
            raise ValueError(f"cannot read {content!r}")
        key, plain = match[1].strip("\"' "), re.sub(r"^![\w!-]+\s*", "", match[2] or "")
        if plain:
            entries[key], at = _scalar(plain), at + 1
        else:
            entries[key], at = _below(lines, at + 1, indent, depth)
    return (items or entries), at


def _below(lines: list[tuple[int, str]], at: int, indent: int, depth: int) -> tuple[Any, int]:
    """The block indented below a line; a list may have the indentation of its key."""
    if at < len(lines) and (lines[at][0] > indent or (lines[at][0] == indent and lines[at][1].startswith("-"))):
        return _block(lines, at, lines[at][0], depth + 1)
    return None, at


def _scalar(text: str) -> Any:
    text = re.sub(r"^![\w!-]+\s*", "", text.strip())
    if text.startswith("["):
        return json.loads(re.sub(r"(?<![\w.])([-+]?)(\d*)\.(\d*)", _json_number, text).replace("'", '"'))
    try:
        return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
    except ValueError:
        return text.strip("\"'")


def _json_number(match: re.Match[str]) -> str:
    """Numbers such as `1.` and `.5`, which OpenCV writes, in the syntax of JSON."""
    return f"{match[1].replace('+', '')}{match[2] or '0'}.{match[3] or '0'}"
