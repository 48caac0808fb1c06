"""Fingerprints of the sources of docs/images: `make figures` stores them, a test compares.

    python -m tests.pictures SCRIPT

A picture is stale when its script, a value of a preset or the scores on the benchmark's scenes changed after it was
made. Comments and docstrings do not count.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from pathlib import Path

from ioadr.presets import PRESETS

ROOT = Path(__file__).resolve().parents[1]
NOTES = Path(__file__).with_suffix(".json")

METHOD = ["tests/real/golden.json"]
"""Scores of the method; pictures that depend on them also depend on all values of the presets."""
EXAMPLES = [path.stem.partition("_")[2] for path in sorted((ROOT / "examples").glob("[0-9]*.py"))]
CONCEPTS = ["border", "epi", "finish", "occlusion", "point_projection_image", "point_projection_plane"]
PICTURES = {
    "convention_figure": ["conventions.svg"],
    "concept_figures": [f"{name}.png" for name in CONCEPTS],
    "garbage_figures": ["garbage_maps.png", "garbage_sheet.png"],
    "gallery": [f"example_{name}.png" for name in EXAMPLES],
    "explorer_picture": ["explorer.png"],
    "readme_picture": ["readme.jpg"],
    "confidence_curve": ["sparsification.svg"],
}
"""By script."""
SOURCES = {
    "convention_figure": [],
    "concept_figures": METHOD,
    "garbage_figures": METHOD,
    "gallery": ["examples/*.py", *METHOD],
    "explorer_picture": ["src/ioadr/app/web/*", "src/ioadr/app/templates/explore.html.j2", *METHOD],
    "readme_picture": METHOD,
    "confidence_curve": ["src/ioadr/solver/trust_model.py", *METHOD],
}
"""Patterns of the files that its pictures depend on besides the script."""


def fingerprint(script: str) -> str:
    """Hash of the files that make the pictures of a script."""
    patterns = [f"scripts/{script}.py", *SOURCES[script]]
    whole = hashlib.sha256()
    for file in sorted(file for pattern in patterns for file in ROOT.glob(pattern)):
        whole.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + content(file))
    if METHOD[0] in patterns:
        values = {name: preset.to_dict() for name, preset in PRESETS.items()}
        whole.update(json.dumps(values, sort_keys=True).encode())
    return whole.hexdigest()[:16]


def content(file: Path) -> bytes:
    """A module without docstrings and lines of comments; the bytes of any other file."""
    if file.suffix != ".py":
        return file.read_bytes()
    text = file.read_text(encoding="utf-8")
    prose = {number for node in ast.walk(ast.parse(text)) for number in docstring_lines(node)}
    code = (line for number, line in enumerate(text.splitlines(), 1) if number not in prose)
    return "\n".join(line for line in code if line.strip() and not line.lstrip().startswith("#")).encode()


def docstring_lines(node: ast.AST) -> range:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return range(0)


def noted() -> dict[str, str]:
    """Stored fingerprints."""
    return dict(json.loads(NOTES.read_text(encoding="utf-8")))


def main(script: str) -> None:
    """Store the fingerprint of a script that has made its pictures."""
    notes = noted() | {script: fingerprint(script)}
    NOTES.write_text(json.dumps(notes, indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).stem)
