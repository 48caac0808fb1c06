"""Hostile clients lock no one out and get nothing."""

from __future__ import annotations

import json
import os

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.hostile import main

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are sent in the POSIX way")


@pytest.mark.slow
def test_three_seconds_of_hostile_clients(capsys):
    """The quick form of `python -m tests.hostile --seconds 1800`; that of `make test` is in test_refusals.py."""
    assert main(["--seconds", "3", "--seed", "1"]) == 0, capsys.readouterr().err
    told = json.loads(capsys.readouterr().out)
    assert told["honest"] >= 3
    assert told["hostile"] > 12
