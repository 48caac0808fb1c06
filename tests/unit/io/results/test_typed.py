"""Results from elsewhere: each field of the provenance that has another type than ours is refused, and named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ioadr
from ioadr import Camera, InputError
from ioadr.io.results import load
from ioadr.io.results.typed import checked
from tests.scenes import make_estimate

Place = tuple[str | int, ...]
WRONG: tuple[Any, ...] = (None, True, "x", 7, 1.5, [], {}, [1, "a"], {"a": 1}, float("nan"), 10**400)
OPTIONAL: set[Place] = {("camera",), ("layout",), ("camera", "world"), ("layout", "positions"), ("layout", "present")}
OPTIONAL |= {("history", number, "mean_cost") for number in (0, 1)}
"""Where null is what we write."""
FREE: set[Place] = {("source", "options"), ("source", "alignment")}
"""Tables of anything."""


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """Loads a result whose provenance, or one of whose arrays, was replaced."""
    camera = Camera(50.0, 36.0, 20.0, 2.5, 7, 6)
    make_estimate(np.linspace(-1, 1, 42, dtype=np.float32).reshape(6, 7), camera).save(tmp_path, formats=["npz"])
    with np.load(tmp_path / "estimate.npz") as content:
        arrays = {name: content[name] for name in content.files}

    def loaded(changes: dict[str, Any]) -> ioadr.Estimate:
        if "provenance" in changes:
            changes = {**changes, "provenance": np.array(json.dumps(changes["provenance"]))}
        monkeypatch.setattr(load, "_arrays", lambda archive: {**arrays, **changes})
        return load.load_estimate(tmp_path)

    return loaded, arrays


def places(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    yield place, value
    if place[:1] == ("parameters",) or place in FREE:
        return
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*place, key))


def replaced(value: Any, place: Place, new: Any) -> Any:
    if not place:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = replaced(value[place[0]], place[1:], new)  # type: ignore[index]
    return copy


def right_type(place: Place, value: Any, new: Any) -> bool:
    """Whether the new value is one that we might have written there."""
    if new is None:
        return place in OPTIONAL
    if isinstance(value, float):
        return isinstance(new, int | float) and not isinstance(new, bool) and abs(new) < 2**63 and new == new
    if isinstance(value, int) and not isinstance(value, bool):
        return isinstance(new, int) and not isinstance(new, bool) and new < 2**63
    return isinstance(new, type(value)) or (place == ("verdict",) and new == [])


def test_every_field_of_another_type_is_refused(stored):
    loaded, arrays = stored
    provenance = json.loads(str(arrays["provenance"]))
    loaded({"provenance": provenance})
    count = 0
    for place, value in places(provenance):
        if value is None:
            continue
        for new in WRONG:
            if not right_type(place, value, new):
                count += 1
                with pytest.raises(InputError, match="not what `ioadr estimate` writes"):
                    loaded({"provenance": replaced(provenance, place, new)})
                    pytest.fail(f"{place} = {new!r} was accepted")
    assert count > 300


def test_a_result_with_doubts_is_loaded(stored):
    loaded, arrays = stored
    provenance = json.loads(str(arrays["provenance"]))
    result = loaded({"provenance": provenance | {"verdict": ["17 % of the pixels have the smallest disparity"]}})
    assert np.array_equal(result.disparity, arrays["disparity"])


def test_the_refusal_names_the_field(stored):
    loaded, arrays = stored
    provenance = json.loads(str(arrays["provenance"]))
    with pytest.raises(InputError, match=r"writes: seed is 'x', which is not a whole number\. Run"):
        loaded({"provenance": provenance | {"seed": "x"}})
    with pytest.raises(InputError, match=r"writes: camera\.width is 'wide', which is not a whole number"):
        loaded({"provenance": replaced(provenance, ("camera", "width"), "wide")})
    with pytest.raises(InputError, match=r"writes: range\.origin is 'mars', which is not one of "):
        loaded({"provenance": replaced(provenance, ("range", "origin"), "mars")})


def test_parts_and_grids_beyond_reason_are_refused(stored):
    loaded, arrays = stored
    provenance = json.loads(str(arrays["provenance"]))
    beyond: list[tuple[Place, Any]] = [
        (("range", "maximum"), 1e300),
        (("camera", "baseline_mm"), 1e-300),
        (("part", "window", "top"), -1),
        (("part", "height"), 5),
        (("source", "grid"), [30000, 30000]),
    ]
    for place, new in beyond:
        with pytest.raises(InputError, match="not what `ioadr estimate` writes"):
            loaded({"provenance": replaced(provenance, place, new)})


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("disparity", np.zeros((6, 7), np.int32)),
        ("confidence", np.zeros((6, 7), "U3")),
        ("visible_views", np.zeros((6, 7), np.float32)),
        ("image", np.zeros((6, 7, 2), np.uint8)),
        ("image", np.zeros((6, 7), np.uint8)),
        ("cost_data", np.zeros((6, 8), np.float32)),
        ("two_minima", np.zeros((6, 7), np.uint8)),
        ("white", np.array("bright")),
        ("white", np.array([1.0, 2.0])),
        ("white", np.array(0.0)),
        ("disparity", np.full((6, 7), np.nan, np.float32)),
        ("disparity", np.full((6, 7), np.inf, np.float32)),
        ("disparity", np.full((6, 7), 1e300)),
        ("confidence", np.full((6, 7), 2.0, np.float32)),
        ("image", np.full((6, 7, 3), np.nan, np.float32)),
    ],
)
def test_arrays_of_another_kind_are_refused(stored, name, array):
    with pytest.raises(InputError, match="not what `ioadr estimate` writes"):
        stored[0]({name: array})


def test_lists_become_tuples_where_tuples_are_declared():
    assert checked([1, 2], tuple[int, int], "x") == (1, 2)
    assert checked([[1, 2.5]], tuple[tuple[float, float], ...], "x") == ((1.0, 2.5),)
    with pytest.raises(InputError, match=r"x is '\[1\]', which is not a list of 2"):
        checked([1], tuple[int, int], "x")
