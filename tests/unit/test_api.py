"""The package's public names."""

from __future__ import annotations

import importlib
import subprocess
import sys
from types import FunctionType

import pytest

import ioadr

FRESH = """
import ioadr.estimate, ioadr.io
from ioadr.estimation import estimate
assert ioadr.estimate is estimate, ioadr.estimate
assert ioadr.read is ioadr.io.read
"""


@pytest.mark.parametrize("name", ioadr.__all__)
def test_every_public_name_is_there(name):
    assert getattr(ioadr, name) is not None
    assert name in dir(ioadr)


def test_estimate_stays_the_function():
    """Importing the module of the same name would replace it, in whatever order things are imported."""
    importlib.import_module("ioadr.estimate")
    assert isinstance(ioadr.estimate, FunctionType)
    subprocess.run([sys.executable, "-c", FRESH], check=True, timeout=120)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'estimat'"):
        ioadr.estimat  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(ioadr, "truth")


def test_errors_are_one_family():
    assert issubclass(ioadr.InputError, (ioadr.IoadrError, ValueError))
    assert issubclass(ioadr.OutputError, (ioadr.IoadrError, OSError))
