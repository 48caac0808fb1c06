"""The only module that configures numba: decorators, threads and the cache of compiled code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, update_wrapper
from typing import Any, cast

import numba
from numba.core import cgutils, event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.options import DefaultOptions
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from ioadr import _kernel_cache
from ioadr._compiler import LINKED, Callee, Lean, PartCache
from ioadr.machine import cores

_UNCOUNTED = {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}
"""Private to numba; without it, kernels give the same values but are slower."""
Function = Callable[..., Any]
_OPTIONS = {
    "no_cfunc_wrapper": True,
    "error_model": "numpy",
    "nogil": True,
    "fastmath": {"nsz", "arcp", "contract", "reassoc"},
}


def kernel(function: Function) -> Function:
    """Compile a loop that allocates nothing, without reference counts, because threads would contend for them.

    It is inlined into its callers. A separate function would be compiled again for every caller, with different
    rounding, and the cache would decide which version runs: the bytes would vary, and it would be a fifth slower.
    """
    return _compiled(function, forceinline=True, **_UNCOUNTED, **_OPTIONS)


def task(function: Function) -> Function:
    """Compile one worker's share of the work: it may allocate scratch, calls kernels and runs without Python's lock."""
    return _compiled(function, **_OPTIONS)


class _Compiled:
    """A function for Python and for other compiled code; each has its own version, made when it is first needed.

    The one for compiled code needs no wrapper to unpack Python arguments, which takes longer to compile than most
    loops, and no separate file: it is part of its callers.
    """

    def __init__(self, function: Function, options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self._function, self._options = function, options

    def __call__(self, *arguments: Any) -> Any:
        return self.outer(*arguments)

    @cached_property
    def outer(self) -> Any:
        """The version that Python calls."""
        compiled = numba.njit(pipeline_class=Lean, **self._options)(self._function)
        if _kernel_cache.lacking():
            compiled.enable_caching()
        else:
            compiled._cache = _kernel_cache.KernelCache(self._function)
        return compiled

    @cached_property
    def inner(self) -> Any:
        """The version that compiled code calls."""
        compiled = numba.njit(no_cpython_wrapper=True, **LINKED, **self._options)(self._function)
        if LINKED and not _kernel_cache.lacking():
            compiled._cache = PartCache(self._function)
        return compiled

    @cached_property
    def _numba_type_(self) -> Any:
        """The type that numba gives to this object in compiled code."""
        return Callee(self.inner)


def _compiled(function: Function, **options: Any) -> Function:
    return function if numba.config.DISABLE_JIT else _Compiled(function, options)


def keeps_kernels() -> bool:
    """Whether our cache of compiled kernels is in use."""
    return not (numba.config.DISABLE_JIT or _kernel_cache.lacking())


def compiled_before() -> bool:
    """Whether compiled kernels are on disk. A first run uses this to say why it takes longer."""
    return not keeps_kernels() or _kernel_cache.filled()


def warm_up() -> None:
    """Do numba's one-time set-up while files are being read."""
    if keeps_kernels():
        with global_compiler_lock:
            _kernel_cache.prepare(cpu_target.target_context)


@contextmanager
def compile_clock() -> Iterator[Callable[[], float]]:
    """Context manager: yields a function that returns the seconds spent compiling since the block began."""
    listener = event.TimingListener()
    with event.install_listener("numba:compile", listener):
        yield lambda: listener.duration if listener.done else 0.0


class Workers:
    """Python threads that run kernels in parallel; without numba's threading layer, forking and nesting are safe."""

    def __init__(self, count: int | None = None) -> None:
        self.count = max(1, count or cores())
        self.stopped = False
        """Set when a worker fails or is interrupted; workers that wait for it then give up."""
        self._pool = ThreadPoolExecutor(self.count - 1, "ioadr") if self.count > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def each(self, function: Function) -> None:
        """Call function(i) for every worker i; the last one runs in this thread."""
        if self._pool is None:
            function(0)
            return
        pending: list[Future[None]] = []
        try:
            pending += [self._pool.submit(self._guarded, function, i) for i in range(self.count - 1)]
            function(self.count - 1)
        except BaseException:
            self.stopped = True
            raise
        finally:
            for future in pending:
                future.result()

    def _guarded(self, function: Function, worker: int) -> None:
        try:
            function(worker)
        except BaseException:
            self.stopped = True
            raise

    def rows(self, function: Function, rows: int, *arguments: Any) -> None:
        """Call function(begin, end, *arguments) on consecutive shares of the rows."""
        share = -(-rows // self.count)
        self.each(lambda i: function(min(i * share, rows), min((i + 1) * share, rows), *arguments))


def _atomic(emit: Callable[[Any, Any, Any], Any], result: Any) -> Function:
    """An intrinsic on one element of an int64 array; `emit(builder, pointer, value)` writes its instruction."""

    def typing(_context: Any, array: Any, index: Any, value: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = signature.args[0]
            data = cgutils.create_struct_proxy(kind)(context, builder, arguments[0]).data
            return emit(builder, builder.gep(data, [arguments[1]]), arguments[2])

        return result(array, numba.intp, numba.int64), lower

    return cast(Function, intrinsic(typing))


def _fetch(typing_context: Any, array: Any, index: Any) -> Any:
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0]).data
        return builder.load(builder.gep(data, [arguments[1]]))

    return array.dtype(array, numba.int32), lower


if numba.config.DISABLE_JIT or numba.config.BOUNDSCHECK:

    @kernel
    def fetch(array, index):  # type: ignore[no-untyped-def]
        """Element of an array at a non-negative int32 index, counted along its rows."""
        return array.reshape(-1)[index]

else:
    # An index that stays 32 bits wide: gathers of 16 elements instead of 8, J_PD takes 13 % less time.
    fetch = cast(Function, intrinsic(_fetch))


def _rounded(typing_context: Any, number: Any) -> Any:
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        fence = builder.module.declare_intrinsic("llvm.arithmetic.fence", [arguments[0].type])
        return builder.call(fence, arguments)

    return number(number), lower


if numba.config.DISABLE_JIT:

    def rounded(number: Any) -> Any:
        """The number as it would be stored: a product is rounded before it is added to something, in every caller."""
        return number

    def wait_load(array: Any, index: int, _unused: int) -> int:
        """The element, with the latest value written by any thread."""
        return int(array[index])

    def publish(array: Any, index: int, value: int) -> None:
        """Set the element; other threads then also see everything written before it."""
        array[index] = value

else:

    def _store(builder: Any, pointer: Any, value: Any) -> Any:
        builder.store_atomic(value, pointer, "release", 8)
        return cgutils.get_null_value(value.type)

    rounded = cast(Function, intrinsic(_rounded))
    wait_load = _atomic(lambda builder, pointer, _: builder.load_atomic(pointer, "acquire", 8), numba.int64)
    publish = _atomic(_store, numba.int64)
