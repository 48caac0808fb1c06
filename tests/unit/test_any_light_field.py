"""Any grid, size, type and layout of views is estimated, or refused with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ioadr import DisparityRange, Estimate, InputError, LightField, estimate, preset
from tests.builders import make_views

LIMITS = DisparityRange(-1.0, 1.5, "user")


@dataclass(frozen=True)
class Case:
    """Everything about a light field that the method must not care about."""

    rows: int
    columns: int
    height: int
    width: int
    channels: int
    dtype: str
    moved: float
    """Baseline units by which cameras are off the grid."""
    missing: float
    """Share of the views."""
    seed: int

    @property
    def random(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def layout(self) -> dict[str, Any]:
        """Positions of the cameras, and which of them are there."""
        grid = (self.rows, self.columns)
        index = np.stack(np.meshgrid(*map(np.arange, grid), indexing="ij"), axis=-1)
        positions = index + self.random.uniform(-self.moved, self.moved, index.shape)
        return {"positions": positions, "present": self.random.uniform(size=grid) >= self.missing}

    def views(self) -> np.ndarray[Any, Any]:
        return make_views((self.rows, self.columns), (self.height, self.width), self.channels, self.dtype)

    def places(self) -> int:
        """How many places cameras take on the axis on which they take more."""
        layout = self.layout()
        used = layout["positions"][layout["present"]]
        return max(len(np.unique(used[:, axis].round(6))) for axis in (0, 1)) if len(used) else 0


cases = st.builds(
    Case,
    rows=st.integers(1, 5),
    columns=st.integers(1, 5),
    height=st.integers(1, 24),
    width=st.integers(1, 24),
    channels=st.sampled_from([1, 3]),
    dtype=st.sampled_from(["uint8", "uint16", "float32", "float64"]),
    moved=st.sampled_from([0.0, 0.0, 0.3]),
    missing=st.sampled_from([0.0, 0.0, 0.3]),
    seed=st.integers(0, 99),
)


def check(found: Estimate, lf: LightField, case: Case) -> None:
    shape = (case.height, case.width)
    for values in (found.disparity, found.depth, found.confidence, *found.costs.values()):
        assert values.shape == shape
        assert np.isfinite(values).all()
    assert found.normals.shape == (*shape, 3)
    assert found.disparity.min() >= np.float32(found.range.minimum)
    assert found.disparity.max() <= np.float32(found.range.maximum)
    assert found.confidence.min() >= 0
    assert found.confidence.max() <= 1
    assert found.visible_views.max() <= lf.view_count


@settings(max_examples=30, deadline=None)
@given(case=cases, name=st.sampled_from(["paper", "fast", "best"]), init=st.sampled_from(["auto", "plane-sweep"]))
def test_three_places_of_cameras_are_enough(case, name, init):
    """Law: with a range, a light field is estimated exactly if its cameras take three places on an axis."""
    if case.places() < 3:
        with pytest.raises(InputError, match=r"expected at least 3×3 views, or a line of 3, found .*Add views"):
            LightField(case.views(), range=LIMITS, **case.layout())
        return
    lf = LightField(case.views(), range=LIMITS, **case.layout())
    check(estimate(lf, preset(name).vary({"initialise.method": init})), lf, case)


def estimate_or_refusal(lf: LightField, init: str) -> Estimate | str:
    try:
        return estimate(lf, preset("fast").vary({"initialise.method": init}))
    except InputError as error:
        return str(error)


@settings(max_examples=20, deadline=None)
@given(case=cases.filter(lambda case: case.places() >= 3), init=st.sampled_from(["auto", "structure-tensor"]))
def test_without_a_range_or_a_line_it_says_what_to_give(case, init):
    """Law: what is missing beside the views is named, with the option that gives it."""
    lf = LightField(case.views(), **case.layout())
    found = estimate_or_refusal(lf, init)
    if isinstance(found, Estimate):
        assert found.range.origin == "estimated"
        check(found, lf, case)
    elif "match clearly" in found:
        assert found.endswith("give range=(MIN, MAX).")
    else:
        assert init == "structure-tensor"
        assert 'Use initialise.method="plane-sweep"' in found
