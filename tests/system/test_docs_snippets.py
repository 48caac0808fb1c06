"""Commands and snippets of README and pages work as described, from a folder other than the data's.

The tutorial and the examples have separate tests; what needs a cluster or hours is only parsed.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import ioadr
from ioadr.app.cli import COMMANDS, group, run
from ioadr.evaluation import synthetic
from ioadr.evaluation.synthetic import random_light_field, write_scene
from ioadr.evaluation.truth import load_truth
from ioadr.io.exports import quilt
from ioadr.io.results.pfm import write_pfm
from tests.conftest import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`ioadr ([^`]+)`")
ELSEWHERE = {"tutorial.md": "test_docs_tutorial.py", "cluster.md": "needs SLURM", "releasing.md": "make targets"}
LONG = ("research", "benchmark")
"""Commands that are parsed, not run."""
SCENES = ("boxes", "cotton", "dino", "sideboard")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    for seed, name in enumerate(SCENES):
        write_scene(random_light_field(seed, "mixed", (36, 40), (3, 3)), folder / name)
    return folder


@pytest.fixture(scope="module")
def cotton(data: Path) -> ioadr.Estimate:
    return ioadr.estimate(data / "cotton", "fast")


@pytest.fixture
def place(data: Path, cotton: ioadr.Estimate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a reader would stand: scenes lie elsewhere, results of earlier pages are there."""
    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenes").symlink_to(data)
    cotton.save("out/cotton", report=False)
    truth = load_truth(data / "cotton").disparity
    write_pfm("cotton.pfm", truth)
    write_pfm("out/benchmark/maps/paper/cotton.pfm", truth)
    monkeypatch.setattr("ioadr.app.explorer.serving.serve", lambda *_: None)
    monkeypatch.setattr(synthetic, "demo", lambda **_: _tiny_demo())
    monkeypatch.setitem(quilt.SETTINGS, "portrait", replace(quilt.SETTINGS["portrait"], size=(840, 840)))
    return tmp_path


def _tiny_demo() -> synthetic.Rendered:
    return synthetic.render(synthetic.demo_scene(), synthetic.camera_for((48, 48), 2.05, 5.5, (-1.7, 1.8)), (3, 3))


def parsed(words: list[str]) -> None:
    """The command exists and takes these arguments."""
    command = group.get_command(click.Context(group), words[0])
    assert command is not None, words
    command.make_context(words[0], list(words[1:]))


def do(line: str) -> None:
    program, *words = shlex.split(line, comments=True)
    if program == "make":
        assert re.search(rf"^{words[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), line
    elif program == "ioadr" and words[0] in LONG:
        parsed(words)
    elif program == "ioadr":
        words += ["--overwrite"] if words[0] == "estimate" else ["--no-browser"] if words[0] == "explore" else []
        code = run(words)
        assert code == (1 if words[0] == "submission" else 0), f"{line}: {code}"  # a zip wants all twelve scenes
    else:
        assert program in ("for", "python"), line
        assert all((ROOT / word).is_file() for word in words if word.startswith("scripts/")), line


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in ELSEWHERE], ids=lambda page: page.name)
def test_blocks_run(page: Path, place: Path) -> None:
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    lightfield = ioadr.read("scenes/cotton") if blocks else None
    estimate = ioadr.load_estimate("out/cotton") if blocks else None
    names: dict[str, Any] = {"ioadr": ioadr, "np": np, "lightfield": lightfield, "estimate": estimate}
    for language, text in blocks:
        if language == "python":
            exec(text, names)
        else:
            for line in text.splitlines():
                do(line)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_in_the_text_exist(page: Path) -> None:
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for inline in INLINE.findall(text):
        name, *words = inline.split()
        if name not in COMMANDS:
            assert name in ("COMMAND", "--help", "…"), inline
            continue
        command = group.get_command(click.Context(group), name)
        assert command is not None
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        named = {re.split(r"[=\]]", word.strip("[]"))[0] for word in words if word.strip("[").startswith("--")}
        assert named <= known | {"--help"}, inline
