"""What Windows does otherwise, emulated: names, paths, locks, files that are in use, consoles."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import numpy as np
import pytest

from ioadr import InputError, OutputError, read
from ioadr.app.batch.inputs import _named
from ioadr.app.batch.items import Item
from ioadr.io.file_pattern import FilePattern
from ioadr.io.safety.atomic import MARKER, atomic_folder
from ioadr.io.safety.leftovers import PREFIX
from tests.builders import make_views, write_hci_scene

DEVICES = ("CON", "prn", "aux.npz", "NUL", "com1", "LPT9.tar")
WITHOUT = """
import sys
sys.modules["fcntl"] = None
import warnings
warnings.simplefilter("ignore")
from ioadr.app.cli import run
sys.exit(run(sys.argv[1:]))
"""


def names(*paths: str) -> list[str]:
    return [item.name for item in _named([Item("", path) for path in paths])]


def test_folders_of_a_batch_have_names_that_windows_allows():
    strange = [*DEVICES, "a.", "a ", "a. . .", "x:y", 'q"<>|?*', "..", "trailing.", "long" * 200, "tab\there"]
    for name in names(*(f"/data/{text}" for text in strange)):
        assert name == name.rstrip(". ")
        assert not set(name) & set('<>:"/\\|?*\t')
        assert len(name) <= 110
        assert not PureWindowsPath(name).is_reserved()


def test_folders_of_a_batch_differ_in_more_than_case_and_numbers():
    """A name that looks like another's number is taken only once."""
    found = names("/a/LF", "/b/lf", "/c/Lf", "/a/LF", "/x/summary.json", "/x/index.html")
    assert len({name.lower() for name in found}) == 6
    items = [Item("a", "1"), Item("a", "2"), Item("a~2", "3"), Item("A", "4")]
    assert len({item.name.lower() for item in _named(items)}) == 4


@pytest.mark.parametrize(
    "text", ["..\\{index}.png", "C:\\{index}.png", "\\\\host\\{index}.png", "a\\..\\..\\{index}.png"]
)
def test_patterns_do_not_lead_out_by_the_other_slash(text):
    with pytest.raises(InputError, match="expected a file name in the folder"):
        FilePattern(text)


def test_views_whose_names_differ_in_case_only_are_refused(tmp_path):
    """Copied to Windows, one of them would be lost."""
    scene = write_hci_scene(tmp_path / "scene", make_views())
    (scene / "INPUT_CAM004.PNG").write_bytes((scene / "input_Cam004.png").read_bytes())
    if len(list(scene.glob("*.[pP][nN][gG]"))) > 9:
        with pytest.raises(InputError, match=r"for the same view 4: INPUT_CAM004\.PNG and input_Cam004\.png"):
            read(scene)


@pytest.mark.skipif(os.name == "nt", reason="there is none")
def test_files_are_written_whole_without_fcntl(tmp_path):
    """filelock then falls back to files that are locks by being there."""
    write_hci_scene(tmp_path / "scene", make_views())
    for target in ("lf.npz", "lf"):
        arguments = [sys.executable, "-c", WITHOUT, "convert", "scene", target]
        done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
    assert not list(tmp_path.rglob(f"{PREFIX}*"))
    with np.load(tmp_path / "lf.npz") as content:
        np.testing.assert_array_equal(content["views"], make_views())


def test_a_file_that_another_program_has_open_keeps_all_as_it_was(tmp_path, monkeypatch):
    """Windows moves no such file; the commit is undone and says so."""
    (tmp_path / "out").mkdir()
    for name in ("a.txt", "b.txt", MARKER):
        (tmp_path / "out" / name).write_text(f"old {name}")
    move = os.replace

    def windows(source, target):
        if Path(source) == tmp_path / "out" / "b.txt":
            raise PermissionError(13, "The process cannot access the file because it is being used", str(source))
        move(source, target)

    monkeypatch.setattr(os, "replace", windows)
    with (
        pytest.raises(OutputError, match=r"being used.*Nothing was changed"),
        atomic_folder(tmp_path / "out", overwrite=True) as staging,
    ):
        for name in ("a.txt", "b.txt", MARKER):
            (staging / name).write_text(f"new {name}")
    left = {file.name: file.read_text() for file in (tmp_path / "out").iterdir()}
    assert left == {name: f"old {name}" for name in ("a.txt", "b.txt", MARKER)}


def test_every_text_is_written_in_utf8_whatever_the_console_has(tmp_path):
    """A console with the encoding cp1252 of Western Windows, in a separate process."""
    scene = write_hci_scene(tmp_path / "Łódź η", make_views(size=(24, 28)))
    environment = os.environ | {"PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252:strict"}
    for arguments in (["doctor", str(scene), "--html", "page.html"], ["convert", str(scene), "copy"]):
        command = [sys.executable, "-m", "ioadr", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr
    assert "×" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="paths are shorter there")
def test_a_path_that_is_too_long_is_explained(tmp_path):
    write_hci_scene(tmp_path / "scene", make_views())
    target = tmp_path / "/".join(["x" * 200] * 25)
    command = [sys.executable, "-m", "ioadr", "convert", str(tmp_path / "scene"), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("ioadr: ")
