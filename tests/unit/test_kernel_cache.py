"""Compiled code on disk: found again, never wrong, never in the way."""

from __future__ import annotations

import errno
import hashlib
import logging
import operator
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

numba = pytest.importorskip("numba")
pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled without the JIT")

from llvmlite import binding as llvm  # noqa: E402
from numba.core import event  # noqa: E402
from numba.core.codegen import JITCodeLibrary  # noqa: E402

from ioadr import _cache_folder, _compiler, _kernel_cache  # noqa: E402
from ioadr._compiler import remembered_calls  # noqa: E402
from ioadr._jit import compile_clock, kernel, rounded, task  # noqa: E402
from tests.conftest import ROOT  # noqa: E402


def twice(x: Any) -> Any:
    return x + x


def times(x: Any, factor: Any) -> Any:
    return x * factor


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of this test's own."""
    monkeypatch.setattr(_kernel_cache, "FOLDER", tmp_path / "cache" / "ioadr")
    _cache_folder._complain.cache_clear()
    return tmp_path / "cache" / "ioadr"


def compiles(call: Callable[[], Any]) -> bool:
    """Whether a call compiles something; its result must be right anyway."""
    with compile_clock() as seconds:
        assert call() == 6
        return seconds() > 0


@pytest.mark.parametrize("part", ["CompileResult._rebuild", "serialize.dumps"])
def test_a_numba_without_its_private_parts_keeps_kernels_itself(folder, tmp_path, monkeypatch, caplog, part):
    if part == "serialize.dumps":
        monkeypatch.setattr(_kernel_cache, "dumps", None)
    else:
        monkeypatch.delattr(numba.core.compiler.CompileResult, "_rebuild")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "own"))
    _kernel_cache.lacking.cache_clear()
    try:
        assert kernel(twice)(3) == 6
    finally:
        _kernel_cache.lacking.cache_clear()
    assert f"has no {part}" in caplog.text
    assert not _kernel_cache.filled()
    assert (tmp_path / "own").is_dir()


def test_one_version_for_all_constants(folder):
    scaled: Any = kernel(times)

    def caller(x: Any) -> Any:
        return scaled(x, 2) + scaled(x, 4)

    assert task(caller)(1) == 6
    assert [str(kind) for (kind, _) in scaled.inner.overloads] == ["int64"]


def test_compiled_once(folder):
    assert not _kernel_cache.filled()
    assert compiles(lambda: kernel(twice)(3))
    assert _kernel_cache.filled()
    assert not compiles(lambda: kernel(twice)(3))
    assert compiles(lambda: kernel(twice)(3.0)), "other types are another kernel"
    assert not compiles(lambda: kernel(twice)(3.0))
    assert len(list(folder.iterdir())) == 2


def test_a_kernel_from_a_file_becomes_a_part_of_others(folder):
    """Files of kernels hold no code to link with: callers compile it once more, and keep it in a separate file."""
    kernel(twice)(3)
    known = kernel(twice)
    assert not compiles(lambda: known(3))
    assert task(lambda x: known(x) + 1)(3) == 7
    assert sorted(path.suffix for path in folder.iterdir()) == [".kernel", ".kernel", ".part"]


def compiled_functions(call: Callable[[], Any]) -> list[str]:
    """Names of the functions that a call compiles."""
    names: list[str] = []

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, happened: Any) -> None:
            names.append(happened.data["dispatcher"].py_func.__name__)

        def on_end(self, happened: Any) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        call()
    return names


def test_an_inner_kernel_is_compiled_once_for_all_processes(folder):
    """Another process is one whose objects are new."""

    def outer(factor: int) -> Any:
        inner: Any = kernel(twice)
        return task(lambda x: inner(x) + x) if factor == 3 else task(lambda x: inner(x) * 2)

    assert compiled_functions(lambda: outer(3)(2)) == ["<lambda>", "twice"]
    assert compiled_functions(lambda: outer(4)(2)) == ["<lambda>"], "the part comes from a file"
    assert outer(3)(2) == 6
    assert outer(4)(2) == 8
    (part,) = folder.glob("*.part")
    part.write_bytes(part.read_bytes()[:-1])
    for file in folder.glob("*.kernel"):
        file.unlink()
    assert compiled_functions(lambda: outer(4)(2)) == ["<lambda>", "twice"], "a damaged part is compiled again"


def test_numbas_own_functions_are_linked_without_machine_code(folder):
    made: list[Any] = []
    original = _compiler._Own.define_pipelines

    def noticed(compiler: Any) -> list[Any]:
        pipelines = original(compiler)
        made.append(compiler.state.library)
        return pipelines

    def sized(n: Any) -> Any:
        return np.empty((n, 3, n), np.float32).size

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_compiler._Own, "define_pipelines", noticed)
        assert task(sized)(2) == 12
    assert made
    assert all(type(library) is _compiler._LinkedLibrary for library in made)
    assert numba.njit(sized)(2) == 12, "others may use them, too"


