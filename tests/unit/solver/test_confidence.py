"""Confidence: what it may be, and where it must be low."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ioadr import DisparityRange, LightField
from ioadr._jit import Workers
from ioadr.presets import preset
from ioadr.solver.confidence import confidence_map, probability
from ioadr.solver.evidence import bent, noise_gains, torn
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing
from ioadr.solver.trust_model import KNOTS, WEIGHTS
from tests.unit.solver.squares import BACK, BLANK, FRONT, LEFT, SIDE, TOP, square_lightfield, square_map


def trust(lf: LightField, disparity: NDArray[np.float32], threads: int = 1) -> NDArray[np.float32]:
    """Confidence of a given map."""
    parameters = preset("best")
    assert lf.range is not None
    last = closing(parameters, lf.range)
    with Workers(threads) as workers:
        refinement = Refinement(lf, lf.range, parameters, workers)
        refinement.disparity = disparity
        costs, visible = refinement.final_costs(last)
        return confidence_map(refinement, last, costs["data"], visible)[0]


@pytest.fixture(scope="module")
def of_the_truth() -> NDArray[np.float32]:
    return trust(square_lightfield(), square_map())


INSIDE = np.s_[TOP + 4 : TOP + SIDE - 4, LEFT + 4 : LEFT + SIDE - 4]
"""Of the square."""
WALL = np.s_[36:42, 4:44]


def test_it_is_a_share_of_full_trust(of_the_truth):
    assert of_the_truth.dtype == np.float32
    assert of_the_truth.shape == square_map().shape
    assert of_the_truth.min() >= 0
    assert of_the_truth.max() <= 1


def test_textured_surfaces_are_trusted(of_the_truth):
    assert np.median(of_the_truth[INSIDE]) > 0.8
    assert np.median(of_the_truth[WALL]) > 0.8


def test_a_blank_part_is_not_trusted(of_the_truth):
    inner = of_the_truth[BLANK][3:-3, 3:-3]
    assert inner.max() < 0.01


@pytest.mark.parametrize(
    ("side", "wrong"),
    [(np.s_[TOP + 3 : TOP + SIDE - 3, LEFT + SIDE], FRONT), (np.s_[TOP + 3 : TOP + SIDE - 3, LEFT], BACK)],
    ids=["fattened", "thinned"],
)
def test_a_border_pixel_on_the_wrong_side_is_not_trusted(of_the_truth, side, wrong):
    disparity = square_map()
    disparity[side] = wrong
    found = trust(square_lightfield(), disparity)
    assert found[side].max() < 0.05
    assert np.median(found[INSIDE]) > 0.8
    assert found[side].max() < of_the_truth[INSIDE].min()


def test_a_wrong_surface_is_not_trusted():
    """A whole patch a third of a px off: nothing jumps inside it, but the data pull."""
    disparity = square_map()
    disparity[36:, :] += np.float32(0.33)
    assert np.median(trust(square_lightfield(), disparity)[39:43, 6:42]) < 0.3


def test_it_does_not_depend_on_threads(of_the_truth):
    assert np.array_equal(trust(square_lightfield(), square_map(), threads=3), of_the_truth)


def test_slant_takes_no_trust():
    """What lies on a slanted plane is not torn; beside a jump it is; a lone speckle marks only itself."""
    slanted = np.add.outer(np.arange(30), np.arange(40)).astype(np.float32) * np.float32(0.05)
    assert torn(slanted, 1).max() == 0
    jump = slanted.copy()
    jump[:, 20:] += 1
    assert torn(jump, 1)[:, 19:21].min() > 0.3
    speckle = slanted.copy()
    speckle[15, 20] += 1
    found = torn(speckle, 1)
    assert found[15, 20] > 0.9
    assert np.median(found[13:18, 18:23]) < 0.1


def test_bends_are_told_from_slant():
    """A steep plane does not bend, up to the image's edge; the limb of a cylinder bends more than its middle."""
    steep = np.add.outer(np.arange(30), 2 * np.arange(40)).astype(np.float32) * np.float32(0.05)
    assert bent(steep).max() < 1e-5
    across = np.clip((np.arange(41) - 20) / 18, -1, 1)
    cylinder = np.tile(np.sqrt(1 - across**2), (30, 1)).astype(np.float32)
    assert bent(cylinder)[15, 4] > 0.05
    assert bent(cylinder)[15, 20] == pytest.approx(4 / 18**2, rel=0.05)


def test_what_bends_is_trusted_less():
    """Odds are halved by a bend of 0.01 px and divided by 6 by any bend of 0.05 px or more."""
    calm = {name: np.full((4, 4), knots[0], np.float32) for name, knots in KNOTS.items()}
    calm |= {name: np.full((4, 4), KNOTS[name][-1], np.float32) for name in ("vague region", "residual")}
    calm |= {"clipped": np.zeros((4, 4), np.float32), "uninformed": calm["vague"], "hidden by noise": calm["vague"]}
    odds = []
    for bend in (0, 0.01, 0.05, 1.0):
        found = probability(calm | {"bent": np.full((4, 4), bend, np.float32)})[0, 0]
        odds.append(float(found / (1 - found)))
    assert odds[0] / np.array(odds) == pytest.approx([1, 2, 6, 6], rel=0.02)


def test_weights_belong_to_knots_and_no_doubt_raises_trust():
    assert WEIGHTS.keys() == KNOTS.keys()
    for name, weights in WEIGHTS.items():
        assert len(weights) == len(KNOTS[name]) - 1
        assert min(weights) >= 0
        assert list(KNOTS[name]) == sorted(KNOTS[name])


def half_blank(noise: float, contrast: float = 40.0) -> LightField:
    """9×9 views of a texture at disparity 0; the right half is blank. All have noise."""
    random = np.random.default_rng(3)
    wall = 128 + contrast * random.standard_normal((64, 96, 3))
    wall[:, 48:] = 128
    views = np.rint(wall + noise * random.standard_normal((9, 9, *wall.shape)))
    return LightField(np.clip(views, 0, 255).astype(np.uint8), range=DisparityRange(-1.5, 1.5))


TEXTURED, PLAIN = np.s_[10:-10, 10:34], np.s_[10:-10, 62:-10]


@pytest.mark.parametrize("noise", [0.7, 2.0, 6.0])
@pytest.mark.parametrize("disparity", [0.0, 0.3])
def test_noise_is_not_texture(noise, disparity):
    """A blank surface tells nothing, however noisy it is. What continues its surroundings may be right, by chance."""
    found = trust(half_blank(noise), np.full((64, 96), disparity, np.float32))
    assert np.quantile(found[PLAIN], 0.95) < 0.42
    assert (np.median(found[TEXTURED]) > 0.9) == (disparity == 0)


def test_texture_weaker_than_noise_is_still_texture():
    found = trust(half_blank(4.0, contrast=3.0), np.zeros((64, 96), np.float32))
    assert np.median(found[TEXTURED]) > 0.5
    assert np.quantile(found[PLAIN], 0.95) < 0.42


def test_noise_after_interpolation():
    """At a pixel the derivative is a central difference; halfway between pixels, the value is a mean of neighbours."""
    value, slope = noise_gains(np.array([0.0, 3.0, -0.5]))
    assert value == pytest.approx([1, 1, 0.640625])
    assert slope == pytest.approx([0.5, 0.5, 3.8125])
