"""The walls of the house: who may import whom, who may know the truth, how long things may be."""

from __future__ import annotations

import ast
import re
import statistics
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "ioadr"
FILES = sorted(PACKAGE.rglob("*.py"))

NOUNS = {"errors", "extras", "machine", "spilled", "parameters", "presets"}
NOUNS |= {"part", "camera", "layout", "lightfield", "tones", "way"}
METHOD = NOUNS | {"_jit", "_lanes", "geometry", "result"}

MAY_IMPORT = {
    "errors": set(),
    "extras": set(),
    "parameter_fields": {"errors"},
    "parameters": {"errors", "parameter_fields"},
    "presets": {"errors", "parameters"},
    "parameter_files": {"errors", "parameters", "presets"},
    "part": set(),
    "tones": {"errors", "part"},
    "way": set(),
    "camera": {"errors", "part"},
    "layout": {"errors"},
    "view_checks": {"errors", "part", "camera", "layout"},
    "lightfield": {"errors", "part", "camera", "layout", "tones", "view_checks"},
    "colours": set(),
    "_cache_folder": set(),
    "_kernel_cache": {"_cache_folder"},
    "machine": set(),
    "spilled": set(),
    "_compiler": {"_cache_folder", "_kernel_cache"},
    "_jit": {"errors", "machine", "_compiler", "_kernel_cache"},
    "_lanes": set(),
    "geometry": NOUNS | {"_jit", "_lanes"},
    "result": NOUNS | {"consistency", "geometry", "comparison", "labelled"},
    "comparison": NOUNS | {"result", "consistency"},
    "labelled": NOUNS | {"result"},
    "cost": METHOD,
    "solver": METHOD | {"cost"},
    "estimation": METHOD | {"cost", "solver", "parameter_files"},
    "alignment": METHOD | {"solver", "estimation", "consistency"},
    "views": METHOD | {"cost", "solver", "estimation", "parameter_files", "consistency"},
    "consistency": NOUNS,
    "io": NOUNS | {"result", "views", "colours", "consistency"},
    "evaluation": METHOD | {"parameter_files", "cost", "solver", "estimation", "views", "io", "colours", "consistency"},
    "app": METHOD
    | {
        "_cache_folder",
        "comparison",
        "parameter_files",
        "cost",
        "solver",
        "estimation",
        "alignment",
        "views",
        "io",
        "evaluation",
        "colours",
        "consistency",
    },
}
"""A room may import itself, the package's root (version and public names) and these."""

DOORS = {
    ("result", "io"): "Estimate.save is the method people look for; it calls io when it is called",
    ("result", "app"): "Estimate shows itself; how is decided when it is shown",
    ("lightfield", "app"): "LightField shows itself likewise",
    ("lightfield", "labelled"): "LightField.to_xarray is the method people look for",
    ("io", "geometry"): "posed photographs are undistorted and turned as they are read; geometry says how",
    ("io", "_jit"): "and that is compiled",
    ("estimation", "io"): "estimate takes a path as well, which it reads",
    ("views", "io"): "Views.save likewise; estimate_views takes a path as well",
    ("views", "app"): "Views.save writes the report, as Estimate.save does",
    ("parameters", "presets"): "Parameters print as the nearest preset and what differs from it",
    ("estimation", "app"): "estimate shows its progress where a person watches",
}
"""Imports against the rule, each with its reason."""

LONG_KERNELS = {"cost.linearised.robust_normal_equation"}
"""Kernels whose loop would read worse in pieces: `room.module.function`."""


