"""Time and memory of a whole scene, as a user starts it; processor time, because other processes may run."""

from __future__ import annotations

import pytest

from ioadr.app.bench import processes

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.mark.parametrize(("name", "seconds", "megabytes"), [("paper", 20, 700), ("fast", 7, 700), ("best", 20, 900)])
def test_a_scene_takes_seconds_and_little_memory(shared, tmp_path, name, seconds, megabytes):
    scene = shared / "data" / "hci" / "dino"
    processes.ioadr("estimate", str(scene), "--out", str(tmp_path / "first"), "--preset", name, "--quiet")
    timed = processes.ioadr("estimate", str(scene), "--out", str(tmp_path / "second"), "--preset", name, "--quiet")
    assert timed.cpu < seconds
    assert timed.peak < megabytes * 1e6