def test_inner_kernels_are_optimised_by_their_callers_alone(folder, monkeypatch):
    """A caller optimises what it calls anyway."""
    optimised: list[str] = []
    original = JITCodeLibrary._optimize_final_module

    def noticed(library: Any) -> None:
        optimised.append(library.name)
        original(library)

    monkeypatch.setattr(JITCodeLibrary, "_optimize_final_module", noticed)
    called: Any = kernel(twice)

    def caller(x: Any) -> Any:
        return called(x) + 1

    assert task(caller)(3) == 7
    assert [name.rsplit(".", 1)[-1] for name in optimised] == ["caller"]


def test_a_product_is_rounded_before_it_is_added(folder):
    """Without `rounded`, the compiler may compute product and sum in one step, with other bits."""

    def exact(a: Any, b: Any, c: Any) -> Any:
        return rounded(a * b) + c

    a = np.float32(1 + 2.0**-12)
    c = -np.float32(a * a)
    assert float(a) * float(a) + float(c) == 2.0**-24, "what one step would give"
    assert task(exact)(a, a, c) == 0


def test_compiling_leaves_others_their_numba(folder):
    lock = llvm.ffi.lib._lock
    listeners = list(lock._cblist)
    resolve = numba.types.BaseFunction.get_call_type
    assert task(twice)(3) == 6
    assert listeners
    assert lock._cblist == listeners
    assert numba.types.BaseFunction.get_call_type is resolve


def test_code_that_only_compiled_code_calls_is_not_translated_by_itself(folder):
    called: Any = kernel(twice)
    assert task(lambda x: called(x) + 1)(3) == 7
    entry = called.inner.get_overload(numba.int64(numba.int64))
    assert entry.__name__ == "append", "what stands for it has no machine code"
    assert not called.outer.overloads
    assert called(3) == 6, "Python's own version is compiled when it is called"


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[: len(content) // 2],
        lambda content: content[:100] + bytes([content[100] ^ 1]) + content[101:],
        lambda content: hashlib.sha256(b"not a pickle").digest() + b"not a pickle",
    ],
    ids=["empty", "cut short", "one bit", "valid checksum of something else"],
)
def test_damaged_files_are_replaced(folder, damage):
    kernel(twice)(3)
    (file,) = folder.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert compiles(lambda: kernel(twice)(3))
    assert not compiles(lambda: kernel(twice)(3))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of files")
def test_files_of_other_users_are_not_executed(folder, monkeypatch):
    kernel(twice)(3)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    (file,) = folder.iterdir()
    owned_by_root = file.stat().st_uid == 0
    assert compiles(lambda: kernel(twice)(3)) is not owned_by_root


def test_a_folder_that_cannot_be_made_costs_only_time(folder, caplog):
    folder.parent.write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING):
        assert compiles(lambda: kernel(twice)(3))
        assert compiles(lambda: kernel(twice)(3.0))
    (record,) = caplog.records
    assert str(folder) in record.getMessage()
    assert "IOADR_CACHE" in record.getMessage()


def test_a_full_disk_costs_only_time(folder, monkeypatch, caplog):
    kernel(twice)(3)
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "disk full")))
    with caplog.at_level(logging.WARNING):
        assert compiles(lambda: kernel(twice)(3.0))
    assert "disk full" in caplog.text
    assert len(list(folder.iterdir())) == 1, "the unfinished file is removed"
    assert not compiles(lambda: kernel(twice)(3)), "what is there is still used"


def test_folders_of_old_sources_are_removed(folder):
    old = [folder.parent / f"old{i:02d}" for i in range(20)]
    for age, place in enumerate(old):
        place.mkdir(parents=True)
        (place / "some.kernel").write_bytes(b"")
        os.utime(place, (1e9 - age, 1e9 - age))
    kernel(twice)(3)
    assert {item.name for item in folder.parent.iterdir()} == {folder.name, *(p.name for p in old[:12])}


PROGRAM = """
import resource, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
if len(sys.argv) > 2:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
import loops
for kind in np.random.default_rng().permutation(["float32", "float64", "int32", "int64"]):
    total = loops.outer(np.arange(5, dtype=kind))
    assert total == 60, (kind, total)
"""

LOOPS = """
from ioadr._jit import kernel, task

@kernel
def inner(x):
    return x * 2

@task
def outer(values):
    total = 0
    for i in range(values.size):
        total += inner(values[i]) * 3
    return total
"""


def start(place: Path, cache: Path, *limits: str) -> subprocess.Popen[str]:
    """A process that calls a kernel inside another with four types, in random order."""
    (place / "loops.py").write_text(LOOPS)
    environment = {**os.environ, "IOADR_CACHE": str(cache)}
    command = [sys.executable, "-c", PROGRAM, str(place), *limits]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_processes_may_fill_the_cache_at_once(tmp_path):
    running = [start(tmp_path, tmp_path / "cache") for _ in range(3)]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(files) == 8, "what Python called and its part, four types, nothing temporary"
    written = {path: path.stat().st_mtime_ns for path in files}
    _, errors = start(tmp_path, tmp_path / "cache").communicate(timeout=120)
    assert not errors
    assert {path: path.stat().st_mtime_ns for path in files} == written


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no limits on file sizes")
def test_a_disk_that_fills_up_while_writing(tmp_path):
    process = start(tmp_path, tmp_path / "cache", "1024")
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def copy_of_the_sources(place: Path) -> Path:
    shutil.copytree(_cache_folder.PACKAGE, place, ignore=shutil.ignore_patterns("__pycache__", "app", "io"))
    return place


