"""Interrupts in the first seconds end a process soon, with their code and without a traceback."""

from __future__ import annotations

import json
import os

import pytest

from tests.interrupted import main

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are sent in the POSIX way")


def test_five_interrupts(capsys, monkeypatch):
    """The quick form of `python -m tests.interrupted --times 1000`."""
    monkeypatch.setenv("PYTHONPATH", "")
    assert main(["--times", "5", "--seed", "3", "--window", "1.5"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["times"] == 5
