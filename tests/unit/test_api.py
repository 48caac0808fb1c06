"""The package's public names."""

from __future__ import annotations

import pkgutil

import pytest

import ioadr


@pytest.mark.parametrize("name", ioadr.__all__)
def test_every_public_name_is_there(name):
    assert getattr(ioadr, name) is not None
    assert name in dir(ioadr)


def test_no_module_is_called_like_a_public_name():
    """Importing such a module would put it in the place of the name, in whatever order things are imported."""
    modules = {module.name for module in pkgutil.iter_modules(ioadr.__path__)}
    assert "estimation" in modules
    assert modules.isdisjoint(ioadr.__all__)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'estimat'"):
        ioadr.estimat  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(ioadr, "truth")


def test_errors_are_one_family():
    assert issubclass(ioadr.InputError, (ioadr.IoadrError, ValueError))
    assert issubclass(ioadr.OutputError, (ioadr.IoadrError, OSError))
