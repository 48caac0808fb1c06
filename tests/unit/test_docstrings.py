"""Public names document their parameters and results, with examples that run."""

from __future__ import annotations

import doctest
import inspect
import os
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module

import numpy as np
import pytest

import ioadr

NAMES = [name for name in ioadr.__all__ if not name.startswith("__")]
MODULES = sorted({getattr(ioadr, name).__module__ for name in NAMES})


@cache
def scene() -> dict[str, object]:
    """Names that examples can use: a plane at a disparity of 1 px, and its estimate."""
    texture = np.random.default_rng(0).random((40, 60))
    views = np.stack([[np.roll(texture, (-row, -column), (0, 1)) for column in range(5)] for row in range(5)])
    lightfield = ioadr.LightField(views, range=ioadr.DisparityRange(0, 2), name="plane")
    estimate = ioadr.estimate(lightfield, "fast")
    return {"ioadr": ioadr, "np": np, "os": os, "lightfield": lightfield, "estimate": estimate}


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    failures: list[str] = []
    for test in finder.find(import_module(module), globs={}):
        test.globs = dict(scene())
        runner.run(test, out=failures.append)
    assert "".join(failures) == ""


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_an_example(name):
    text = inspect.getdoc(getattr(ioadr, name))
    assert text is not None
    assert ">>>" in text, f"{name} has no example"


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isfunction(getattr(ioadr, name))])
def test_functions_name_their_parameters(name):
    function = getattr(ioadr, name)
    text = inspect.getdoc(function)
    assert text is not None
    for section in ("Parameters", "Returns", "Raises", "Examples"):
        assert f"{section}\n{'-' * len(section)}" in text, f"{name} has no section {section}"
    for parameter in inspect.signature(function).parameters:
        assert f"{parameter} :" in text or f"**{parameter}" in text, f"{name}: {parameter} is not described"


@pytest.mark.parametrize("name", ["Camera", "DisparityRange", "LightField", "Part", "Viewpoint", "Window"])
def test_classes_that_users_create_name_their_parameters(name):
    created = getattr(ioadr, name)
    text = inspect.getdoc(created)
    assert text is not None
    assert "Parameters\n----------" in text
    described = {word for line in re.findall(r"^([\w, ]+) : ", text, re.MULTILINE) for word in line.split(", ")}
    assert described == set(inspect.signature(created).parameters)


def methods() -> dict[str, Callable[..., object]]:
    """Public methods, by class and name."""
    return {
        f"{name}.{item}": getattr(value, "__func__", value)
        for name in NAMES
        if inspect.isclass(getattr(ioadr, name))
        for item, value in vars(getattr(ioadr, name)).items()
        if not item.startswith("_") and inspect.isfunction(getattr(value, "__func__", value))
    }


@pytest.mark.parametrize("name", methods())
def test_methods_name_their_parameters(name):
    method = methods()[name]
    text = inspect.getdoc(method)
    assert text is not None
    for parameter in inspect.signature(method).parameters:
        described = (f"{parameter} :", f"`{parameter}`", f"**{parameter}")
        assert parameter in ("self", "cls") or any(words in text for words in described), (
            f"{parameter} is not described"
        )


@pytest.mark.parametrize(
    "name",
    [
        *(f"Estimate.{method}" for method in ("seen_from", "compare", "plot", "save", "export")),
        *(f"LightField.{method}" for method in ("plot_epi", "replace", "crop")),
        *(
            f"Views.{method}"
            for method in ("map_of", "uncovered", "render", "export", "quilt", "points", "mesh", "save")
        ),
        "Layout.of",
        "Parameters.replace",
    ],
)
def test_methods_for_users_have_all_sections(name):
    text = inspect.getdoc(methods()[name])
    assert text is not None
    sections = re.findall(r"^(\w+)\n-+$", text, re.MULTILINE)
    silent = {"Estimate.seen_from", "Views.points", "Views.mesh"}
    assert sections == ["Parameters", "Returns", *(["Raises"] if name not in silent else []), "Examples"]
