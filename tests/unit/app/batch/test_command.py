"""`ioadr batch` as a person calls it."""

from __future__ import annotations

import json
import sys

import pytest

from ioadr.app.batch import run
from ioadr.extras import install
from tests import explored
from tests.builders import write_hci_scene
from tests.unit.app.batch.conftest import batch, summary, write_scenes

QUICK = ("--no-report", "--save", "pfm", "--set", "search.sweeps=2", "--workers", 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--video", "--tiles"), "--video and tiles cannot be combined"),
        (("--every-view", "--video"), "--every-view cannot be combined with --video"),
        (("--every-view", "--save", "pfm"), "--every-view: needs npz among the formats of --save"),
        (("--scheduler", "tcp://127.0.0.1:1", "--workers", 2), "cannot be combined with --scheduler"),
        (("--align", "--video"), "--align needs whole light fields"),
        (("--align", "--tiles"), "--align needs whole light fields"),
        (("--memory", "much"), "--memory: expected a size such as 2G"),
        (("--save", "jpeg2000"), "--save: unknown format 'jpeg2000'"),
        (("--tiles", "--out", "memory://x"), "tiles need a folder that all workers can reach"),
        (("--workers", 0), "--workers"),
    ],
)
def test_options_that_do_not_make_sense_are_refused(cli, scene, tmp_path, options, message):
    result = cli("batch", scene, "--out", tmp_path / "out", *options)
    assert result.code == 2
    assert message in result.err
    assert not (tmp_path / "out").exists()


def test_a_scheduler_that_is_not_there(cli, scene, tmp_path, monkeypatch):
    monkeypatch.setattr("ioadr.app.batch.cluster.CONNECT_SECONDS", 0.5)
    result = cli("batch", scene, "--out", tmp_path / "out", "--scheduler", "tcp://127.0.0.1:1")
    assert result.code == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:1" in result.err
    assert "dask scheduler" in result.err


def test_without_the_library_the_extra_is_named(cli, scene, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.setattr(run, "machine_memory", lambda: 10**10)
    result = cli("batch", scene, "--out", tmp_path / "out")
    assert result.code == 2
    assert install("cluster") in result.err


def test_when_all_items_are_unusable_nothing_is_started(cli, scene, tmp_path, monkeypatch):
    (scene / "input_Cam004.png").unlink()
    monkeypatch.setattr(run, "local_team", lambda *_: pytest.fail("workers were started"))
    monkeypatch.setattr(run, "machine_memory", lambda: 10**10)
    result = cli("batch", scene, "--out", tmp_path / "out", "--json")
    assert result.code == 1
    [item] = json.loads(result.out)["items"]
    assert "input_Cam004.png" in item["reason"]


def test_results_are_kept_unless_told_otherwise(cli, tmp_path, threaded):
    scenes, out = write_scenes(tmp_path / "scenes", 2), tmp_path / "out"
    assert batch(scenes, "--out", out, *QUICK).returncode == 0
    before = (out / "lf0" / "item.json").stat().st_mtime_ns
    refused = cli("batch", scenes, "--out", out, *QUICK)
    assert refused.code == 2
    assert "holds an earlier batch. Add --resume" in refused.err
    assert (out / "lf0" / "item.json").stat().st_mtime_ns == before
    again = cli("batch", scenes, "--out", out, "--overwrite", "--json", *QUICK)
    assert json.loads(again.out)["counts"]["done"] == 2
    assert (out / "lf0" / "item.json").stat().st_mtime_ns > before


def test_results_can_go_to_a_url(cli, tmp_path, threaded):
    scenes, out = write_scenes(tmp_path / "scenes", 1), tmp_path / "out"
    done = cli("batch", f"file://{scenes}/lf*", "--out", f"file://{out}", *QUICK)
    assert done.code == 0, done.err
    assert (out / "lf0" / "disparity.pfm").is_file()
    assert (out / "index.html").is_file()
    again = cli("batch", f"file://{scenes}/lf*", "--out", f"file://{out}", "--resume", *QUICK)
    assert "1 from an earlier run" in again.out, again.err


@pytest.mark.slow
def test_strict_is_an_exit_code(cli, tmp_path, threaded):
    """Views in an order that contradicts the format, or one that does not fit: still done, named, and 3 with
    --strict; also when kept."""
    views = explored.larger()
    write_hci_scene(tmp_path / "scenes" / "right", views)
    write_hci_scene(tmp_path / "scenes" / "upside", views[::-1])
    twice = views.copy()
    twice[0, 4] = twice[4, 1]
    write_hci_scene(tmp_path / "scenes" / "twice", twice)
    given = "batch", tmp_path / "scenes", "--out", tmp_path / "out", "--preset", "fast", "--range", -1.8, 1.9, *QUICK
    assert cli(*given).code == 0
    strict = cli(*given, "--resume", "--strict")
    assert strict.code == 3
    assert "doubtful: upside: the order of views is contradicted" in strict.err
    assert "doubtful: twice: views that do not fit (--skip ROW,COL" in strict.err
    assert "doubtful: right" not in strict.err
    items = {item["name"]: item for item in summary(tmp_path / "out")["items"]}
    assert items["upside"]["facts"]["doubts"]
    assert not items["right"]["facts"]["doubts"]
    assert cli("batch", tmp_path / "scenes" / "right", *given[2:], "--resume", "--strict").code == 0
