"""The light field: derived values, and arguments that are refused."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr import DisparityRange, InputError, LightField
from tests.builders import make_camera, make_lightfield, make_views
from tests.messages import explains


def refused(match: str, **options: object) -> str:
    """The refusal's message, which must be one paragraph."""
    with pytest.raises(InputError, match=match) as caught:
        make_lightfield(**options)
    message = str(caught.value)
    assert explains(message), message
    return message


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64"])
@pytest.mark.parametrize("channels", [1, 3])
def test_types_and_channels(dtype, channels):
    lightfield = make_lightfield(grid=(5, 7), size=(9, 12), dtype=dtype, channels=channels)
    assert lightfield.grid == (5, 7)
    assert (lightfield.height, lightfield.width, lightfield.channels) == (9, 12, channels)
    assert lightfield.white == {"uint8": 255.0, "uint16": 65535.0}.get(dtype, 1.0)
    assert lightfield.views.dtype == ("float32" if dtype == "float64" else dtype)


def test_grey_needs_no_last_axis():
    grey = make_views(channels=1)
    assert LightField(grey[..., 0]).channels == 1
    np.testing.assert_array_equal(LightField(grey[..., 0]).views, grey)


@pytest.mark.parametrize(("grid", "centre"), [((3, 3), (1, 1)), ((9, 9), (4, 4)), ((5, 7), (2, 3)), ((4, 4), (1, 1))])
def test_the_reference_is_the_centre(grid, centre):
    assert make_lightfield(grid=grid).reference == centre


def test_a_missing_centre_gives_way_to_its_neighbour():
    present = np.ones((3, 3), bool)
    present[1, 1] = False
    lightfield = make_lightfield(present=present)
    assert lightfield.reference == (0, 1)
    assert lightfield.view_count == 8


def test_any_view_can_be_the_reference():
    lightfield = make_lightfield(reference=(0, 2))
    np.testing.assert_array_equal(lightfield.reference_view, lightfield.views[0, 2])
    assert lightfield.offsets[0, 2].tolist() == [0, 0]
    assert lightfield.offsets[2, 0].tolist() == [2, -2]


def test_eta_scales_offsets_per_axis():
    lightfield = make_lightfield(eta=(0.5, 2.0))
    assert lightfield.offsets[2, 2].tolist() == [0.5, 2.0]


def test_builder_and_convention_agree():
    """A point of disparity d is seen by view (l, k) at n0 − d·(l − l_r), m0 − d·(k − k_r)."""
    views = make_views(disparity=2.0, grid=(3, 3))
    np.testing.assert_array_equal(views[1, 1, 10, 10], views[2, 0, 8, 12])
    np.testing.assert_array_equal(views[1, 1, 10, 10], views[0, 1, 12, 10])


def test_a_copy_shares_the_views():
    lightfield = make_lightfield(camera=make_camera())
    other = lightfield.with_(reference=(0, 0))
    assert other.views is lightfield.views
    assert other.camera == lightfield.camera
    assert other.reference == (0, 0)
    assert lightfield.reference == (1, 1)


def test_two_by_two_views_are_too_few():
    message = refused("at least 3×3 views", grid=(2, 2))
    assert "2×2" in message
    assert "Add views" in message


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_samples_must_be_finite(bad):
    views = make_views(dtype="float32")
    views[1, 2, 3, 4, 0] = bad
    with pytest.raises(InputError, match=r"some samples are NaN or infinite.*`skip`"):
        LightField(views)


def test_a_missing_view_may_hold_anything():
    views = make_views(dtype="float32")
    views[0, 0] = np.nan
    present = np.ones((3, 3), bool)
    present[0, 0] = False
    assert LightField(views, present=present).view_count == 8


@pytest.mark.parametrize("value", [0, 17, 255])
def test_constant_images_carry_no_depth(value):
    views = np.full((3, 3, 8, 8, 3), value, np.uint8)
    with pytest.raises(InputError, match=rf"every sample is {value},.*check the exposure"):
        LightField(views)


@pytest.mark.parametrize("shape", [(3, 3, 8), (3, 3, 8, 8, 2), (3, 3, 0, 8, 3), (2, 3, 3, 8, 8, 3)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(InputError, match="expected .*channels.* found shape"):
        LightField(np.ones(shape, np.uint8))


@pytest.mark.parametrize("dtype", ["int32", "bool", "complex64", "U1"])
def test_other_types_are_refused(dtype):
    with pytest.raises(InputError, match="expected uint8, uint16 or float samples, found"):
        LightField(np.ones((3, 3, 8, 8, 3), dtype))


@pytest.mark.parametrize("reference", [(3, 0), (0, -1), (9, 9)])
def test_the_reference_must_be_in_the_grid(reference):
    assert "rows 0–2" in refused("reference view: the 3×3 grid", reference=reference)


def test_the_reference_must_be_present():
    present = np.ones((3, 3), bool)
    present[0, 1] = False
    refused("has no view 0 1", reference=(0, 1), present=present)


def test_layout_must_fit_the_grid():
    refused("view layout: expected positions", positions=np.zeros((2, 3, 2)))
    refused("view layout: expected positions", present=np.ones((9, 9), bool))


@pytest.mark.parametrize(
    ("distance", "message"),
    [
        (1e-7, "expected at least 3×3 views, or a line of 3"),
        (1e7, r"the farthest view is 1e\+07 baseline units"),
        (1e300, r"the farthest view is 1e\+300 baseline units"),
    ],
)
def test_views_are_neither_in_one_place_nor_in_other_worlds(distance, message):
    positions = distance * np.stack(np.meshgrid([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], indexing="ij"), axis=-1)
    refused(f"view layout: {message}", positions=positions)


def test_a_range_keeps_points_in_two_views():
    """Tiny images are treated as if they had 256 px."""
    make_lightfield(size=(4, 600), range=DisparityRange(-1, 599))
    make_lightfield(size=(4, 6), range=DisparityRange(-250, 250))
    refused("exceeds 600 px", size=(4, 600), range=DisparityRange(-601, 1, "file"))
    make_lightfield(size=(4, 600), range=DisparityRange(-601, 1), eta=(0.5, 0.5))


@pytest.mark.parametrize("white", [0.0, -1.0, float("nan")])
def test_white_is_positive(white):
    refused("white: expected a positive sample value", white=white)


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, -2), (float("nan"), 1), (-1, float("inf"))])
def test_a_range_has_its_smaller_value_first(low, high):
    with pytest.raises(InputError, match=r"expected finite MIN < MAX, found .*range=\(-2, 2\)"):
        DisparityRange(low, high)


def test_range_scales_and_remembers_its_origin():
    assert DisparityRange(-1, 3, "file").scaled(0.5) == DisparityRange(-0.5, 1.5, "file")
    assert DisparityRange(-1, 3).extent == 4
