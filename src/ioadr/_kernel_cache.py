"""Compiled kernels on disk: one file per kernel and signature, so that processes never share an index.

numba's own cache does not notice that a *called* function in another file changed, lets two processes that
fill it at once give one name to two kernels, and fails where its folder cannot be written. Here the folder's
name is a hash of all compiled sources and of what compiles them, a file's name is a hash of its kernel and types,
files appear whole or not at all, and a folder that is full or read-only only costs time.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import pickle
import shutil
import sys
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import rtsys

try:
    from numba.core.serialize import dumps
except ImportError:  # a numba that we do not know: see `lacking`
    dumps = None

PACKAGE = Path(__file__).parent
ROOMS = ("geometry", "cost", "solver", "views")
SUFFIX = ".kernel"
CHECKSUM = hashlib.sha256().digest_size
KEPT = 12
"""Folders of other sources or settings that are kept when a new one is made; each holds some megabytes."""

logger = logging.getLogger(__name__)


def fingerprint(package: Path) -> str:
    """Hash of everything compiled code depends on: sources, Python, numba, LLVM and numba's settings."""
    digest = hashlib.sha256(f"{sys.version} {version('numba')} {version('llvmlite')}".encode())
    settings = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    digest.update(repr(settings).encode())
    rooms = (path for room in ROOMS for path in sorted((package / room).glob("*.py")))
    for path in [*(package / f"{name}.py" for name in ("_jit", "_kernel_cache", "_lanes")), *rooms]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _folder() -> Path:
    base = os.environ.get("IOADR_CACHE") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "ioadr" / fingerprint(PACKAGE)


FOLDER = _folder()
"""Folder of the kernels of these sources; computed before they are imported, because files may change later."""


@cache
def lacking() -> str | None:
    """Private part of numba that this cache needs and this version lacks; None if it has all."""
    needed = {
        "CompileResult._reduce": hasattr(CompileResult, "_reduce"),
        "CompileResult._rebuild": hasattr(CompileResult, "_rebuild"),
        "Dispatcher.enable_caching": hasattr(Dispatcher, "enable_caching"),
        "serialize.dumps": dumps is not None,
        "rtsys.initialize": hasattr(rtsys, "initialize"),
    }
    missing = ", ".join(name for name, there in needed.items() if not there)
    if missing:
        logger.warning(
            "numba %s has no %s: compiled loops are kept by numba itself, beside the package. "
            "Remove its __pycache__ folders after changing a kernel.",
            version("numba"),
            missing,
        )
    return missing or None


def filled() -> bool:
    """Whether kernels of these sources are on disk."""
    return any(FOLDER.glob(f"*{SUFFIX}"))


def prepare(context: Any) -> None:
    """Load the numba runtime that compiled code calls. A `refresh` would also load the compiler: 0.3 s more."""
    rtsys.initialize(context)


class KernelCache:
    """Compiled versions of one function, in the interface that numba expects of a cache."""

    def __init__(self, function: Any) -> None:
        code = function.__code__
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.key = self.name, code.co_firstlineno, code.co_code, code.co_consts, code.co_names

    @property
    def cache_path(self) -> str:
        return str(FOLDER)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled function, or None."""
        prepare(context)
        payload = read(self._path(signature, context.codegen()))
        try:
            return None if payload is None else restored(context, pickle.loads(payload))
        except Exception as error:
            logger.debug("%s: compiled again, because it could not be loaded: %s", self.name, error)
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Store the function if possible; otherwise the next process compiles again."""
        if not (compiled.lifted or compiled.library.has_dynamic_globals):
            write(self._path(signature, compiled.codegen), dumps(reduced(compiled)))

    def _path(self, signature: Any, codegen: Any) -> Path:
        key = repr((self.key, signature, codegen.magic_tuple()))
        return FOLDER / (hashlib.sha256(key.encode()).hexdigest()[:32] + SUFFIX)


def reduced(compiled: Any) -> tuple[Any, ...]:
    """The part worth keeping: machine code, without the bitcode for linking with other functions.

    Nothing is linked with what comes from a file (see `_jit`), so that a list of names is enough of it. It takes a
    third of the time to load.
    """
    (name, kind, (machine_code, _)), *rest = compiled._reduce()
    names = (function.name for function in compiled.library.get_defined_functions())
    listed = "".join(f'define void @"{name}"() {{ ret void }}\n' for name in names)
    return (name, kind, (machine_code, llvm.parse_assembly(listed).as_bitcode())), *rest


def restored(context: Any, kept: tuple[Any, ...]) -> Any:
    """Rebuild the compiled function. Linking with it fails, because it has no bitcode."""
    compiled = CompileResult._rebuild(context, *kept)
    compiled.library._shared_module = None
    return compiled


def read(path: Path) -> bytes | None:
    """Content of a kernel's file; None if it is missing, damaged or was written by another user."""
    try:
        with path.open("rb") as file:
            if hasattr(os, "getuid") and os.fstat(file.fileno()).st_uid not in (0, os.getuid()):
                return None
            content = file.read()
    except OSError:
        return None
    payload = content[CHECKSUM:]
    return payload if content[:CHECKSUM] == hashlib.sha256(payload).digest() else None


def write(path: Path, payload: bytes) -> None:
    """Write a kernel's file as a whole, or not at all."""
    temporary = None
    try:
        if not path.parent.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _forget_oldest(path.parent.parent)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
            temporary = Path(file.name)
            file.write(hashlib.sha256(payload).digest() + payload)
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
        _complain(str(path.parent), error.strerror or str(error))


def _forget_oldest(base: Path) -> None:
    """Remove the oldest folders; a process that still needs one compiles again."""
    folders = sorted((item for item in base.iterdir() if item.is_dir()), key=lambda item: item.stat().st_mtime)
    for folder in folders[: -KEPT - 1]:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def _complain(place: str, reason: str) -> None:
    """Say once why the next run will compile again."""
    logger.warning(
        "kernel cache %s: cannot be written (%s), so every run compiles again. Name another folder in IOADR_CACHE.",
        place,
        reason,
    )
