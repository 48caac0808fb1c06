"""numba's compiler for our kernels: without passes that they do not need, with inner kernels that are only linked.

An inner kernel is called by compiled code alone and becomes part of its callers, which optimise it and translate it
into machine code. Its code for LLVM is kept on disk, because the two processes of a first run need the same ones.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import BuiltinFunctionType
from typing import Any

from llvmlite import binding as llvm
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, compile_result
from numba.core.compiler_machinery import AnalysisPass, PassManager, register_pass
from numba.core.typed_passes import NativeLowering
from numba.core.types.misc import unliteral
from numba.core.typing import templates
from numba.extending import models, register_model

from ioadr._cache_folder import read, write
from ioadr._kernel_cache import KernelCache, packed, unkept

logger = logging.getLogger(__name__)

PART = ".part"
"""File extension of inner kernels."""

_UNUSED = {
    "WithLifting",
    "InlineClosureLikes",
    "RewriteSemanticConstants",
    "DeadBranchPrune",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "InlineInlinables",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "InlineOverloads",
    "NopythonRewrites",
    "NoPythonSupportedFeatureValidation",
    "DumpParforDiagnostics",
}
"""Passes for closures, `with`, `raise` with values, `literally` and whole-array expressions, which kernels do not
contain. After each of them numba analyses the function again."""


class _LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that is only linked with its callers, and optimised and translated into machine code as a part of them."""

    def _optimize_final_module(self) -> None:
        """Leave it to the callers. Each of them would optimise this code again: a tenth of the time of a first run."""

    def _finalize_final_module(self) -> None:
        # Written and read again like code from a file: LLVM might optimise callers differently otherwise.
        self.take(self._final_module.as_bitcode())

    def take(self, bitcode: bytes) -> None:
        """Use this code, ready to be linked."""
        self.bitcode, self._final_module = bitcode, llvm.parse_bitcode(bitcode)
        self._finalize_dynamic_globals()
        self._finalized = True


def no_address() -> Any:
    """What stands for the address of code that has none: a new built-in method, because numba asks for one."""
    return list[Any]().append


@register_pass(mutates_CFG=False, analysis_only=True)
class _Known(AnalysisPass):  # type: ignore[misc]
    """Let callers find code without an address."""

    _name = "known_to_callers"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        entry = no_address()
        state.targetctx.insert_user_function(entry, state["cr"].fndesc, [state.library])
        state["cr"] = state["cr"]._replace(cfunc=entry)
        return True


@contextmanager
def remembered_calls(context: Any) -> Iterator[None]:
    """Let numba resolve each call of a built-in function once for the types of its arguments, while kernels compile.

    It tries one definition of an operator after the other, and writes a message about each that does not fit: a fifth
    of the time of a compilation. Its own functions, such as `np.empty`, are only linked as well.
    """
    if "resolve_function_type" in vars(context):  # a kernel that another one calls
        yield
        return
    functions: Any = types.BaseFunction
    resolve, call_type = context.resolve_function_type, functions.get_call_type

    def typed(function: Any, context: Any, *call: Any) -> Any:
        """Called once more for operators with a constant, when their code is written."""
        return _remembered(lambda function, *call: call_type(function, context, *call), function, *call)

    context.resolve_function_type = lambda *call: _remembered(resolve, *call)
    functions.get_call_type = typed
    try:
        with _linked_overloads(), _unannounced():
            yield
    finally:
        functions.get_call_type = call_type
        del context.resolve_function_type


def _remembered(resolve: Any, function: Any, arguments: Any, keywords: Any) -> Any:
    """Resolve a call of a built-in function, unless it is known."""
    if keywords or not isinstance(getattr(function, "typing_key", function), BuiltinFunctionType):
        return resolve(function, arguments, keywords)
    key = function, tuple(arguments)
    if _known_calls.get(key) is None:
        _known_calls[key] = resolve(function, arguments, keywords)
    return _known_calls[key]


