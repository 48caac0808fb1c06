"""What is said about maps of other views reaches the notes and doubts of the estimate."""

from __future__ import annotations

import numpy as np

from ioadr import DisparityRange
from ioadr.errors import as_options
from ioadr.layout import Layout, regular
from ioadr.views.outside import Outside, range_notes
from ioadr.views.remarks import as_captured, remarked
from tests.scenes import make_estimate

INDEX = np.array(list(np.ndindex(3, 3)))


def confidence(*poor: int) -> np.ndarray:
    """Maps [9, 20, 24] of which a few have hardly a reliable pixel."""
    values = np.full((9, 20, 24), 0.9, np.float16)
    values[list(poor)] = 0.3
    return values


def test_views_with_hardly_a_reliable_pixel_are_doubtful():
    estimate = make_estimate(np.full((20, 24), 0.5))
    assert remarked(estimate, INDEX, confidence(), ()).doubts == estimate.doubts
    told = remarked(estimate, INDEX, confidence(0, 1, 2, 3, 8), ())
    text = "hardly any pixel is reliable in 5 of 9 views (0 0, 0 1, 0 2, 1 0, …)"
    assert told.doubts == (text, *estimate.doubts)
    assert text in told.provenance["verdict"]
    assert told.notes == estimate.notes


def test_the_worst_views_outside_a_range_are_named():
    limits = DisparityRange(-1, 1, "user")
    outside = [Outside((0, k), k, 10, -1.0, 1.0 + 0.1 * k) for k in range(1, 7)]
    [note] = range_notes(limits, outside)
    assert "views 0 6 (6 of 10), 0 5 (5 of 10), 0 4 (4 of 10), 0 3 (3 of 10) and 2 more, hidden" in note
    assert as_options(note).endswith("leave --range out, or widen it: --range -1 1.6")
    assert range_notes(limits, ()) == ()


def test_a_note_says_that_views_were_moved_into_one_plane():
    estimate = make_estimate(np.full((20, 24), 0.5))
    flat = np.pad(regular((3, 3)), ((0, 0), (0, 0), (0, 1)))
    assert as_captured(estimate, Layout.of((3, 3), positions=flat)) is estimate
    out = Layout.of((3, 3), positions=flat + 0.25 * (flat[..., :1] == 0) * (0, 0, 1))
    told = as_captured(estimate, out)
    assert told.layout is out
    assert told.notes[-1].startswith("views up to 0.25 baseline units out of one plane were moved into it")
