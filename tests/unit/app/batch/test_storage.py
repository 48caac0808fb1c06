"""Light fields from URLs and results to URLs."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest

import ioadr
from ioadr import InputError, OutputError
from ioadr.app.batch.inputs import find_items
from ioadr.app.batch.storage import Store, fetched, input_fingerprint, is_url, matches
from ioadr.io import ReadOptions
from tests.builders import make_views, write_hci_scene

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def memory(tmp_path):
    """A scene in fsspec's memory, and the same on disk."""
    scene = write_hci_scene(tmp_path / "waves")
    system = fsspec.filesystem("memory")
    system.put(str(scene), "/captures/waves", recursive=True)
    yield "memory://captures/waves", scene
    system.rm("/", recursive=True)
    system.store.clear()


def zipped(tmp_path: Path, scene: Path) -> str:
    with zipfile.ZipFile(tmp_path / "scene.zip", "w") as archive:
        for file in scene.iterdir():
            archive.write(file, f"waves/{file.name}")
    return f"zip://waves::{tmp_path / 'scene.zip'}"


def test_what_is_a_url():
    assert is_url("s3://bucket/scene")
    assert is_url("zip://a::b.zip")
    assert not is_url("/data/scene")
    assert not is_url("C:\\data\\scene")


def test_a_light_field_is_fetched_for_a_while(memory, tmp_path):
    url, scene = memory
    expected = ioadr.read(scene).views
    for place in (url, zipped(tmp_path, scene)):
        with fetched(place) as path:
            assert np.array_equal(ioadr.read(path).views, expected)
        assert not path.exists()


def test_a_single_file_is_fetched(tmp_path):
    np.save(tmp_path / "views.npy", make_views())
    with fetched(f"file://{tmp_path / 'views.npy'}") as path:
        assert path.name == "views.npy"
        assert np.array_equal(np.load(path), make_views())


def test_fingerprints_follow_the_content(memory, tmp_path):
    url, scene = memory
    before = input_fingerprint(url)
    assert input_fingerprint(url) == before
    fsspec.filesystem("memory").pipe("/captures/waves/input_Cam004.png", b"other")
    assert input_fingerprint(url) != before
    local = input_fingerprint(str(scene))
    (scene / "parameters.cfg").touch()
    assert input_fingerprint(str(scene)) == local, "only the content counts"
    (scene / "parameters.cfg").write_text("other")
    assert input_fingerprint(str(scene)) != local


def test_a_manifest_stands_for_the_images_around_it(tmp_path):
    (tmp_path / "lightfield.toml").write_text("x = 1")
    (tmp_path / "a.png").write_bytes(b"one")
    before = input_fingerprint(str(tmp_path / "lightfield.toml"))
    (tmp_path / "a.png").write_bytes(b"two")
    assert input_fingerprint(str(tmp_path / "lightfield.toml")) != before


@pytest.mark.usefixtures("memory")
def test_patterns_of_urls():
    fsspec.filesystem("memory").pipe("/captures/other/x.png", b"x")
    assert [name.rpartition("/")[2] for name in matches("memory://captures/*")] == ["other", "waves"]
    items = find_items(["memory://captures/w*"], ReadOptions(), "out")
    assert [item.name for item in items] == ["waves"]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nosuch://x", "fsspec cannot open this URL"),
        ("memory://nothing/here", "cannot be read"),
    ],
)
def test_bad_urls_are_refused(url, message):
    with pytest.raises(InputError, match=message), fetched(url):
        pass
    with pytest.raises(InputError, match=message):
        input_fingerprint(url)


def test_a_zip_cannot_write_elsewhere(tmp_path):
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr("waves/../../evil.png", b"x")
        archive.writestr("waves/good.png", b"x")
    with pytest.raises(InputError), fetched(f"zip://waves::{tmp_path / 'evil.zip'}"):
        pass
    assert not list(tmp_path.parent.rglob("evil.png"))


def test_what_is_declared_too_large_is_not_fetched(memory, monkeypatch):
    monkeypatch.setenv("IOADR_MEMORY_LIMIT", "1k")
    with pytest.raises(InputError, match="the limit is 1 kB"), fetched(memory[0]):
        pass


@pytest.mark.parametrize("kind", ["folder", "memory"])
def test_results_are_stored(kind, tmp_path, memory):
    store = Store(str(tmp_path / "out") if kind == "folder" else "memory://results/batch")
    assert store.read("summary.json") is None
    assert not store.has("a/disparity.pfm")
    store.write({"summary.json": b"{}"})
    assert store.read("summary.json") == b"{}"
    with store.folder("a") as folder:
        folder.mkdir(parents=True)
        (folder / "disparity.pfm").write_bytes(b"map")
        (folder / "provenance.json").write_bytes(b"{}")
    assert store.has("a/disparity.pfm")
    assert store.read("a/provenance.json") == b"{}"


def test_results_at_a_url_are_marked_last(monkeypatch, memory):
    store = Store("memory://results/batch")
    written: list[str] = []
    opened = Store._open

    def noted(self: Store, name: str, mode: str) -> BinaryIO:
        written.append(name)
        return opened(self, name, mode)

    monkeypatch.setattr(Store, "_open", noted)
    with store.folder("a") as folder:
        folder.mkdir()
        for name in ("provenance.json", "z.pfm", "a.png"):
            (folder / name).write_bytes(b"x")
    assert written == ["a/a.png", "a/z.pfm", "a/provenance.json"]


def test_a_store_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="could not be written"):
        Store(f"file://{tmp_path / 'file'}").write({"a/b.txt": b"x"})
