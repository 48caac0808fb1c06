"""After any failure, a folder holds all of the earlier results or all of the new ones."""

from __future__ import annotations

import errno
import json
import os
import time
from pathlib import Path

import pytest

from ioadr.errors import OutputError
from ioadr.io.safety.atomic import MARKER, atomic_file, atomic_folder, check_folder
from ioadr.io.safety.leftovers import EARLIER, JOURNAL, LOCK, PREFIX, recover

FAULTS = [
    OSError(errno.ENOSPC, "No space left on device"),
    KeyboardInterrupt(),
    RuntimeError("writer"),
]


ALL = ("a.txt", "b.txt")


def contents(folder: Path) -> dict[str, str]:
    return {str(f.relative_to(folder)): f.read_text() for f in sorted(folder.rglob("*")) if f.is_file()}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)


def earlier(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    write(
        folder,
        {"a.txt": "old a", "b.txt": "old b", MARKER: "{}", "mine.txt": "the user's"},
    )
    return folder


def test_file_appears_complete_and_alone(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "deep" / "a.txt") as name:
        assert name.suffix == ".txt"
        name.write_text("new")
        assert not (tmp_path / "deep" / "a.txt").exists()
    assert contents(tmp_path) == {"deep/a.txt": "new"}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: type(f).__name__)
def test_fault_leaves_the_earlier_file(tmp_path: Path, fault: BaseException) -> None:
    (tmp_path / "a.txt").write_text("old")
    expected = OutputError if isinstance(fault, OSError) else type(fault)
    with pytest.raises(expected), atomic_file(tmp_path / "a.txt") as name:
        name.write_text("half")
        raise fault
    assert contents(tmp_path) == {"a.txt": "old"}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: type(f).__name__)
@pytest.mark.parametrize("exists", [True, False])
def test_fault_while_writing_leaves_the_folder(tmp_path: Path, fault: BaseException, exists: bool) -> None:
    folder = earlier(tmp_path) if exists else tmp_path / "out"
    before = contents(tmp_path)
    expected = OutputError if isinstance(fault, OSError) else type(fault)
    with pytest.raises(expected), atomic_folder(folder, overwrite=True) as staging:
        write(staging, {"a.txt": "new a"})
        raise fault
    assert contents(tmp_path) == before
    assert [p.name for p in tmp_path.iterdir()] == (["out"] if exists else [])


@pytest.mark.parametrize("fault", FAULTS[:2], ids=lambda f: type(f).__name__)
@pytest.mark.parametrize("step", range(6))
def test_fault_at_any_move_restores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException, step: int
) -> None:
    """Three earlier files go aside and three new ones come in: six moves."""
    folder = earlier(tmp_path)
    (folder / "stale.txt").write_text("old stale")
    before = contents(folder)
    moves, replace = iter(range(100)), os.replace

    def failing(source: Path, target: Path) -> None:
        if next(moves) == step:
            raise fault
        replace(source, target)

    monkeypatch.setattr("ioadr.io.safety.leftovers.os.replace", failing)
    with (
        pytest.raises((OutputError, KeyboardInterrupt)),
        atomic_folder(folder, True, ["stale.txt"]) as staging,
    ):
        write(staging, {"a.txt": "new a", "c.txt": "new c", MARKER: "{1}"})
    assert contents(folder) == before


def test_set_replaces_set(tmp_path: Path) -> None:
    folder = earlier(tmp_path)
    with atomic_folder(folder, overwrite=True, replacing=["b.txt", "never.txt"]) as staging:
        write(staging, {"a.txt": "new a", MARKER: "{1}"})
        assert contents(folder)["a.txt"] == "old a"
    assert contents(folder) == {
        "a.txt": "new a",
        MARKER: "{1}",
        "mine.txt": "the user's",
    }


def test_new_folder_comes_whole(tmp_path: Path) -> None:
    with atomic_folder(tmp_path / "x" / "out") as staging:
        write(staging, {"a.txt": "a"})
        assert not (tmp_path / "x" / "out").exists()
    assert contents(tmp_path) == {"x/out/a.txt": "a"}


