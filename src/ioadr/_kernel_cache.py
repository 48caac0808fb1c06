"""Compiled kernels on disk: one file per kernel and signature, so that processes never share an index.

numba's own cache does not notice that a *called* function in another file changed, lets two processes that
fill it simultaneously give one name to two kernels, and fails where its folder cannot be written. Here, the folder's
name is a hash of all compiled sources and of the compiler, and a file's name is a hash of its kernel and types. Files
are complete or absent. If the folder is full or read-only, each process compiles again.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import rtsys

from ioadr._cache_folder import FOLDER, KERNEL, Claim, read, when_missing, write

try:
    from numba.core.serialize import dumps
except ImportError:  # a numba that we do not know: see `lacking`
    dumps = None

logger = logging.getLogger(__name__)

_claim = Claim()
"""The kernel that this process compiles: one at a time, because numba does."""


@cache
def lacking() -> str | None:
    """Name of a private part of numba that this cache needs and this version lacks; None if all are there."""
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
            "numba %s has no %s: compiled loops are kept by numba itself, next to the package. "
            "Remove its __pycache__ folders after changing a kernel.",
            version("numba"),
            missing,
        )
    return missing or None


def filled() -> bool:
    """Whether kernels of these sources are on disk."""
    return any(FOLDER.glob(f"*{KERNEL}"))


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
        path = self._path(signature, context.codegen())
        payload = read(path) or _from_others(path)
        try:
            return None if payload is None else restored(context, pickle.loads(payload))
        except Exception as error:
            logger.debug("%s: compiled again, because it could not be loaded: %s", self.name, error)
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Store the function if possible; otherwise the next process compiles again."""
        if not unkept(compiled):
            write(self._path(signature, compiled.codegen), packed(reduced(compiled)))
        _claim.release()

    def _path(self, signature: Any, codegen: Any) -> Path:
        key = repr((self.key, signature, codegen.magic_tuple()))
        return FOLDER / (hashlib.sha256(key.encode()).hexdigest()[:32] + KERNEL)


def _from_others(path: Path) -> bytes | None:
    """A missing kernel that another process has compiled meanwhile; None if this process must compile it."""
    while when_missing:
        when_missing.pop()()
    _claim.take(path)
    payload = read(path)
    if payload is not None:
        _claim.release()
    return payload


def unkept(compiled: Any) -> bool:
    """Whether compiled code works in this process only."""
    return bool(compiled.lifted or compiled.library.has_dynamic_globals)


def packed(parts: tuple[Any, ...]) -> bytes:
    """Bytes of a file."""
    return bytes(dumps(parts))


def reduced(compiled: Any) -> tuple[Any, ...]:
    """The part to store: machine code, without the bitcode for linking with other functions.

    Nothing is linked with code from a file (see `_jit`), so a list of names is sufficient, and loading takes a third of
    the time. Environments of called functions are left out where they hold no Python objects: numba
    would import the module of each.
    """
    (name, kind, (machine_code, _)), *rest, environments = compiled._reduce()
    used = tuple(environment for environment in environments if environment.consts)
    names = (function.name for function in compiled.library.get_defined_functions())
    listed = "".join(f'define void @"{name}"() {{ ret void }}\n' for name in names)
    return (name, kind, (machine_code, llvm.parse_assembly(listed).as_bitcode())), *rest, used


def restored(context: Any, kept: tuple[Any, ...]) -> Any:
    """Rebuild the compiled function. Linking with it fails, because it has no bitcode."""
    compiled = CompileResult._rebuild(context, *kept)
    compiled.library._shared_module = None
    return compiled
