"""Few views, anywhere: arrays of a dozen cameras, and presets that leave views out."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import ioadr
from ioadr import DisparityRange, LightField, preset
from ioadr._jit import Workers
from ioadr.cost.occlusion import data_cost
from ioadr.cost.views import views_around
from ioadr.evaluation import synthetic
from ioadr.evaluation.scores import score
from ioadr.parameters import DataTerm, Initialise
from ioadr.presets import PRESETS
from ioadr.solver.initialise import choose_method
from ioadr.solver.problem import data_weights, pack_rays, snapshot_occluders, used_views
from tests.marks import some_quick

REGULAR = np.stack(np.meshgrid(np.arange(3.0), np.arange(4.0), indexing="ij"), axis=-1)
NARROW, WIDE = DisparityRange(-1.5, 1.5), DisparityRange(-6.0, 6.0)


def grid(rows: int, columns: int, **changes: object) -> LightField:
    views = np.random.default_rng(3).integers(0, 256, (rows, columns, 24, 24, 3), np.uint8)
    return LightField(views, **changes)  # type: ignore[arg-type]


def cameras(seed: int) -> dict[str, NDArray[np.float64]]:
    """Twelve positions on the same field: in a grid, moved from it, and anywhere."""
    random = np.random.default_rng(seed)
    anywhere = random.uniform(0, 1, (1, 12, 2)) * (2.7, 3.7) - 0.35
    return {"grid": REGULAR, "moved": REGULAR + random.uniform(-0.35, 0.35, REGULAR.shape), "anywhere": anywhere}


@pytest.mark.parametrize("disparity", some_quick([2.0, 6.0], []))
def test_an_irregular_array_is_as_good_as_a_regular_one(disparity):
    found = {}
    for name, positions in cameras(1).items():
        scene = synthetic.random_light_field(
            1,
            "mixed",
            (112, 112),
            (positions.shape[0], positions.shape[1]),
            (-disparity, disparity),
            positions=positions,
        )
        found[name] = score(ioadr.estimate(scene.lightfield, "paper").disparity, scene.truth)
    for name in ("moved", "anywhere"):
        assert found[name]["mse"] <= 1.5 * found["grid"]["mse"]
        assert found[name]["badpix_007"] <= 1.5 * found["grid"]["badpix_007"]
    assert found["grid"]["mse"] < 1.5 * disparity**2, "a hundredth of the range"


def test_a_point_that_no_other_view_sees_is_not_for_free():
    lf = grid(3, 3)
    rays, parameters = pack_rays(lf), preset("paper")
    before = np.full((24, 24), 1.0, np.float32)
    before[11, 12] = -1.0
    with Workers(1) as workers:
        occluders = snapshot_occluders(before, rays, NARROW, parameters.data, workers)
    views = views_around(rays, occluders)

    def cost(term: DataTerm) -> float:
        return data_cost(rays, occluders, data_weights(rays, term), 11, 12, np.float32(-1.0), np.float32(np.inf), views)

    assert cost(parameters.vary({"data.min_visible_views": 0}).data) == 0
    for name in PRESETS:
        assert cost(preset(name).data) > 20, name


@pytest.mark.parametrize(
    ("rows", "columns", "step", "expected"), [(9, 9, 2, 25), (5, 5, 2, 9), (3, 3, 2, 9), (3, 4, 3, 12)]
)
def test_leaving_out_views_leaves_enough(rows, columns, step, expected):
    lf = grid(rows, columns)
    used = used_views(lf, step)
    assert used.sum() == expected
    assert used[lf.reference]


@pytest.mark.parametrize(
    ("lf", "limits", "expected"),
    [
        (grid(9, 9), NARROW, "structure-tensor"),
        (grid(3, 5), NARROW, "structure-tensor"),
        (grid(9, 9), WIDE, "plane-sweep"),
        (grid(3, 4), NARROW, "plane-sweep"),
        (grid(3, 4, positions=REGULAR + 0.3 * np.sin(9 * REGULAR)), NARROW, "plane-sweep"),
    ],
    ids=["9×9", "3×5", "wide", "short lines", "no lines"],
)
def test_the_first_map_is_made_as_views_and_range_allow(lf, limits, expected):
    assert choose_method(lf, limits, Initialise()) == expected
    assert choose_method(lf, limits, Initialise(method="plane-sweep")) == "plane-sweep"


def test_a_structure_tensor_without_lines_is_refused():
    lf = grid(3, 4, positions=REGULAR + 0.3 * np.sin(9 * REGULAR))
    with pytest.raises(
        ioadr.InputError, match='needs at least three evenly spaced views .* initialise.method="plane-sweep"'
    ):
        choose_method(lf, NARROW, Initialise(method="structure-tensor"))