def test_check_folder_says_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="a file, not a folder"):
        check_folder(tmp_path / "file")
    with pytest.raises(OutputError, match="file is a file"):
        check_folder(tmp_path / "file" / "below")
    with pytest.raises(OutputError, match="overwrite=True"):
        check_folder(earlier(tmp_path))
    with pytest.raises(OutputError, match="name is empty"):
        check_folder("")
    assert check_folder(tmp_path / "out", overwrite=True) == tmp_path / "out"
    assert check_folder(tmp_path / "new" / "one") == tmp_path / "new" / "one"
    assert not (tmp_path / "new").exists()
    monkeypatch.setattr("ioadr.io.safety.atomic.os.access", lambda *_: False)
    with pytest.raises(OutputError, match="writable"):
        check_folder(tmp_path / "new")


def test_files_of_others_are_not_replaced_without_a_word(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "the user's"})
    with (
        pytest.raises(OutputError, match="already holds a.txt. Add overwrite="),
        atomic_folder(tmp_path, names=ALL),
    ):
        pass
    assert contents(tmp_path) == {"a.txt": "the user's"}
    with atomic_folder(tmp_path, overwrite=True, names=ALL) as staging:
        write(staging, {"a.txt": "new"})
    assert contents(tmp_path) == {"a.txt": "new"}


def killed_commit(folder: Path, names: list[str], moved: dict[str, str], waiting: dict[str, str]) -> Path:
    """A commit of `names` that a kill ended after it `moved` some of them; earlier files are `waiting`."""
    staging = folder / f"{PREFIX}dead"
    (staging / EARLIER).mkdir(parents=True)
    write(staging, {JOURNAL: json.dumps(names)} | {name: "new" for name in names if name not in moved})
    write(staging / EARLIER, waiting)
    write(folder, moved)
    os.utime(staging, (1e9, 1e9))
    return staging


def test_half_a_commit_is_undone_by_the_next_process(tmp_path: Path) -> None:
    killed_commit(tmp_path, ["a.txt", MARKER], {"a.txt": "new"}, {"a.txt": "old", MARKER: "{}"})
    recover(tmp_path)
    assert contents(tmp_path) == {"a.txt": "old", MARKER: "{}"}


def test_a_commit_that_only_missed_its_end_is_kept(tmp_path: Path) -> None:
    killed_commit(tmp_path, ["a.txt"], {"a.txt": "new"}, {"a.txt": "old"})
    recover(tmp_path)
    assert contents(tmp_path) == {"a.txt": "new"}


@pytest.mark.parametrize("name", ["../mine.txt", "/etc/hostname", ".."])
def test_a_journal_of_a_stranger_moves_nothing_of_mine(tmp_path: Path, name: str) -> None:
    received = tmp_path / "received"
    received.mkdir()
    write(tmp_path, {"mine.txt": "mine"})
    staging = killed_commit(received, ["a.txt"], {}, {})
    (staging / JOURNAL).write_text(json.dumps([name, "a.txt"]))
    os.utime(staging, (1e9, 1e9))
    recover(received)
    assert contents(tmp_path) == {"mine.txt": "mine"}


@pytest.mark.parametrize("linked", ["staging", EARLIER])
def test_links_of_a_stranger_are_not_followed(tmp_path: Path, linked: str) -> None:
    home, received = tmp_path / "home", tmp_path / "received"
    (home / EARLIER).mkdir(parents=True)
    received.mkdir()
    write(home, {JOURNAL: '["a.txt"]', "a.txt": "mine"})
    write(home / EARLIER, {"b.txt": "mine"})
    before = contents(home)
    if linked == "staging":
        (received / f"{PREFIX}dead").symlink_to(home)
    else:
        staging = killed_commit(received, ["a.txt"], {}, {})
        (staging / EARLIER).rmdir()
        (staging / EARLIER).symlink_to(home / EARLIER)
        os.utime(staging, (1e9, 1e9))
    recover(received)
    assert contents(home) == before


def test_two_at_once_do_not_replace_each_other(tmp_path: Path) -> None:
    """Both found the folder free; the second must not take the first one's result away."""
    with pytest.raises(OutputError, match="holds earlier results"), atomic_folder(tmp_path / "out") as second:
        write(second, {"a.txt": "second", MARKER: "{2}"})
        with atomic_folder(tmp_path / "out") as first:
            write(first, {"a.txt": "first", MARKER: "{1}"})
    assert contents(tmp_path) == {"out/a.txt": "first", f"out/{MARKER}": "{1}"}


