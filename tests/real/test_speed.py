"""Time and memory of a whole scene, as a user starts it; processor time, because other processes may run."""

from __future__ import annotations

import time

import pytest

import ioadr
from ioadr.app.bench import processes

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.mark.parametrize(("name", "seconds", "megabytes"), [("paper", 20, 700), ("fast", 7, 700), ("best", 20, 900)])
def test_a_scene_takes_seconds_and_little_memory(shared, tmp_path, name, seconds, megabytes):
    scene = shared / "data" / "hci" / "dino"
    processes.ioadr("estimate", str(scene), "--out", str(tmp_path / "first"), "--preset", name, "--quiet")
    timed = processes.ioadr("estimate", str(scene), "--out", str(tmp_path / "second"), "--preset", name, "--quiet")
    assert timed.cpu < seconds
    assert timed.peak < megabytes * 1e6


def test_the_verdict_on_the_views_takes_less_than_a_third_of_a_second(shared):
    """On 9×9 views of 512×512 px: the order of views, and every single one of them."""
    lightfield = ioadr.read(shared / "data" / "hci" / "boxes")
    assert lightfield.views.shape[:4] == (9, 9, 512, 512)

    def seconds() -> float:
        start = time.process_time()
        ioadr.diagnose(lightfield)
        return time.process_time() - start

    assert min(seconds() for _ in range(5)) < 0.3
