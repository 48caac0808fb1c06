"""The project's own files agree with each other."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import ioadr

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_make_help_lists_every_command():
    listed = subprocess.run(["make", "-C", str(ROOT), "help"], capture_output=True, text=True, timeout=60, check=True)
    targets = re.findall(r"^\.PHONY: (.+)$", text("Makefile"), re.MULTILINE)
    assert set(targets) >= {"help", "setup", "demo", "test", "lint", "format", "clean"}
    for target in targets:
        assert re.search(rf"^  make {target} +\w", listed.stdout, re.MULTILINE), f"{target} has no ## explanation"


def test_links_between_pages_resolve():
    broken = [
        (page.name, link)
        for page in PAGES
        for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert broken == []


def test_every_dependency_has_its_reason():
    lines = text("pyproject.toml").partition("[project.scripts]")[0].splitlines()
    declared = [line for line in lines if re.match(r'  "[A-Za-z]', line) and "::" not in line]
    assert declared
    assert all("#" in line for line in declared)


def test_every_lint_exception_has_its_reason():
    ignored = text("pyproject.toml").partition("ignore = [")[2].partition("]")[0].strip().splitlines()
    assert ignored
    assert all("#" in line for line in ignored)


def test_extras_are_complete():
    extras = tomllib.loads(text("pyproject.toml"))["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    assert set(re.findall(r"[\w-]+", everything)) - {"ioadr"} == set(extras) - {"all", "dev"}


def test_the_citation_names_the_paper():
    assert "Iterative Occlusion-Aware Light Field Depth Estimation using 4D Geometrical Cues" in text("CITATION.cff")


def test_the_citation_and_the_changelog_name_this_version():
    cited = re.findall(r"^(?:version|date-released): (.+)$", text("CITATION.cff"), re.MULTILINE)
    assert re.findall(r"^## (\S+) \((.+)\)$", text("CHANGELOG.md"), re.MULTILINE)[0] == tuple(cited)
    assert cited[0] == ioadr.__version__


def test_the_workflow_may_only_read():
    workflow = text(".github/workflows/test.yml")
    assert re.findall(r"^permissions:\n((?:  .+\n)+)", workflow, re.MULTILINE) == ["  contents: read\n"]
    assert "write" not in workflow
    assert "secrets" not in workflow


def test_scripts_and_pictures_belong_together():
    """Every script of `scripts` is called by make, a page or a configuration."""
    callers = "".join(text(name) for name in ("Makefile", "mkdocs.yml"))
    assert not [path.name for path in (ROOT / "scripts").glob("*.py") if path.name not in callers]


def test_the_first_screen_of_the_readme_names_demo_and_test():
    before, _, block = text("README.md").partition("```sh\n")
    assert len(before.splitlines()) < 25
    assert re.findall(r"^make (\w+) +# \w", block.partition("```")[0], re.MULTILINE) == ["demo", "test"]


def test_the_readme_says_of_confidence_what_was_measured():
    rows = re.findall(r"^\| (\w+) \|(?:[^|]*\|){3} ([0-9.]+) % \|", text("docs/confidence.md"), re.MULTILINE)
    right = {scene: int(float(share)) for scene, share in rows}
    assert len(right) == 11
    polished = right.pop("machine")
    assert f"least {min(right.values())} % of the pixels with a confidence above 0.9" in text("README.md")
    assert f"except on polished metal ({polished} %)" in text("README.md")