def test_full_disk_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(OutputError, match="disk is full.*Nothing was changed") as caught,
        atomic_file(tmp_path / "a"),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert "free some space" in str(caught.value)
    assert caught.value.exit_code == 2


def leave(folder: Path, age: float) -> list[Path]:
    """A staging folder and its lock as a killed process leaves them."""
    staging = folder / f"{PREFIX}{age:.0f}"
    staging.mkdir()
    lock = staging.with_suffix(LOCK)
    lock.write_text("")
    for path in (lock, staging):
        os.utime(path, (time.time() - age,) * 2)
    return [lock, staging]


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    left = leave(tmp_path, 5)
    with atomic_file(tmp_path / "a.txt") as name:
        name.write_text("new")
    assert not any(path.exists() for path in left)
    assert contents(tmp_path) == {"a.txt": "new"}


def test_what_others_are_at_work_on_is_left_alone(tmp_path: Path) -> None:
    with atomic_folder(tmp_path / "mine") as mine, atomic_file(tmp_path / "mine.txt") as file:
        write(mine, {"a.txt": "a"})
        file.write_text("b")
        for path in (mine, mine.with_suffix(LOCK), file.parent, file.parent.with_suffix(LOCK)):
            os.utime(path, (1e9, 1e9))
        recover(tmp_path)
        assert (mine / "a.txt").exists()
        assert file.exists()
    assert contents(tmp_path) == {"mine/a.txt": "a", "mine.txt": "b"}


def test_without_locks_only_what_is_old_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("filelock._unix.fcntl.flock", no_locks)
    young, old = leave(tmp_path, 3600), leave(tmp_path, 2 * 86400)
    recover(tmp_path)
    assert all(path.exists() for path in young)
    assert not any(path.exists() for path in old)
    with atomic_file(tmp_path / "a.txt") as name:
        name.write_text("written nevertheless")
    assert (tmp_path / "a.txt").exists()


@pytest.mark.parametrize("failing", range(1, 7))
def test_folders_are_replaced_as_wholes_or_not_at_all(tmp_path, monkeypatch, failing):
    """Exports have folders. Whichever move fails, the earlier ones are back, with all that is in them."""
    folder = tmp_path / "out"
    for name in ("images/a.png", "images/stale.png", MARKER):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"earlier {name}")
    before, move, moves = contents(folder), os.replace, iter(range(1, 100))

    def replace(source, target):
        if next(moves) == failing:
            raise OSError(errno.EIO, "Input/output error")
        move(source, target)

    monkeypatch.setattr(os, "replace", replace)

    def export():
        with atomic_folder(folder, overwrite=True) as staging:
            (staging / "images").mkdir()
            write(staging, {"images/a.png": "new", MARKER: "new"})

    if failing <= 4:  # two to take away, two to bring
        with pytest.raises(OutputError, match="Nothing was changed"):
            export()
        assert contents(folder) == before
    else:
        export()
        assert contents(folder) == {"images/a.png": "new", MARKER: "new"}


def test_a_folder_does_not_give_way_to_a_file(tmp_path):
    (tmp_path / "out" / "a.txt").mkdir(parents=True)
    (tmp_path / "out" / "a.txt" / "dear.txt").write_text("kept")
    with pytest.raises(OutputError), atomic_folder(tmp_path / "out", overwrite=True) as staging:
        write(staging, {"a.txt": "new"})
    assert contents(tmp_path / "out") == {os.path.join("a.txt", "dear.txt"): "kept"}


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_that_leads_nowhere_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("nowhere")
    with pytest.raises(OutputError, match="out: a broken link"):
        check_folder(tmp_path / "out")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name here")
def test_a_device_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    """As root, `--html /dev/stdout` put a file in its place."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OutputError, match="a device or pipe, not a file"), atomic_file(pipe) as path:
        path.write_text("x")
    assert pipe.is_fifo()
    assert [file.name for file in tmp_path.iterdir()] == ["pipe"]
