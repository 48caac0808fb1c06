"""Published maps score what the benchmark published, to the printed digit."""

from __future__ import annotations

from pathlib import Path

import pytest

from ioadr.evaluation.scores import score
from ioadr.evaluation.truth import load_truth
from ioadr.io.results.pfm import read_pfm

pytestmark = pytest.mark.real

NAMES = ("mse", "badpix_007", "badpix_003", "badpix_001", "q25", "mae_planes")
PUBLISHED = {
    ("OACC-Net", "boxes"): (2.892, 10.697, 18.158, 43.479, 0.336, 9.716),
    ("OACC-Net", "cotton"): (0.162, 0.312, 0.829, 10.446, 0.133, 21.584),
    ("OACC-Net", "dino"): (0.083, 0.967, 2.874, 22.110, 0.213, 5.942),
    ("OACC-Net", "sideboard"): (0.542, 3.350, 8.065, 28.638, 0.244, 6.503),
    ("SPO", "boxes"): (9.107, 15.889, 29.526, 73.234, 0.941, 34.636),
    ("SPO", "cotton"): (1.313, 2.594, 13.708, 69.057, 0.857, 38.407),
    ("SPO", "dino"): (0.310, 2.184, 16.358, 69.879, 0.847, 20.152),
    ("SPO", "sideboard"): (1.024, 9.297, 28.812, 73.367, 0.943, 23.336),
}


@pytest.mark.parametrize(("method", "scene"), PUBLISHED)
def test_published_maps_score_as_published(shared: Path, method: str, scene: str) -> None:
    truth = load_truth(shared / "data" / "hci" / scene)
    scores = score(read_pfm(shared / "data" / "peers" / method / f"{scene}.pfm"), truth)
    found = {name: scores[name] for name in NAMES}
    assert found == pytest.approx(dict(zip(NAMES, PUBLISHED[method, scene], strict=True)), abs=0.0006)
    assert scores.invalid == 0
    assert scores.pixels == 482 * 482


def test_cotton_has_the_masks_of_the_benchmark(shared: Path) -> None:
    truth = load_truth(shared / "data" / "hci" / "cotton")
    assert set(truth.masks) == {"planes", "smooth_surfaces", "discontinuities"}
    assert truth.range is not None
    assert (truth.range.minimum, truth.range.maximum, truth.range.origin) == (-1.6, 1.5, "file")


def test_every_scene_scores_zero_against_itself(shared: Path) -> None:
    for scene in ("boxes", "cotton", "dino", "sideboard"):
        truth = load_truth(shared / "data" / "hci" / scene)
        assert max(score(truth.disparity, truth).values.values()) == pytest.approx(0, abs=1e-5)


def test_the_rendered_scene_has_all_regions(shared: Path) -> None:
    """Empty masks leave their metrics out instead of dividing by nothing."""
    truth = load_truth(shared / "data" / "rendered" / "toys")
    scores = score(truth.disparity, truth)
    assert {"mae_planes", "mae_surfaces", "discontinuities"} <= set(scores)
    assert ("fine_thinning" in scores) == bool(truth.masks["fine"].any())
    assert max(scores.values.values()) == pytest.approx(0, abs=1e-5)
