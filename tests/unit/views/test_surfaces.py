"""Surfaces are carried to other views exactly, nearest first, whole and once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ioadr import Camera, estimate
from ioadr.evaluation.synthetic import random_light_field
from ioadr.layout import Layout
from ioadr.views.edges import edge_at
from ioadr.views.pose import Viewpoint, captured
from ioadr.views.surfaces import NOTHING, Sight, Surface, grown, linked, look, rims, with_smooth_rims
from tests.builders import make_camera

SIZE = (24, 30)
LINK = 0.25
FAR, NEAR = -1.0, 2.0


def surface(disparity, offset=(0.0, 0.0), view=(0, 0)):
    values = np.asarray(disparity, np.float32)
    ones = np.ones_like(values)
    return Surface(view, offset, values, ones, ones, linked(values, LINK), np.zeros((*values.shape, 3), np.uint8))


def square(offset=(0.0, 0.0)):
    """Map of the view at `offset`: a near square before a wall."""
    rows, columns = np.mgrid[: SIZE[0], : SIZE[1]]
    n, m = rows + NEAR * offset[0], columns + NEAR * offset[1]
    inside = (n >= 8) & (n < 16) & (m >= 9) & (m < 19)
    return surface(np.where(inside, NEAR, FAR), offset)


def test_the_own_view_is_the_map_itself():
    one = square()
    seen = look([one], captured((0.0, 0.0)), SIZE, LINK)
    np.testing.assert_array_equal(seen.disparity, one.disparity)
    assert (seen.source == 0).all()


def test_another_view_sees_the_near_square_moved_and_a_shadow_beside_it():
    seen = look([square()], captured((1.0, 0.0)), SIZE, LINK)
    expected = square((1.0, 0.0)).disparity
    known = np.isfinite(seen.disparity)
    np.testing.assert_array_equal(seen.disparity[known], expected[known])
    # The wall behind the square was hidden over the 3 px between both disparities; so was a row beyond the edge.
    hidden = np.zeros(SIZE, bool)
    hidden[14:17, 9:19] = True
    hidden[0] = True
    np.testing.assert_array_equal(~known, hidden)
    np.testing.assert_array_equal(seen.filled, np.where(hidden, FAR, expected))


def test_a_slanted_surface_has_no_cracks_and_lies_where_it_should():
    rows, columns = np.mgrid[: SIZE[0], : SIZE[1]]
    plane = surface(0.05 * columns - 0.03 * rows)
    for offset in ((3.0, -4.0), (-3.0, -4.0), (2.0, 4.0)):
        seen = look([plane], captured(offset), SIZE, LINK)
        inner = (slice(6, -6), slice(8, -8))
        # d = 0.05 (m + d·dx) − 0.03 (n + d·dy)
        expected = (0.05 * columns - 0.03 * rows) / (1 - 0.05 * offset[1] + 0.03 * offset[0])
        assert np.isfinite(seen.disparity[inner]).all()
        np.testing.assert_allclose(seen.disparity[inner], expected[inner], atol=1e-3)


def test_there_and_back_is_the_same():
    first = square()
    there = surface(look([first], captured((1.0, -2.0)), SIZE, LINK).filled, (1.0, -2.0))
    back = look([there], captured((0.0, 0.0)), SIZE, LINK)
    known = np.isfinite(back.disparity)
    assert known.mean() > 0.8
    np.testing.assert_array_equal(back.disparity[known], first.disparity[known])


def test_a_second_anchor_adds_what_the_first_did_not_see_and_nothing_else():
    first, second = square(), square((2.0, 0.0)).beyond([square()], LINK)
    new = np.zeros(SIZE, bool)
    new[12:18, 9:19] = True  # the wall's shadow: 3 px of disparity × 2, below the square, which ends at row 12
    new[:2] = True  # and beyond the upper edge
    np.testing.assert_array_equal(second.kept, grown(new, np.ones(SIZE, bool), second.disparity, LINK, 2))
    both = look([first, second], captured((1.0, 0.0)), SIZE, LINK)
    np.testing.assert_array_equal(both.disparity, square((1.0, 0.0)).disparity)
    assert set(np.unique(both.source)) == {0, 1}


def test_what_contradicts_an_earlier_anchor_is_left_out():
    wrong = square((2.0, 0.0)).disparity.copy()
    wrong[13:16, 10:14] = NEAR  # in the shadow, as if the square went on: the first anchor sees the wall there
    second = surface(wrong, (2.0, 0.0)).beyond([square()], LINK)
    assert not second.kept[13:16, 10:14].any()


def test_points_past_which_another_anchor_sees_are_dropped():
    wrong = square().disparity.copy()
    wrong[9:14, 19:22] = 0.5
    first, second = surface(wrong), square((2.0, 0.0))
    cleared = first.not_seen_through(second, LINK)
    dropped = ~np.isfinite(cleared.disparity)
    assert dropped[9:14, 19:22].all()
    assert not dropped[:, :19].any()
    assert not dropped[:8].any()
    assert not dropped[16:].any()
    np.testing.assert_array_equal(cleared.kept, first.kept & ~dropped)
    for earlier, hidden in ((first, True), (cleared, False)):
        seen = look([earlier, second.beyond([earlier], LINK)], captured((2.0, 0.0)), SIZE, LINK)
        assert (seen.disparity == 0.5).any() == hidden  # else the other anchor's wall is seen in their place
        assert np.isfinite(seen.disparity).all()


def test_rims_are_smoothed_towards_their_own_surface():
    rows, columns = np.mgrid[: SIZE[0], : SIZE[1]]
    radius = np.hypot(rows - 11.5, columns - 14.5)
    ball = np.where(radius < 8, 2.0 - 0.004 * radius**2, FAR)
    noise = np.random.default_rng(3).normal(0.0, 0.03, SIZE) * (np.abs(radius - 7.5) < 1.5) * (radius < 8)
    smooth = with_smooth_rims((ball + noise).astype(np.float32), LINK)
    rim = (radius < 8) & (radius > 6)
    assert np.abs(smooth - ball)[rim].mean() < 0.5 * np.abs(noise)[rim].mean()
    np.testing.assert_array_equal(smooth[radius >= 8], np.float32(FAR))


def column(centre, radius=7.0, depth=0.5):
    """A round column before a wall, with coverages, and where its outlines are in the view 4 steps to the right."""
    fine = np.arange(-0.5 + 0.005, SIZE[1] - 0.5, 0.01)

    def disparity(x):
        return NEAR + depth * np.sqrt(np.maximum(1 - ((x - centre) / radius) ** 2, 0))

    share = (np.abs(fine - centre) < radius).reshape(SIZE[1], -1).mean(axis=1)
    columns = np.arange(SIZE[1])
    values = np.where(share >= 0.5, disparity(columns), FAR)
    coverage = np.tile(np.where(share >= 0.5, share, 1 - share).astype(np.float32), (SIZE[0], 1))
    on_it = fine[np.abs(fine - centre) < radius]
    moved = on_it - 4 * (disparity(on_it) - NEAR)
    whole = surface(np.tile(values, (SIZE[0], 1)) - NEAR)
    return Surface((0, 0), (0.0, 0.0), whole.disparity, coverage, coverage, whole.kept, whole.image), moved


def test_outlines_of_round_surfaces_move_with_the_disparity_that_they_have_at_the_outline():
    wrong = {"sloping": 0, "flat": 0}
    for centre in np.arange(13.0, 16.0, 0.1):
        sloping, moved = column(centre)
        columns = np.arange(SIZE[1])
        expected = (columns >= moved.min()) & (columns <= moved.max())
        flat = Surface(*(getattr(sloping, name) for name in Surface.__match_args__))
        flat._slopes[LINK] = np.zeros((2, *SIZE), np.float32)
        for name, one in (("sloping", sloping), ("flat", flat)):
            seen = look([one], captured((0.0, 4.0)), SIZE, LINK).disparity[12] > (FAR - NEAR) / 2
            wrong[name] += int(np.count_nonzero(seen != expected))
    assert wrong["flat"] >= 40  # of 60 outlines
    assert wrong["sloping"] <= wrong["flat"] // 2


def disc(offset, rim=0.0):
    """A near disc before a wall as a view sees it: map, and coverage from finer pixels. `rim` is added to its rim."""
    fine = (np.arange(8) + 0.5) / 8 - 0.5
    rows, columns = (np.add.outer(np.arange(length), fine) for length in SIZE)
    y, x = rows - 12.3 + NEAR * offset[0], columns - 15.2 + NEAR * offset[1]
    inside = y[:, None, :, None] ** 2 + x[None, :, None, :] ** 2 < 6.4**2
    share = inside.mean(axis=(2, 3))
    values = np.where(share >= 0.5, NEAR, FAR)
    values = np.where(rims(values, LINK), values + rim, values)
    return replace(surface(values, offset), coverage=np.maximum(share, 1 - share).astype(np.float32))


def test_an_outline_is_exact_between_pixels_for_straight_edges():
    rows, columns = np.mgrid[:9, :9]
    worst = 0.0
    for angle in np.arange(0.0, 2 * np.pi, 0.3):
        down, right = np.sin(angle), np.cos(angle)
        fine = (np.arange(40) + 0.5) / 40 - 0.5
        height = down * (rows - 4)[..., None, None] + right * (columns - 4)[..., None, None] - 0.21
        share = (height + down * fine[:, None] + right * fine > 0).mean(axis=(2, 3))
        values = np.where(share >= 0.5, NEAR, FAR).astype(np.float32)
        coverage = np.maximum(share, 1 - share).astype(np.float32)
        for y, x in ((4.0, 4.0), (4.3, 3.9), (3.7, 4.4)):
            inside, *normal = edge_at(values, coverage, y, x, NEAR, LINK)
            worst = max(worst, abs(inside - (down * (y - 4) + right * (x - 4) - 0.21)))
            assert np.hypot(*np.subtract(normal, (down, right))) < 0.06
    assert worst < 0.03


def test_rims_follow_the_outlines_that_other_anchors_see():
    others = [disc(offset) for offset in ((2.0, 2.0), (2.0, -2.0), (-2.0, 2.0), (-2.0, -2.0))]
    for wrong in (0.06, -0.06):
        one = disc((0.0, 0.0), wrong)
        rim = rims(one.disparity, LINK)
        better = one.with_outlines_of(others, LINK)
        np.testing.assert_array_equal(better.disparity[~rim], one.disparity[~rim])
        assert np.abs(better.disparity[rim] - NEAR).mean() < 0.6 * np.abs(one.disparity[rim] - NEAR).mean()
    right = disc((0.0, 0.0))
    np.testing.assert_allclose(right.with_outlines_of(others, LINK).disparity, right.disparity, atol=0.02)


def test_without_other_anchors_rims_stay():
    one = disc((0.0, 0.0), 0.05)
    assert one.with_outlines_of([], LINK) is one


def test_coverage_agrees_with_the_surface_to_which_a_pixel_was_assigned():
    found = estimate(random_light_field(4, "spheres", size=(48, 48), grid=(5, 5)).lightfield, "fast", threads=1)
    coverage = np.ones_like(found.disparity)
    coverage[10:20] = 0.2
    carried = Surface.of(replace(found, coverage=coverage), found.layout, LINK)
    np.testing.assert_array_equal(carried.coverage, np.maximum(coverage, np.float32(0.5)))


def test_a_pasted_part_has_its_own_slopes():
    one, other = column(14.0)[0], column(15.0)[0]
    before = one.slopes(LINK).copy()
    one.paste(other, np.s_[:, :], np.s_[:, :])
    np.testing.assert_array_equal(one.slopes(LINK), other.slopes(LINK))
    assert (one.slopes(LINK) != before).any()


def test_only_moved_pixels_are_smoothed_if_they_are_given():
    noisy = (square().disparity + np.random.default_rng(4).normal(0.0, 0.03, SIZE)).astype(np.float32)
    moved = np.zeros(SIZE, bool)
    moved[8, 9:19] = True
    smooth = with_smooth_rims(noisy, LINK, moved)
    np.testing.assert_array_equal(smooth[~moved], noisy[~moved])
    assert (smooth[moved] != noisy[moved]).all()
    assert np.abs(smooth[moved] - NEAR).mean() < np.abs(noisy[moved] - NEAR).mean()


def test_pixels_between_two_surfaces_do_not_fly():
    flat = np.zeros(SIZE, np.float32)
    flat[10, 10] = 1.0
    seen = look([surface(flat)], captured((0.0, 2.0)), SIZE, LINK)
    assert np.nanmax(seen.disparity) == 0.0


def test_coverage_moves_a_border_by_parts_of_a_pixel():
    disparity = np.full(SIZE, FAR, np.float32)
    disparity[:, 15:] = NEAR
    coverage = np.ones(SIZE, np.float32)
    coverage[:, 15] = 0.6  # the near surface begins 0.4 px inside its first pixel
    whole = surface(disparity)
    part = Surface((0, 0), (0.0, 0.0), disparity, coverage, coverage, whole.kept, whole.image)
    pose = captured((0.0, 0.1))  # the near surface moves left by 0.2 px, to 14.3 and 14.7 of pixel 15's left half
    assert look([whole], pose, SIZE, LINK).disparity[5, 15] == NEAR
    assert look([part], pose, SIZE, LINK).disparity[5, 15] == NEAR
    pose = captured((0.0, -0.15))  # right by 0.3 px
    assert look([whole], pose, SIZE, LINK).disparity[5, 15] == NEAR
    assert look([part], pose, SIZE, LINK).disparity[5, 15] != NEAR


def test_a_viewpoint_on_the_grid_is_the_captured_view():
    layout, rays = Layout.of((5, 5)), make_camera(SIZE[1], SIZE[0]).pinhole()
    pose = Viewpoint(row=1, column=4).pose(layout, rays, SIZE, SIZE)
    one = square()
    seen, expected = (look([one], place, SIZE, LINK) for place in (pose, captured(layout.offsets[1, 4])))
    np.testing.assert_array_equal(seen.source, expected.source)
    np.testing.assert_allclose(seen.disparity, expected.disparity, atol=1e-5)


def test_a_step_ahead_enlarges_what_is_near_more():
    rays = Camera(100.0, 35.0, 500.0, 8.0, SIZE[1], SIZE[0]).pinhole()
    layout, ahead = Layout.of((5, 5)), 1.0
    seen = look([square()], Viewpoint(2, 2, ahead).pose(layout, rays, SIZE, SIZE), SIZE, LINK)
    depth = 1 / (rays.slope * NEAR + rays.offset)
    height = (np.abs(seen.disparity - NEAR) < 0.1).any(axis=1).sum()
    assert abs(height - 8 * depth / (depth - ahead)) <= 1
    assert (seen.source != NOTHING).all()


@pytest.mark.parametrize("zoom", [0.5, 2.0])
def test_zoom_keeps_the_middle(zoom):
    rays, layout = make_camera(SIZE[1], SIZE[0]).pinhole(), Layout.of((5, 5))
    size = (int(SIZE[0] * zoom), int(SIZE[1] * zoom))
    seen = look([square()], Viewpoint(2, 2).pose(layout, rays, size, SIZE), size, LINK)
    near = np.argwhere(np.abs(seen.disparity - NEAR) < 0.1)
    expected = np.array([(8 + 15) / 2 - (SIZE[0] - 1) / 2, (9 + 18) / 2 - (SIZE[1] - 1) / 2]) * zoom
    np.testing.assert_allclose(near.mean(axis=0) - (np.array(size) - 1) / 2, expected, atol=0.51)
    assert abs(len(near) - 80 * zoom**2) <= 18 * zoom  # half of its outline


def test_a_crack_counts_as_seen_and_a_gap_between_surfaces_does_not():
    """Columns 3 and 4 lie between pixels of one surface; column 8 lies between two, and the farther one continues."""
    row = [0.0, 0.01, 0.02, np.nan, np.nan, 0.05, 1.0, 1.0, np.nan, 0.0, np.nan, np.nan, np.nan, 0.0]
    disparity = np.tile(np.array(row, np.float32), (4, 1))
    hole = np.isnan(disparity)
    sight = Sight(disparity, np.where(hole, 0, 0.5).astype(np.float32), np.where(hole, NOTHING, 2).astype(np.uint8))
    whole = sight.completed(link=0.1)
    assert np.isfinite(whole.disparity).all()
    np.testing.assert_array_equal(whole.source[0] == NOTHING, np.isin(np.arange(14), [8, 10, 11, 12]))
    np.testing.assert_array_equal(whole.confidence == 0, whole.source == NOTHING)
    np.testing.assert_allclose(whole.disparity[:, 8], 0.0)


def test_a_pixel_that_changes_surface_takes_its_source_and_confidence():
    disparity = np.where(np.arange(6) < 3, NEAR, FAR).astype(np.float32) * np.ones((4, 1), np.float32)
    source = np.where(disparity == NEAR, 0, 3).astype(np.uint8)
    seen = Sight(disparity, np.where(disparity == NEAR, 0.9, 0.2).astype(np.float32), source)
    moved = np.zeros(disparity.shape, bool)
    moved[1, 3] = moved[2, 2] = True
    seen.follow(np.where(moved, FAR + NEAR - disparity, disparity), moved)
    assert (seen.source[1, 3], seen.source[2, 2]) == (0, 3)
    np.testing.assert_allclose((seen.confidence[1, 3], seen.confidence[2, 2]), (0.9, 0.2))
    assert ((seen.source == source) | moved).all()


NOWHERE = np.zeros(SIZE, bool)


def seen_before(disparity, columns, confidence=1.0):
    """Earlier surfaces that end at a column."""
    sight = Sight.empty(SIZE)
    sight.disparity[:, :columns], sight.confidence[:, :columns] = disparity[:, :columns], confidence
    return sight


@pytest.mark.parametrize(("confidence", "left"), [(0.1, 0.01), (1.0, 0.07)])
def test_an_unsure_surface_is_levelled_with_the_one_that_continues_into_it(confidence, left):
    truth = square().disparity
    wrong = truth + np.where(truth == FAR, np.float32(0.1), np.float32(0.0))
    anchor = replace(surface(wrong), confidence=np.full(SIZE, confidence, np.float32))
    error = np.abs(anchor.levelled(seen_before(truth, 20), LINK, NOWHERE).disparity - truth)
    assert error[:, 19:22].max() < 0.03
    assert error[:, 24:].max() < left
    assert (error[truth == NEAR] == 0).all()


def test_what_the_reference_view_does_not_show_is_not_levelled():
    """The wall moves by 4 columns between the views: the first ones show what lies outside its image."""
    wrong = np.full(SIZE, FAR + 0.1, np.float32)
    anchor = replace(surface(wrong, offset=(0.0, 4.0)), confidence=np.full(SIZE, 0.1, np.float32))
    earlier = seen_before(np.full(SIZE, FAR, np.float32), 20)
    earlier.disparity[:, :4] = np.nan
    levelled = anchor.levelled(earlier, LINK, NOWHERE).disparity
    np.testing.assert_array_equal(levelled[:, :4], wrong[:, :4])
    np.testing.assert_allclose(levelled[:, 4:], FAR, atol=0.01)


@pytest.mark.parametrize(("step", "columns", "confidence"), [(0.0, 0, 1.0), (1.0, 20, 1.0), (0.1, 20, 0.9)])
def test_only_surfaces_that_continue_and_are_as_sure_level_another(step, columns, confidence):
    """Nothing, another surface, and a less sure one."""
    anchor = square()
    moved = anchor.levelled(seen_before(anchor.disparity + step, columns, confidence), LINK, NOWHERE)
    np.testing.assert_array_equal(moved.disparity, anchor.disparity)


@pytest.mark.parametrize(("confidence", "expected"), [(0.1, FAR), (0.9, 0.5)])
def test_doubtful_pixels_between_two_surfaces_move_to_the_far_one(confidence, expected):
    anchor = square()
    anchor.disparity[8:16, 19:21] = 0.5
    anchor.confidence[:] = confidence
    moved = anchor.without_floating(LINK).disparity
    assert (moved[9:15, 19:21] == expected).all()
    rest = np.ones(SIZE, bool)
    rest[8:16, 19:21] = False
    np.testing.assert_array_equal(moved[rest], anchor.disparity[rest])


def uncovering(confidence=0.1, texture=0.0, depth=0.5):
    """An anchor that sees six columns beside a square for the first time and puts them at a wrong depth."""
    one = square()
    sight = Sight.empty(SIZE)
    sight.disparity[:], sight.confidence[:], sight.source[:] = one.disparity, 1.0, 0
    sight.disparity[8:16, 19:25], sight.confidence[8:16, 19:25], sight.source[8:16, 19:25] = np.nan, 0.0, NOTHING
    one.disparity[8:16, 19:25] = depth
    one.confidence[:] = confidence
    image = np.where(one.disparity == NEAR, 200.0, 50.0)[..., None] * np.ones(3)
    image[:, 19:25:2] += texture
    return replace(one, image=image), sight


def test_doubtful_pixels_of_a_plain_background_recede():
    anchor, sight = uncovering()
    moved, receded = anchor.receded(sight, LINK, contrast=24.0)
    np.testing.assert_array_equal(receded, sight.source == NOTHING)
    assert (moved.disparity[receded] == FAR).all()
    np.testing.assert_array_equal(moved.disparity[~receded], anchor.disparity[~receded])
    assert (moved.confidence == anchor.confidence).all()  # it is a guess still


@pytest.mark.parametrize(
    "wrong",
    [{"confidence": 0.9}, {"texture": 30.0}, {"depth": FAR - 0.5}],
    ids=["sure", "textured", "farther than what is behind"],
)
def test_other_pixels_of_a_background_stay(wrong):
    anchor, sight = uncovering(**wrong)
    moved, receded = anchor.receded(sight, LINK, contrast=24.0)
    assert not receded.any()
    np.testing.assert_array_equal(moved.disparity, anchor.disparity)


def test_what_receded_is_level_and_stays():
    """The wall around it is too near by 0.1 px; levelling moves the wall, not what lies on the earlier one already."""
    anchor, sight = uncovering()
    anchor = replace(anchor, disparity=anchor.disparity + np.where(anchor.disparity == FAR, np.float32(0.1), 0))
    moved, receded = anchor.receded(sight, LINK, contrast=24.0)
    levelled = moved.levelled(sight, LINK, receded)
    np.testing.assert_allclose(levelled.disparity[receded], FAR, atol=0.01)
