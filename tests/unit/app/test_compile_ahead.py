"""A second process compiles what a first run needs later."""

from __future__ import annotations

import gc
import subprocess
from collections import Counter

import pytest
from numba.core.dispatcher import Dispatcher

import ioadr
from ioadr import _cache_folder, preset
from ioadr.app import compile_ahead
from ioadr.app.compile_ahead import compiling_ahead
from tests.builders import make_lightfield

slow = pytest.mark.slow


def signatures() -> Counter[str]:
    """How many versions of each kernel this process has compiled or loaded."""
    kernels = [item for item in gc.get_objects() if issubclass(type(item), Dispatcher)]  # not what weak proxies are of
    return Counter({f"{k.py_func.__qualname__} {id(k)}": len(k.overloads) for k in kernels})


@pytest.mark.parametrize("name", ["fast", pytest.param("paper", marks=slow), pytest.param("best", marks=slow)])
def test_an_estimation_needs_no_kernel_beyond_those_compiled_ahead(name):
    compile_ahead.compile_ahead(preset(name))
    before = signatures()
    lightfield = make_lightfield(size=(40, 44), grid=(9, 9))
    ioadr.estimate(lightfield.with_(range=ioadr.DisparityRange(-1.0, 1.0)), name, threads=2)
    assert not signatures() - before


class Process:
    """A process that is only asked to end."""

    def __init__(self) -> None:
        self.ended = False

    def terminate(self) -> None:
        self.ended = True

    def wait(self) -> None:
        assert self.ended


@pytest.mark.parametrize("first", [False, True])
def test_another_process_starts_when_a_kernel_is_missing_and_ends_with_the_block(monkeypatch, tmp_path, first):
    """In a first run immediately, while files are read."""
    if not first:
        (tmp_path / "some.kernel").touch()
    processes: list[Process] = []

    def started(command: list[str], **_: object) -> Process:
        assert command[1:3] == ["-m", "ioadr.app.compile_ahead"]
        processes.append(Process())
        return processes[-1]

    monkeypatch.setattr(compile_ahead, "cores", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", started)
    monkeypatch.setattr(_cache_folder, "FOLDER", tmp_path)
    with compiling_ahead(preset("fast"), None):
        if not first:
            assert not processes
            _cache_folder.when_missing.pop()()
        assert [process.ended for process in processes] == [False]
    assert [process.ended for process in processes] == [True]
    with compiling_ahead(preset("fast"), threads=1):
        assert not _cache_folder.when_missing, "one thread was asked for"
    with compiling_ahead(preset("fast"), threads=2):
        pass
    assert not _cache_folder.when_missing


def test_where_no_process_can_be_started_one_compiles_it_all(monkeypatch, tmp_path):
    (tmp_path / "some.kernel").touch()
    monkeypatch.setattr(_cache_folder, "FOLDER", tmp_path)

    def refused(*_: object, **__: object) -> None:
        raise OSError("no processes left")

    monkeypatch.setattr(compile_ahead, "cores", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", refused)
    with compiling_ahead(preset("fast"), None):
        _cache_folder.when_missing.pop()()
        assert not _cache_folder.when_missing, "it is not tried again"
