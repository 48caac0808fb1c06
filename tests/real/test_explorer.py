"""The explorer on a whole benchmark scene: what an answer costs, as CPU time, so that other processes do not count."""

from __future__ import annotations

import statistics
import time

import numpy as np
import pytest

import ioadr
from ioadr.evaluation.truth import load_truth
from tests import explored
from tests.browser import Watched, chromium
from tests.scenes import make_estimate

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

pytestmark = [pytest.mark.real, pytest.mark.browser, pytest.mark.slow]
CLICKS = 15


def test_a_click_answers_within_a_third_of_a_second(shared):
    from ioadr.app.explorer.study import Study

    scene = shared / "data" / "hci" / "cotton"
    lightfield, truth = ioadr.read(scene), load_truth(scene)
    estimate = make_estimate(truth.disparity, lightfield.camera, range=lightfield.range)
    study = Study(lightfield, estimate, truth)
    study.warm()
    with explored.explorer(study) as running, chromium() as browser:
        start = time.process_time()
        watched = Watched(browser, running.address)
        watched.page.locator("html[data-seen=true]").wait_for(state="attached")
        assert time.process_time() - start < 3, "the first picture"
        watched.page.locator("html[data-ready=true]").wait_for(state="attached")
        assert statistics.median(clicks(watched)) < 0.3
        assert watched.complaints == []


def clicks(watched: Watched) -> list[float]:
    """Seconds of CPU from request to drawn figures, for pixels all over the image."""
    seconds = []
    for row, column in np.random.default_rng(0).integers(0, 512, (CLICKS, 2)):
        begin = time.process_time()
        watched.page.evaluate(f"() => explorer.views.viewer.select({row}, {column})")
        watched.page.locator(f'html[data-answered="{row},{column}"]').wait_for(state="attached")
        seconds.append(time.process_time() - begin)
    return seconds
