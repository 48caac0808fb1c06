"""The tutorial works as described: its blocks are run in order, in an empty folder."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ioadr.app.cli import COMMANDS, run
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_its_blocks_can_be_read() -> None:
    assert {language for language, _ in BLOCKS} == {"sh", "toml", "python"}
    for language, text in BLOCKS:
        if language == "python":
            compile(text, "tutorial.md", "exec")
        elif language == "toml":
            assert tomllib.loads(text)
        else:
            for line in text.splitlines():
                program, name, *_ = shlex.split(line, comments=True)
                assert program == "ioadr"
                assert name in COMMANDS, line


@pytest.mark.slow
def test_from_photos_to_metres(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for language, text in BLOCKS:
        if language == "python":
            exec(text, names)
        elif language == "toml":
            Path("photos/lightfield.toml").write_text(text, encoding="utf-8")
        else:
            for line in text.splitlines():
                program, *arguments = shlex.split(line, comments=True)
                assert program == "ioadr"
                assert run(arguments) == 0, line
    assert names["radius"] == pytest.approx(0.46, abs=0.035)
    assert names["distance"] == pytest.approx(3.83, abs=0.035)
    assert f"radius {names['radius']:.3f} m, centre {names['distance']:.2f} m away" in capsys.readouterr().out
    assert f"prints {names['radius']:.3f} m and {names['distance']:.2f} m" in PAGE
    assert len(names["points"]) == pytest.approx(0.8 * 240 * 200, abs=2)
    assert Path("out/photos/points.ply").is_file()