@contextmanager
def _unannounced() -> Iterator[None]:
    """Let numba announce no calls of LLVM: it sends two events about each of 70,000, which are not used."""
    listeners = getattr(getattr(llvm.ffi.lib, "_lock", None), "_cblist", [])  # private to llvmlite
    kept = listeners[:]
    listeners.clear()
    try:
        yield
    finally:
        listeners[:0] = kept


@contextmanager
def _linked_overloads() -> Iterator[None]:
    """Let numba compile its own functions for kernels without machine code and without wrappers for C."""
    template = getattr(templates, "_OverloadFunctionTemplate", None)  # private to numba
    decorator = getattr(template, "_get_jit_decorator", None)
    if template is None or decorator is None or not LINKED:
        yield
        return

    def linking(overload: Any) -> Any:
        jit = decorator(overload)
        return lambda **options: jit(**{**options, "pipeline_class": _Own, "no_cfunc_wrapper": True})

    template._get_jit_decorator = linking
    try:
        yield
    finally:
        template._get_jit_decorator = decorator


_known_calls: dict[Any, Any] = {}


def _passes(state: Any) -> PassManager:
    """Passes of numba's compiler, without those for features that no kernel uses."""
    passes = DefaultPassBuilder.define_nopython_pipeline(state)
    passes.passes = [entry for entry in passes.passes if entry[0].__name__ not in _UNUSED]
    passes.finalize()
    return passes


class Lean(CompilerBase):  # type: ignore[misc]
    """Compiler of functions that Python calls."""

    def define_pipelines(self) -> list[Any]:
        return [_passes(self.state)]

    def compile_extra(self, func: Any) -> Any:
        with remembered_calls(self.state.typingctx):
            return super().compile_extra(func)


def _linked(state: Any, passes: PassManager) -> list[Any]:
    """Passes that end with code for LLVM, not with machine code."""
    state.flags.no_compile = True
    state.library = _LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
    passes.add_pass_after(_Known, NativeLowering)
    passes.finalize()
    return [passes]


class Linked(Lean):
    """Compiler of functions that only compiled code calls."""

    def define_pipelines(self) -> list[Any]:
        return _linked(self.state, _passes(self.state))


class _Own(CompilerBase):  # type: ignore[misc]
    """Compiler of numba's own functions that kernels call: with all passes, because these may need them."""

    def define_pipelines(self) -> list[Any]:
        return _linked(self.state, DefaultPassBuilder.define_nopython_pipeline(self.state))


LINKED = {"pipeline_class": Linked} if hasattr(JITCodeLibrary, "_finalize_final_module") else {}
"""Private to numba; without it, a first run takes longer."""


class PartCache(KernelCache):
    """Code of one inner kernel on disk, to be linked. Processes do not wait for it: one that lacks it compiles it."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        payload = read(self._path(signature, context.codegen()))
        try:
            return None if payload is None else _from_part(context, *pickle.loads(payload))
        except Exception as error:
            logger.debug("%s: compiled again, because it could not be loaded: %s", self.name, error)
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        if not (unkept(compiled) or any(item.consts for item in compiled._find_referenced_environments())):
            compiled.fndesc.typemap = compiled.fndesc.calltypes = None  # large, and of no use to callers
            library = compiled.library
            write(
                self._path(signature, compiled.codegen),
                packed((library.name, library.bitcode, compiled.fndesc, compiled.signature)),
            )

    def _path(self, signature: Any, codegen: Any) -> Path:
        return super()._path(signature, codegen).with_suffix(PART)


def _from_part(context: Any, name: str, bitcode: bytes, description: Any, signature: Any) -> Any:
    library = _LinkedLibrary(context.codegen(), name)
    library.take(bitcode)
    return compile_result(
        typing_context=context.typing_context,
        target_context=context,
        entry_point=no_address(),
        library=library,
        fndesc=description,
        signature=signature,
        objectmode=False,
        lifted=(),
    )


class Callee(types.Dispatcher):
    """Type of a function that compiled code calls: one version for all constants that an argument may be."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        return super().get_call_type(context, tuple(map(unliteral, args)), kws)


register_model(Callee)(models.OpaqueModel)
