"""What a person names, and which items it becomes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ioadr import InputError
from ioadr.app.batch.inputs import find_items, natural
from ioadr.io import ReadOptions
from tests.builders import make_views, write_hci_scene

READING = ReadOptions()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two scenes, one of them deep, an array, things that are no light fields, and results of an earlier run."""
    base = tmp_path / "data"
    write_hci_scene(base / "b")
    write_hci_scene(base / "deep" / "er" / "a")
    np.save(base / "views.npy", make_views())
    (base / "notes.txt").write_text("nothing")
    (base / ".hidden").mkdir()
    np.save(base / ".hidden" / "x.npy", make_views())
    write_hci_scene(base / "out" / "a")
    (base / "old").mkdir()
    (base / "old" / "provenance.json").write_text("{}")
    np.save(base / "old" / "disparity.npy", np.zeros((3, 3, 4, 4)))
    return base


def names(*inputs: object, out: object = "elsewhere", video: bool = False) -> list[str]:
    return [item.name for item in find_items([str(text) for text in inputs], READING, str(out), video)]


def test_a_folder_stands_for_all_light_fields_in_it(data):
    assert names(data, out=data / "out") == ["b", "a", "views"]


def test_one_light_field_is_itself(data):
    [item] = find_items([str(data / "b")], READING, "out")
    assert (item.name, item.path, item.reading) == ("b", str(data / "b"), READING)


def test_patterns_in_natural_order(tmp_path):
    for number in (10, 9, 1):
        write_hci_scene(tmp_path / f"frame{number}")
    assert names(tmp_path / "frame*") == ["frame1", "frame9", "frame10"]
    assert natural("a10b2") > natural("a9b30")


def test_a_list_is_relative_to_itself_and_may_name_what_is_missing(data):
    (data / "list.txt").write_text(f"# captures\nb   # the first\n\n{data / 'views.npy'}\ndeep/*/a\ngone\n")
    items = find_items([str(data / "list.txt")], READING, "out")
    assert [item.name for item in items] == ["b", "views", "a", "gone"]
    assert [item.problem is None for item in items] == [True, True, True, False]
    assert "there is no such file or folder" in (items[3].problem or "")


def test_a_manifest_gives_names_and_options(data):
    text = '[[items]]\npath = "b"\nname = "../odd name"\nrange = [-1.0, 2.0]\n[[items]]\npath = "views.npy"\n'
    (data / "batch.toml").write_text(text)
    first, second = find_items([str(data / "batch.toml")], ReadOptions(every=2), "out")
    assert first.name == "odd_name"
    assert (first.reading.range, first.reading.every) == ((-1.0, 2.0), 2)
    assert (second.name, second.reading) == ("views", ReadOptions(every=2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("items = 3", r"expected tables \[\[items\]\], found int"),
        ("[[items]]\nname = 'x'", r"expected path \(and name\) as text in item 1"),
        ("[[items]]\npath = 'b'\nspeed = 3", r"item 1: reading: unknown option 'speed'\. .*Available: format, grid"),
        ("[[items]]\npath = 'b'\nrange = [2.0, 1.0]", r"item 1: disparity range"),
        ("[[items]]\npath = 'b'\nrange = 3", r"batch.toml: item 1"),
        ("items = [", "cannot be read as a TOML file"),
    ],
)
def test_bad_manifests_are_refused(data, text, message):
    (data / "batch.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        find_items([str(data / "batch.toml")], READING, "out")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00binary", b"x" * (10**7 + 1)])
def test_lists_that_are_none_are_refused(tmp_path, content):
    (tmp_path / "list.txt").write_bytes(content)
    with pytest.raises(InputError, match="a list of light fields"):
        find_items([str(tmp_path / "list.txt")], READING, "out")


def test_nothing_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="there is no such file or folder"):
        names(tmp_path / "none")
    with pytest.raises(InputError, match="neither a light field nor a folder of light fields"):
        names(tmp_path / "empty")
    with pytest.raises(InputError, match="no light field matches"):
        names(tmp_path / "*.nothing")


def test_names_differ_and_stay_inside_the_output_folder(tmp_path):
    for place in ("x/scene", "y/scene", "y/other"):
        write_hci_scene(tmp_path / place)
    assert names(tmp_path / "x/scene", tmp_path / "y") == ["x-scene", "y-other", "y-scene"]
    (tmp_path / "m.toml").write_text('[[items]]\npath="x/scene"\nname="a"\n[[items]]\npath="y/scene"\nname="A"\n')
    assert names(tmp_path / "m.toml") == ["a", "A~2"], "folders differ also where case does not count"
    (tmp_path / "n.toml").write_text('[[items]]\npath="x/scene"\nname="Summary.json"\n')
    assert names(tmp_path / "n.toml") == ["Summary.json~2"], "the batch's own files keep their names"
    assert names(tmp_path / "x/scene", tmp_path / "x/scene") == ["scene"], "named twice, done once"


def test_a_video_is_a_folder_of_frames(tmp_path):
    for number in (2, 10, 1):
        write_hci_scene(tmp_path / "walk" / f"f{number}")
    items = find_items([str(tmp_path / "walk")], READING, "out", video=True)
    assert [item.name for item in items] == ["walk/f1", "walk/f2", "walk/f10"]
    assert {item.video for item in items} == {"walk"}


def test_links_do_not_lead_in_circles(tmp_path):
    write_hci_scene(tmp_path / "data" / "a")
    (tmp_path / "data" / "loop").symlink_to(tmp_path / "data", target_is_directory=True)
    assert names(tmp_path / "data") == ["a"]