@pytest.mark.parametrize("name", ["_jit.py", "_lanes.py", "geometry/ppp.py", "cost/occlusion.py", "solver/sweep.py"])
def test_a_change_anywhere_invalidates_all(tmp_path, name):
    package = copy_of_the_sources(tmp_path / "ioadr")
    before = _cache_folder.fingerprint(package)
    assert before == _cache_folder.fingerprint(_cache_folder.PACKAGE)
    with (package / name).open("a") as file:
        file.write("\n# changed\n")
    assert _cache_folder.fingerprint(package) != before


def test_settings_of_numba_have_caches_of_their_own(monkeypatch):
    before = _cache_folder.fingerprint(_cache_folder.PACKAGE)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "3")
    assert _cache_folder.fingerprint(_cache_folder.PACKAGE) == before, "kernels do not use numba's threads"
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert _cache_folder.fingerprint(_cache_folder.PACKAGE) != before


@pytest.mark.skipif(sys.platform == "win32", reason="no locks: all compile")
def test_what_another_process_compiles_is_waited_for(folder):
    """The other has claimed the kernel; when it stores it and ends, it is loaded here."""
    kernel(twice)(3)
    (file,) = folder.iterdir()
    content, other = file.read_bytes(), _cache_folder.Claim()
    file.unlink()
    other.take(file)

    def stored() -> None:
        file.write_bytes(content)
        other.release()

    later = threading.Timer(0.3, stored)
    later.start()
    assert not compiles(lambda: kernel(twice)(3))
    later.join()
    assert list(folder.iterdir()) == [file]


@pytest.mark.skipif(sys.platform == "win32", reason="no locks: all compile")
def test_a_process_that_stands_still_is_not_waited_for_for_ever(folder, monkeypatch):
    monkeypatch.setattr(_cache_folder, "PATIENCE", 0.1)
    kernel(twice)(3)
    (file,) = folder.iterdir()
    file.unlink()
    other = _cache_folder.Claim()
    other.take(file)
    assert compiles(lambda: kernel(twice)(3))
    other.release()


def test_functions_of_one_name_are_not_confused(folder):
    assert kernel(lambda x: x * 3)(2) == 6
    assert kernel(lambda x: x * 4)(2) == 8


SWEEP = """
import hashlib
from tests.reference.scenes import random_problem
problem = random_problem(5, size=(23, 25), grid=(3, 3), sweep=3, exact=False)
problem.refinement.sweep(problem.step, seed=1)
print(hashlib.sha256(problem.refinement.disparity.tobytes()).hexdigest())
"""
ESTIMATION = """
import hashlib, ioadr
from ioadr.evaluation.synthetic import random_light_field
lf = random_light_field(1, "mixed", (40, 44), (3, 3), (-1.5, 1.5)).lightfield
parameters = ioadr.preset("paper").vary({"search.sweeps": 7, "finish.passes": 1, "coverage.settle": True})
print(hashlib.sha256(ioadr.estimate(lf, parameters).disparity.tobytes()).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.parametrize("program", [pytest.param(SWEEP, id="sweep"), pytest.param(ESTIMATION, id="estimation")])
def test_compiled_now_or_earlier_gives_the_same_bytes(program, tmp_path):
    """Kernels of a process that compiles are linked in another order than those of one that finds them compiled."""
    environment = {**os.environ, "IOADR_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", program]
    runs = [
        subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True) for _ in range(2)
    ]
    assert len(runs[0].stdout.strip()) == 64
    assert runs[0].stdout == runs[1].stdout


class Context:
    """Resolves calls as numba's typing context does, and counts them."""

    def __init__(self) -> None:
        self.calls: list[object] = []

    def resolve_function_type(self, function, arguments, keywords):
        self.calls.append((function, arguments))
        return None if "unknown" in arguments else f"{function} of {arguments}"


def test_calls_of_built_in_functions_are_resolved_once(monkeypatch):
    monkeypatch.setattr(_compiler, "_known_calls", {})
    context = Context()
    with remembered_calls(context), remembered_calls(context):
        for _ in range(3):
            assert context.resolve_function_type(operator.add, ("a", "b"), {}) == f"{operator.add} of ('a', 'b')"
            assert context.resolve_function_type(operator.add, ("b", "a"), {}) == f"{operator.add} of ('b', 'a')"
        assert len(context.calls) == 2
        for _ in range(3):
            assert context.resolve_function_type(operator.add, ("unknown", "b"), {}) is None
            context.resolve_function_type(Context, ("a", "b"), {})
            context.resolve_function_type(max, ("a", "b"), {"key": "c"})
        assert len(context.calls) == 2 + 9, "failures, other functions and keywords are resolved every time"
    context.resolve_function_type(operator.add, ("a", "b"), {})
    assert len(context.calls) == 2 + 9 + 1, "others who use numba in this process are not affected"
