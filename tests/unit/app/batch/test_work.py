"""What a worker does with an item, and what a later run makes of it."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ioadr
from ioadr import OutputError, preset
from ioadr.app.batch import earlier, work
from ioadr.app.batch.items import Item, Outcome, Settings
from ioadr.app.batch.storage import Store, input_fingerprint
from ioadr.io import ReadOptions
from ioadr.io.results.pfm import write_pfm
from tests.builders import make_views, write_hci_scene

QUICK = preset("paper").vary({"search.sweeps": 2})


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """With truth beside it."""
    folder = write_hci_scene(tmp_path / "waves", make_views(size=(40, 48), disparity=0.6))
    write_pfm(folder / "gt_disp_lowres.pfm", np.full((40, 48), 0.6, np.float32))
    return folder


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(str(tmp_path / "out"), QUICK, formats=("pfm",), report=False)


def done(item: Item, settings: Settings) -> Outcome:
    key = settings.key(item, input_fingerprint(item.path))
    return work.do_item(item, key, settings)


def kept(item: Item, settings: Settings) -> Outcome | None:
    key = settings.key(item, input_fingerprint(item.path))
    return earlier.earlier_outcome(Store(settings.out), item, key)


def test_an_item_becomes_a_folder(scene, settings):
    outcome = done(Item("a", str(scene)), replace(settings, report=True))
    folder = Path(settings.out) / "a"
    assert outcome.state == "done"
    assert set(outcome.seconds) == {"read", "estimate", "score", "save"}
    assert outcome.facts["size"] == [40, 48]
    assert 0 <= outcome.scores["badpix_007"] <= 100
    assert sorted(file.name for file in folder.iterdir()) == [
        *("depth.pfm", "disparity.pfm", "item.json", "provenance.json", "report.html", "thumbnail.jpg"),
    ]
    with Image.open(folder / "thumbnail.jpg") as picture:
        assert picture.size == (384, 160), "the view and its disparity side by side"
    record = Outcome.from_dict(json.loads((folder / "item.json").read_text()))
    assert record.scores == outcome.scores


def test_aligned_items_are_those_of_a_single_run(scene, settings):
    """And a result without alignment is not taken for one with it."""
    item, aligning = Item("a", str(scene)), replace(settings, align=True)
    assert settings.key(item, "x") != aligning.key(item, "x")
    outcome = done(item, aligning)
    assert "align" in outcome.seconds
    assert any("views aligned: shifts" in note for note in outcome.facts["notes"])
    single = ioadr.estimate(ioadr.align(ioadr.read(scene), threads=1).lightfield, QUICK)
    single.save(Path(settings.out) / "single", formats=["pfm"])
    name = "disparity.pfm"
    assert (Path(settings.out) / "a" / name).read_bytes() == (Path(settings.out) / "single" / name).read_bytes()


def test_the_result_is_that_of_a_single_run(scene, settings):
    done(Item("a", str(scene)), settings)
    single = ioadr.estimate(ioadr.read(scene), QUICK)
    single.save(Path(settings.out) / "single", formats=["pfm"])
    for name in ("disparity.pfm", "depth.pfm"):
        assert (Path(settings.out) / "a" / name).read_bytes() == (Path(settings.out) / "single" / name).read_bytes()


def test_every_view_is_written_and_is_another_item_than_the_reference_view_alone(scene, settings):
    item, alone = Item("a", str(scene)), replace(settings, formats=("npz",))
    every = replace(alone, every_view=True)
    assert done(item, every).state == "done"
    views, single = ioadr.load_views(Path(settings.out) / "a"), ioadr.estimate_views(ioadr.read(scene), QUICK)
    np.testing.assert_array_equal(views.disparity, single.disparity)
    assert kept(item, every) is not None
    assert kept(item, alone) is None, "a result without maps of all views is asked for anew, and the other way round"


@pytest.mark.parametrize("damage", ["cut", "one byte", "empty", "gone"])
def test_a_damaged_result_is_made_again(scene, settings, damage):
    item = Item("a", str(scene))
    done(item, settings)
    file = Path(settings.out) / "a" / "disparity.pfm"
    content = file.read_bytes()
    changed = {"cut": content[:-4], "one byte": content[:-1] + bytes([content[-1] ^ 1]), "empty": b""}
    file.write_bytes(changed[damage]) if damage in changed else file.unlink()
    assert kept(item, settings) is None
    file.write_bytes(content)
    assert kept(item, settings) is not None


def test_results_of_another_method_are_made_again(scene, settings, monkeypatch):
    """A changed kernel gives other maps although the version is the same."""
    item = Item("a", str(scene))
    done(item, settings)
    monkeypatch.setattr("ioadr.io.safety.fingerprint.method_digest", lambda: "another source")
    assert kept(item, settings) is None


def test_a_finished_item_is_kept_while_nothing_changed(scene, settings):
    item = Item("a", str(scene))
    assert kept(item, settings) is None
    outcome = done(item, settings)
    found = kept(item, settings)
    assert found is not None
    assert (found.state, found.scores) == ("kept", outcome.scores)
    for other in (
        replace(settings, seed=1),
        replace(settings, version="0.0.0"),
        replace(settings, formats=("pfm", "png")),
        replace(settings, report=True),
        replace(settings, parameters=QUICK.vary({"congruence.weight": 50})),
    ):
        assert kept(item, other) is None
    assert kept(replace(item, reading=ReadOptions(range=(-1, 1))), settings) is None
    os.utime(scene / "input_Cam000.png")
    assert kept(item, settings) is not None, "only the content counts"


def test_a_task_that_dask_repeats_is_not_done_twice(scene, settings, monkeypatch):
    item, settings = Item("a", str(scene)), replace(settings, topic="run 1")
    first = done(item, settings)
    monkeypatch.setattr(ioadr, "estimate", lambda *_, **__: 1 / 0)
    again = done(item, settings)
    assert (again.state, again.scores) == ("done", first.scores)
    assert done(item, replace(settings, topic="run 2")).state == "failed", "another run does what it is told"


@pytest.mark.parametrize("name", ["disparity.pfm", "provenance.json", "item.json"])
def test_an_incomplete_item_is_done_again(scene, settings, name):
    item = Item("a", str(scene))
    done(item, settings)
    (Path(settings.out) / "a" / name).unlink()
    assert kept(item, settings) is None


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", "[" * 100_000, '{"name": 3}', '{"name":"a","path":"b","state":"done","key":[]}']
)
def test_a_damaged_record_is_no_record(scene, settings, content):
    item = Item("a", str(scene))
    done(item, settings)
    (Path(settings.out) / "a" / "item.json").write_text(content)
    assert kept(item, settings) is None


def test_a_changed_file_is_noticed(scene, settings):
    item = Item("a", str(scene))
    done(item, settings)
    Image.fromarray(np.zeros((40, 48, 3), np.uint8)).save(scene / "input_Cam000.png")
    assert kept(item, settings) is None


def test_what_cannot_be_read_fails_with_its_reason(scene, settings):
    (scene / "input_Cam004.png").write_bytes(b"no image")
    outcome = done(Item("a", str(scene)), settings)
    assert outcome.state == "failed"
    assert "input_Cam004.png" in outcome.reason
    assert not (Path(settings.out) / "a").exists()


def test_an_internal_error_keeps_its_details(scene, settings, monkeypatch):
    monkeypatch.setattr(ioadr, "estimate", lambda *_, **__: 1 / 0)
    outcome = done(Item("a", str(scene)), settings)
    assert outcome.state == "failed"
    assert "internal error (ZeroDivisionError: division by zero)" in outcome.reason
    assert "Traceback" in outcome.details


def test_a_worker_of_another_version_refuses(scene, settings):
    outcome = done(Item("a", str(scene)), replace(settings, version="99.0"))
    assert "the main process has 99.0" in outcome.reason


def test_too_little_memory_is_foreseen(scene, settings, monkeypatch):
    monkeypatch.setattr(work, "own_memory", lambda: 10**6)
    outcome = done(Item("a", str(scene)), settings)
    assert "needs about" in outcome.reason
    assert "--tiles" in outcome.reason


def test_truth_of_another_size_is_noted_and_not_used(scene, settings):
    outcome = done(Item("a", str(scene), ReadOptions(crop=(0, 0, 36, 40))), settings)
    assert outcome.state == "done"
    assert outcome.scores == {}
    assert any("truth not used" in note for note in outcome.facts["notes"])


def test_only_one_batch_at_a_time(tmp_path):
    store = Store(str(tmp_path / "out"))
    with (
        earlier.sole_owner(store),
        pytest.raises(OutputError, match="another batch is running there"),
        earlier.sole_owner(store),
    ):
        pass
    with earlier.sole_owner(store):
        pass


def test_leftovers_of_a_kill_are_removed(tmp_path):
    places = [
        tmp_path / "out" / ".ioadr-1",
        tmp_path / "out" / "a" / ".ioadr-2",
        tmp_path / "out" / "v" / "f" / ".ioadr-3",
    ]
    for place in places:
        place.mkdir(parents=True)
        (place / "disparity.pfm").write_text("half")
    (tmp_path / "out" / "a" / "depth.pfm").write_text("whole")
    with earlier.sole_owner(Store(str(tmp_path / "out"))):
        assert not any(place.exists() for place in places)
    assert (tmp_path / "out" / "a" / "depth.pfm").exists()


def test_earlier_results_are_not_touched_without_a_word(tmp_path):
    store, items = Store(str(tmp_path / "out")), [Item("a", "x")]
    earlier.check_store(store, items, again=False)
    (tmp_path / "out" / "a").mkdir(parents=True)
    (tmp_path / "out" / "a" / "provenance.json").write_text("{}")
    with pytest.raises(OutputError, match="--resume.*--overwrite"):
        earlier.check_store(store, items, again=False)
    earlier.check_store(store, items, again=True)
