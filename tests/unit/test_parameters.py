"""Presets, variations, files, and what is said about values that do not fit."""

from __future__ import annotations

import tomllib
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import Any

import pytest

from ioadr import InputError, Parameters, load_parameters, preset
from ioadr.presets import FINISH_VARIATIONS, PRESETS, VARIATIONS

NAMES = [f"{g.name}.{i.name}" for g in fields(Parameters) for i in fields(getattr(Parameters(), g.name))]


def value(parameters: Parameters, name: str) -> Any:
    group, item = name.split(".")
    return getattr(getattr(parameters, group), item)


def field_of(name: str) -> Any:
    group, item = name.split(".")
    return next(f for f in fields(getattr(Parameters(), group)) if f.name == item)


def test_paper_is_what_made_the_published_tables():
    paper = preset("paper")
    assert paper == Parameters()
    assert (paper.congruence.disparity_scale, paper.planar.inlier_share) == (20.0, 0.9)
    assert (paper.congruence.half_width, paper.planar.half_width) == (4, 18)
    assert (paper.search.sweeps, paper.search.temperature, paper.search.cooling) == (10, 10.0, 0.8)


def test_text_follows_the_text():
    text = preset("text")
    assert (text.congruence.disparity_scale, text.planar.inlier_share) == (10.0, 1.3)
    assert not text.congruence.ramp
    assert not text.search.phased
    assert not text.data.plain_when_cheaper


@pytest.mark.parametrize("name", VARIATIONS)
def test_a_variation_changes_what_it_names_and_nothing_else(name):
    varied, plain = preset(f"paper/{name}"), preset("paper")
    changed = {n for n in NAMES if value(varied, n) != value(plain, n)}
    assert changed == set(VARIATIONS[name])


@pytest.mark.parametrize("name", FINISH_VARIATIONS)
def test_a_variation_of_the_finish_changes_what_it_names_and_nothing_else(name):
    varied, plain = preset(f"best/{name}"), preset("best")
    changed = {n for n in NAMES if value(varied, n) != value(plain, n)}
    assert changed == set(FINISH_VARIATIONS[name])


def test_vary_leaves_the_original_alone():
    plain = Parameters()
    varied = plain.vary({"congruence.weight": 7, "search.sweeps": 3})
    assert (varied.congruence.weight, varied.search.sweeps) == (7.0, 3)
    assert type(varied.congruence.weight) is float
    assert plain == Parameters()
    with pytest.raises(FrozenInstanceError):
        plain.search = varied.search  # type: ignore[misc]


@pytest.mark.parametrize("name", PRESETS)
def test_toml_round_trip(name, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(PRESETS[name].to_toml(), encoding="utf-8")
    assert load_parameters(file) == PRESETS[name]
    assert tomllib.loads(PRESETS[name].to_toml()) == PRESETS[name].to_dict()


def test_toml_explains_every_value():
    lines = Parameters().to_toml().splitlines()
    assert len([line for line in lines if "  # " in line]) == len(NAMES)


def test_a_file_may_start_from_a_preset(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('preset = "text"\n[search]\nsweeps = 4\n', encoding="utf-8")
    assert load_parameters(file) == preset("text").vary({"search.sweeps": 4})
    file.write_bytes(file.read_bytes().decode().replace("\n", "\r\n").encode("utf-8-sig"))  # by an editor of Windows
    assert load_parameters(file) == preset("text").vary({"search.sweeps": 4})


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_refuses_another_type(name):
    wrong: Any = "nonsense" if isinstance(value(Parameters(), name), (bool, int, float)) else 3
    with pytest.raises(InputError, match=f"parameter {name}: expected .* found"):
        Parameters().vary({name: wrong})


@pytest.mark.parametrize("name", NAMES)
def test_every_bound_is_kept_and_named(name):
    metadata = field_of(name).metadata
    assert metadata["help"]
    for bound, step in ((metadata["low"], -1), (metadata["high"], 1)):
        if bound is not None:
            inside = type(value(Parameters(), name))(bound)
            assert value(Parameters().vary({name: inside}), name) == bound
            with pytest.raises(InputError, match=f"parameter {name}: expected a value .*{bound}.*, found"):
                Parameters().vary({name: type(inside)(bound + step)})


@pytest.mark.parametrize("text", ["nan", "inf", "-inf"])
def test_numbers_are_finite(text):
    with pytest.raises(InputError, match="expected a finite number"):
        Parameters().vary({"congruence.weight": text})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"congruent.weight": 1},
            "unknown group of parameters 'congruent'. Did you mean 'congruence'? Available: initialise",
        ),
        ({"congruence.wait": 1}, "unknown parameter of the group congruence: 'wait'. Did you mean 'weight'?"),
        ({"congruence": 1}, "unknown parameter of the group congruence: ''. Available: weight, ramp"),
        (
            {"initialise.method": "magic"},
            "unknown value 'magic'. Available: auto, structure-tensor, plane-sweep, cheapest",
        ),
        ({"search.sweeps": 1.5}, "expected a whole number, found 1.5"),
        ({"search.sweeps": True}, "expected a whole number, found True"),
        ({"data.occlusion_aware": 1}, "expected true or false, found 1"),
    ],
)
def test_wrong_names_and_kinds(changes, message):
    with pytest.raises(InputError) as caught:
        Parameters().vary(changes)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"), [("on", True), ("True", True), ("1", True), ("off", False), ("false", False), ("0", False)]
)
def test_text_becomes_a_switch(text, expected):
    assert Parameters().vary({"data.occlusion_aware": text}).data.occlusion_aware is expected


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("papier", r"unknown preset 'papier'\. Did you mean 'paper'\? Available: paper, text"),
        ("paper/without-sense", "unknown variation 'without-sense'"),
    ],
)
def test_unknown_presets_are_listed(name, message):
    with pytest.raises(InputError, match=message):
        preset(name)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"sweeps = ", "not a TOML file of parameters"),
        (b"\xff\xfe", "not a TOML file of parameters"),
        (b"preset = 3", 'expected preset = "name"'),
        (b'preset = "mine"', "unknown preset 'mine'. Available: paper"),
        (b"sweeps = 3", r"expected tables such as \[congruence\], found sweeps = 3"),
        (b"[search]\nsweep = 3", "unknown parameter of the group search: 'sweep'. Did you mean 'sweeps'?"),
        (b"[search]\nsweeps = [3]", "parameter search.sweeps: expected a whole number"),
    ],
)
def test_bad_files_are_explained(tmp_path: Path, content: bytes, message: str):
    file = tmp_path / "mine.toml"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_parameters(file)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"mine\.toml: there is no such file"):
        load_parameters(tmp_path / "mine.toml")
