"""Frames that start from the frame before."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ioadr import preset
from ioadr.app.batch.inputs import find_items
from ioadr.app.batch.items import Item, Outcome, Settings
from ioadr.app.batch.jobs import Lost, Task, video_job
from ioadr.app.batch.storage import Store
from ioadr.app.batch.video import flicker, gains, segments, video_keys
from ioadr.app.batch.work import do_item
from ioadr.io import ReadOptions
from tests.builders import make_views, write_hci_scene
from tests.unit.app.batch.conftest import summary

QUICK = preset("paper").vary({"search.sweeps": 4, "planar.first_sweep": 2, "search.warm_sweeps": 1})


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    """A plane that comes nearer, frame by frame."""
    for number in range(5):
        write_hci_scene(tmp_path / "walk" / f"f{number}", make_views(size=(40, 48), disparity=0.5 + 0.02 * number))
    return tmp_path / "walk"


def frames_of(walk: Path) -> list[Item]:
    return find_items([str(walk)], ReadOptions(), "out", video=True)


def test_every_nth_frame_starts_from_scratch(walk):
    items = frames_of(walk)
    assert [[frame.name for frame in s.frames] for s in segments(items, 2)] == [
        ["walk/f0", "walk/f1"],
        ["walk/f2", "walk/f3"],
        ["walk/f4"],
    ]
    other = [Item("b/x", "x", video="b")]
    assert [len(s.frames) for s in segments([*items, *other], 24)] == [5, 1]


def test_a_frame_depends_on_those_before_it(walk):
    settings = Settings("out", QUICK, warm=True)
    [segment] = segments(frames_of(walk), 24)
    prints = {frame.name: frame.name for frame in segment.frames}
    keys = video_keys(segment, settings, prints)
    changed = video_keys(segment, settings, prints | {"walk/f2": "another"})
    same = [name for name in keys if keys[name] == changed[name]]
    assert same == ["walk/f0", "walk/f1"]


def test_a_frame_starts_from_the_last_one_that_is_there():
    """After a failure the next frame starts from scratch; what is finished already is not done again."""
    frames = [Item(f"v/{n}", f"{n}", video="v") for n in range(5)]
    settings, record = Settings("out", QUICK, warm=True), list[Outcome]()
    job = video_job(frames, {frame.name: "k" for frame in frames}, {"v/0"}, settings, record.append)

    def ends(task: Task, state: str) -> Outcome | Lost:
        return Lost("gone") if state == "lost" else Outcome(task.name, "p", state)  # type: ignore[arg-type]

    starts, tasks = {}, next(job)
    for state in ("done", "lost", "done", "done"):
        [task] = tasks
        starts[task.name] = task.arguments[3]
        try:
            tasks = job.send([ends(task, state)])
        except StopIteration:
            break
    assert starts == {"v/1": "v/0", "v/2": "v/1", "v/3": None, "v/4": "v/3"}
    assert [outcome.state for outcome in record] == ["done", "failed", "done", "done"]


def test_flicker_counts_where_the_picture_stands_still(tmp_path):
    store = Store(str(tmp_path))
    image = np.zeros((4, 6, 3), np.uint8)
    moved = image.copy()
    moved[:, 3:] = 100
    for name, disparity, picture in (("a", 0.0, image), ("b", 0.5, moved)):
        values = np.full((4, 6), disparity, np.float32)
        values[:, 3:] = 7 * disparity
        (tmp_path / name).mkdir()
        np.savez(tmp_path / name / "frame.npz", disparity=values, image=picture)
    assert flicker(store, "a", "b") == pytest.approx(0.5)
    assert flicker(store, "a", "none") is None


def test_warm_frames_run_fewer_sweeps_and_tell_the_gain(walk, tmp_path):
    settings = Settings(str(tmp_path / "out"), QUICK, formats=("pfm",), report=False, warm=True)
    cut = segments(frames_of(walk), 24)
    outcomes, before = {}, None
    for frame in cut[0].frames:
        outcomes[frame.name] = do_item(frame, "key", settings, before)
        before = frame.name
    assert [outcome.facts["sweeps"] for outcome in outcomes.values()] == [4, 2, 2, 2, 2]
    [facts] = gains(cut, outcomes, settings)
    assert (facts["video"], facts["frames"], facts["from_scratch"]) == ("walk", 5, 1)
    assert facts["gain"] == pytest.approx(facts["seconds_from_scratch"] / facts["seconds_warm"], rel=0.02)
    assert 0 < facts["flicker_warm"] < 0.5


def test_a_video_on_the_command_line(cli, walk, tmp_path, threaded):
    out, quick = tmp_path / "out", ("--set", "search.sweeps=4", "--no-report", "--save", "pfm", "--workers", 1)
    done = cli("batch", walk, "--video", "--keyframes", 3, "--out", out, *quick)
    assert done.code == 0, done.err
    found = summary(out)
    assert [item["name"] for item in found["items"]] == [f"walk/f{number}" for number in range(5)]
    assert found["videos"][0]["from_scratch"] == 2
    assert (out / "walk" / "f3" / "disparity.pfm").is_file()
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "<h2>Videos</h2>" in page
    assert 'href="walk/f0/"' in page
    (walk / "f1" / "input_Cam000.png").write_bytes((walk / "f2" / "input_Cam000.png").read_bytes())
    again = cli("batch", walk, "--video", "--keyframes", 3, "--out", out, *quick, "--resume")
    assert again.code == 0, again.err
    states = {item["name"]: item["state"] for item in summary(out)["items"]}
    assert list(states.values()) == ["kept", "done", "done", "kept", "kept"]
    assert json.loads((out / "walk" / "f0" / "item.json").read_text())["video"] == "walk"