def room(module: str) -> str:
    return module.split(".")[0]


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> Iterator[str]:
    """Modules of ioadr that a file imports anywhere, without the leading `ioadr.`."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: imports are written in full"
            found = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.removeprefix("ioadr.") for name in found if name.startswith("ioadr."))


def test_imports_point_one_way():
    against = [
        f"{name_of(path)} imports {imported}"
        for path in FILES
        for imported in imports(path)
        if not may_import(room(name_of(path)), room(imported))
    ]
    assert against == []


def may_import(own: str, target: str) -> bool:
    free = own in ("__init__", "__main__") or target not in MAY_IMPORT or target == own or (own, target) in DOORS
    return free or target in MAY_IMPORT[own]


def test_every_module_has_a_room():
    assert {room(name_of(path)) for path in FILES} - {"__init__", "__main__"} <= set(MAY_IMPORT)


def test_truth_stays_in_evaluation():
    below = [path for path in FILES if room(name_of(path)) not in ("evaluation", "app")]
    found = {(name_of(path), word) for path in below for word in words(path)}
    assert {item for item in found if re.search(r"(^|_)(gt|truth)(_|$)", item[1].lower())} == set()


def words(path: Path) -> Iterator[str]:
    """All names that a file defines or uses."""
    for node in ast.walk(tree(path)):
        for kind, field in ((ast.Name, "id"), (ast.Attribute, "attr"), (ast.arg, "arg")):
            if isinstance(node, kind):
                yield getattr(node, field)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name


def test_only_app_talks():
    """And the command line talks through app.terminal."""
    calls = [(path, node.func) for path in FILES for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
    assert [name_of(path) for path, call in calls if isinstance(call, ast.Name) and call.id == "print"] == []


def test_only_app_names_options():
    """A message for Python users must not name `--skip`: errors mark arguments (`ioadr.errors`), `app` words them."""
    below = [path for path in FILES if room(name_of(path)) not in ("app", "errors")]
    texts = [
        (name_of(path), node.value)
        for path in below
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    command = re.compile(r"`ioadr [^`]*`?")
    assert [text for text in texts if re.search(r"(^|[\s(`'])--[a-z]", command.sub("", text[1]))] == []


def functions() -> Iterator[tuple[str, int]]:
    """Name and length of every function, from `def` to its last line."""
    for path in FILES:
        for node in ast.walk(tree(path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                assert node.end_lineno is not None
                yield f"{name_of(path)}.{node.name}", node.end_lineno - node.lineno + 1


def test_functions_are_short():
    lengths = dict(functions())
    too_long = {name for name, length in lengths.items() if length > 60}
    assert too_long == LONG_KERNELS
    assert statistics.median(lengths.values()) <= 12
    assert statistics.quantiles(lengths.values(), n=10)[-1] <= 35


def code_lines(path: Path) -> int:
    """Number of lines without docstrings: a limit on these would be met by cutting documentation."""
    prose = {
        number
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    return len(path.read_text(encoding="utf-8").splitlines()) - len(prose)


def test_modules_are_short():
    lengths = {name_of(path): code_lines(path) for path in FILES}
    assert {name: length for name, length in lengths.items() if length > 320} == {}


def test_there_is_no_lumber_room():
    assert not {path.stem for path in FILES} & {"utils", "util", "helpers", "misc", "common", "tools"}


def test_interpreted_modules_of_the_solver_are_checked_strictly():
    """Only modules with kernels go without types (decision 1)."""
    project = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    strict = {
        module
        for override in project["tool"]["mypy"]["overrides"]
        if override.get("disallow_untyped_defs")
        for module in override["module"]
    }
    interpreted = {
        f"ioadr.{name_of(path)}"
        for path in sorted((PACKAGE / "solver").glob("[!_]*.py"))
        if not {"_jit.kernel", "_jit.task"} & set(imports(path))
    }
    assert strict == interpreted


def unlisted(page: str, modules: list[tuple[str, ...]]) -> list[str]:
    """Modules that the page's section of their room does not name; a folder may stand for modules of one kind."""
    sections = page.split("\n### ")[1:]
    rooms = {re.findall(r"\w+", part)[0]: set(re.findall(r"`(\w+)`", part)) for part in sections}
    return ["/".join(path) for path in modules if path[-1] not in rooms.get(path[0] if path[1:] else "Nouns", set())]


ONE_KIND = {("app", "commands"), ("io", "readers"), ("io", "exports")}
"""Folders whose modules are named after commands, formats and programs."""


def test_architecture_md_names_every_module():
    page = (PACKAGE.parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    paths = [file.relative_to(PACKAGE).with_suffix("").parts for file in FILES if not file.stem.startswith("__")]
    assert unlisted(page, [path for path in paths if path[:2] not in ONE_KIND]) == []
    assert unlisted(page, [("solver", "page"), ("unknown",), ("io", "sweep")]) == ["solver/page", "unknown", "io/sweep"]
