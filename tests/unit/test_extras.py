"""How to install optional packages: from the source from which `ioadr` came."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError

import pytest

from ioadr import extras

RECORDS = [
    (None, "pip install 'ioadr[plot]'"),
    ("damaged", "pip install 'ioadr[plot]'"),
    ({"url": "FOLDER", "dir_info": {}}, "pip install 'PATH[plot]'"),
    ({"url": "FOLDER", "dir_info": {"editable": True}}, "pip install -e 'PATH[plot]'"),
    ({"url": "FOLDER/moved", "dir_info": {}}, "pip install 'ioadr[plot]'"),
    ({"url": "file:///a/ioadr.whl", "archive_info": {}}, "pip install 'ioadr[plot] @ file:///a/ioadr.whl'"),
]


@pytest.mark.parametrize(("record", "command"), RECORDS)
def test_the_command_names_the_source(record, command, tmp_path, monkeypatch):
    """`pip install ioadr[plot]` finds nothing, or another version, where a checkout was installed."""
    folder = tmp_path / "a folder"
    folder.mkdir()

    class Recorded:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            text = record if isinstance(record, str | None) else json.dumps(record)
            return text and text.replace("FOLDER", folder.as_uri())

    monkeypatch.setattr(extras, "distribution", lambda name: Recorded())
    assert extras.install("plot") == f"Install it with: {command.replace('PATH', str(folder))}"


def test_a_checkout_that_was_never_installed(monkeypatch):
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(extras, "distribution", missing)
    assert extras.install("plot") == "Install it with: pip install 'ioadr[plot]'"
