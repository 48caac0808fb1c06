"""Sixteen numbers together: a value type for kernels that treat neighbouring pixels in the same way.

`Lanes` are sixteen float32 or int32 with +, −, ×, ÷ and the functions below. LLVM maps them to registers: one of
AVX-512, two of AVX2, four of SSE or NEON. Without the JIT they are NumPy arrays, which have the same operators, so that
one kernel serves both; there is no `+=`, which would change an array in place.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

Function = Callable[..., Any]
WIDTH = 16
"""Lanes."""


class Lanes(types.Type):
    """Numba's type of sixteen numbers of one kind."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        super().__init__(name=f"Lanes({kind})")


FLOATS, INTS = Lanes(types.float32), Lanes(types.int32)
_HALVES = (0, 1) if sys.byteorder == "little" else (1, 0)
_FLOAT, _INT = ir.VectorType(ir.FloatType(), WIDTH), ir.VectorType(ir.IntType(32), WIDTH)


@register_model(Lanes)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Lanes) -> None:
        super().__init__(manager, kind, _FLOAT if kind.kind == types.float32 else _INT)


def _splat(builder: Any, value: Any) -> Any:
    """The same number in every lane."""
    vector = ir.VectorType(value.type, WIDTH)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, first, ir.Constant(_INT, [0] * WIDTH))


def _operator(symbol: Any, floats: str, ints: str) -> None:
    """Define `symbol` between lanes, and between lanes and a number, which is used in every lane."""

    def find(args: Any) -> Lanes | None:
        kinds = [a for a in args if isinstance(a, Lanes)]
        return kinds[0] if kinds and (floats if kinds[0] == FLOATS else ints) else None

    class Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            kind = find(args)
            if kind is None or len(args) != 2:
                return None
            return signature(kind, *(a if isinstance(a, Lanes) else kind.kind for a in args))

    infer_global(symbol)(Template)
    for first, second in ((Lanes, Lanes), (Lanes, types.Number), (types.Number, Lanes)):

        @lower_builtin(symbol, first, second)  # type: ignore[untyped-decorator]
        def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            pair = [
                value if isinstance(kind, Lanes) else _splat(builder, value)
                for kind, value in zip(sig.args, args, strict=True)
            ]
            if sig.return_type == FLOATS:
                return getattr(builder, floats)(*pair, flags=("contract",))
            return getattr(builder, ints)(*pair)


for _symbol, _names in {
    operator.add: ("fadd", "add"),
    operator.sub: ("fsub", "sub"),
    operator.mul: ("fmul", "mul"),
    operator.truediv: ("fdiv", ""),
    operator.and_: ("", "and_"),
    operator.rshift: ("", "lshr"),
}.items():
    _operator(_symbol, *_names)


@infer_global(operator.neg)
class _Negation(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(FLOATS, FLOATS) if args == (FLOATS,) else None


@lower_builtin(operator.neg, Lanes)  # type: ignore[untyped-decorator]
def _negated(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fneg(args[0])


def _element(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Pointer to sixteen elements of a flat array, starting at an index."""
    data = cgutils.create_struct_proxy(kind)(context, builder, array).data
    vector = ir.VectorType(data.type.pointee, WIDTH)
    return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())


def _load(_context: Any, array: Any, index: Any) -> Any:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(_element(context, builder, sig.args[0], *args), align=4)

    return (FLOATS if array.dtype == types.float32 else INTS)(array, types.intp), lower


def _store(_context: Any, array: Any, index: Any, values: Any) -> Any:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[2], _element(context, builder, sig.args[0], *args[:2]), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, values), lower


def _gathered(builder: Any, data: Any, index: Any, word: Any) -> Any:
    """Sixteen words, each starting at the element given by an int32 lane."""
    places = builder.gep(data, [index], source_etype=data.type.pointee)
    places.type = ir.VectorType(ir.PointerType(), WIDTH)
    vector, all_lanes = ir.VectorType(word, WIDTH), ir.VectorType(ir.IntType(1), WIDTH)
    kind = ir.FunctionType(vector, [places.type, ir.IntType(32), all_lanes, vector])
    short = "f32" if isinstance(word, ir.FloatType) else f"i{word.width}"
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.masked.gather.v{WIDTH}{short}.v{WIDTH}p0")
    constants = ir.Constant(ir.IntType(32), 4), ir.Constant(all_lanes, [1] * WIDTH)
    return builder.call(function, [places, *constants, ir.Constant(vector, ir.Undefined)])


def _gather(_context: Any, array: Any, index: Any) -> Any:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0]).data
        return _gathered(builder, data, args[1], data.type.pointee)

    return (FLOATS if array.dtype == types.float32 else INTS)(array, index), lower


def _start_of_run(_context: Any, index: Any) -> Any:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        first = builder.extract_element(args[0], ir.Constant(ir.IntType(32), 0))
        run = builder.add(_splat(builder, first), ir.Constant(_INT, list(range(WIDTH))))
        others = builder.bitcast(builder.icmp_signed("!=", args[0], run), ir.IntType(WIDTH))
        none = builder.icmp_signed("==", others, ir.Constant(others.type, 0))
        return builder.sext(builder.select(none, first, ir.Constant(first.type, -1)), ir.IntType(64))

    return types.int64(index), lower


def _gather_pairs(_context: Any, array: Any, index: Any) -> Any:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0]).data
        words = _gathered(builder, data, args[1], ir.IntType(64))
        halves = builder.bitcast(words, ir.VectorType(data.type.pointee, 2 * WIDTH))
        both = [
            builder.shuffle_vector(halves, halves, ir.Constant(_INT, list(range(first, 2 * WIDTH, 2))))
            for first in _HALVES
        ]
        return context.make_tuple(builder, sig.return_type, both)

    kind = FLOATS if array.dtype == types.float32 else INTS
    return numba.types.UniTuple(kind, 2)(array, index), lower


def _splatted(_context: Any, value: Any) -> Any:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _splat(builder, args[0])

    kind = INTS if isinstance(value, types.Integer) else FLOATS
    return kind(kind.kind), lower


def _counted(_context: Any) -> Any:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return ir.Constant(_INT, list(range(WIDTH)))

    return INTS(), lower


def _compared(sign: str) -> Function:
    def typing(_context: Any, first: Any, second: Any) -> Any:
        def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.select(builder.fcmp_ordered(sign, *args), *args)

        return FLOATS(FLOATS, FLOATS), lower

    return cast(Function, intrinsic(typing))


def _chosen(_context: Any, test: Any, first: Any, second: Any) -> Any:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", args[0], ir.Constant(_FLOAT, [0.0] * WIDTH)), *args[1:])

    return FLOATS(FLOATS, FLOATS, FLOATS), lower


def _below(_context: Any, first: Any, second: Any) -> Any:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        test = builder.fcmp_ordered("<", *args)
        return builder.zext(builder.bitcast(test, ir.IntType(WIDTH)), ir.IntType(32))

    return types.int32(FLOATS, FLOATS), lower


def _among(_context: Any, bits: Any, first: Any, second: Any) -> Any:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        test = builder.bitcast(builder.trunc(args[0], ir.IntType(WIDTH)), ir.VectorType(ir.IntType(1), WIDTH))
        return builder.select(test, *args[1:])

    return FLOATS(types.int32, FLOATS, FLOATS), lower


def _bits_set(_context: Any, bits: Any) -> Any:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int32(types.int32), lower


def _function(name: str) -> Function:
    """One of LLVM's functions of a vector of floats."""

    def typing(_context: Any, values: Any) -> Any:
        def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            kind = ir.FunctionType(_FLOAT, [_FLOAT])
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"{name}.v{WIDTH}f32"), args)

        return FLOATS(FLOATS), lower

    return cast(Function, intrinsic(typing))


def _total(_context: Any, values: Any) -> Any:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values = args[0]
        width = WIDTH
        while width > 1:  # halves onto each other
            width //= 2
            index = ir.VectorType(ir.IntType(32), width)
            low, high = (
                builder.shuffle_vector(values, values, ir.Constant(index, list(range(first, first + width))))
                for first in (0, width)
            )
            values = builder.fadd(low, high)
        return builder.extract_element(values, ir.Constant(ir.IntType(32), 0))

    return types.float32(FLOATS), lower


def _converted(instruction: str, source: Lanes, goal: Lanes) -> Function:
    def typing(_context: Any, values: Any) -> Any:
        def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return getattr(builder, instruction)(args[0], _INT if goal == INTS else _FLOAT)

        return goal(source), lower

    return cast(Function, intrinsic(typing))


if numba.config.DISABLE_JIT:

    def load(array: Any, index: int) -> Any:
        """Sixteen consecutive elements of a flat array; the last one must exist."""
        return array[index : index + WIDTH].copy()

    def store(array: Any, index: int, values: Any) -> None:
        """Write sixteen consecutive elements of a flat array."""
        array[index : index + WIDTH] = values

    def gather(array: Any, index: Any) -> Any:
        """Elements of an array at int32 lanes, counted along its rows; reshaping it would take a fifth of a sweep."""
        return array.reshape(-1)[index]

    def start_of_run(index: Any) -> int:
        """First of the int32 lanes if they are consecutive numbers, else −1."""
        return int(index[0]) if (np.diff(index) == 1).all() else -1

    def gather_pairs(array: Any, index: Any) -> Any:
        """Elements of an array at int32 lanes, counted along its rows, and their successors, in one load."""
        flat = array.reshape(-1)
        return flat[index], flat[index + 1]

    def splat(value: Any) -> Any:
        """A number in every lane."""
        return np.full(WIDTH, value, np.int32 if isinstance(value, np.integer | int) else np.float32)

    def counted() -> Any:
        """0 … 15."""
        return np.arange(WIDTH, dtype=np.int32)

    def largest(first: Any, second: Any) -> Any:
        """The larger of two, lane by lane."""
        return np.maximum(first, second)

    def smallest(first: Any, second: Any) -> Any:
        """The smaller of two, lane by lane."""
        return np.minimum(first, second)

    def where_positive(test: Any, first: Any, second: Any) -> Any:
        """`first` in the lanes where the test is positive, else `second`."""
        return np.where(test > 0, first, second)

    def below(first: Any, second: Any) -> Any:
        """Lanes in which the first is smaller, as bits of an int32."""
        return np.int32(np.sum((first < second) << np.arange(WIDTH)))

    def among(bits: Any, first: Any, second: Any) -> Any:
        """`first` in the lanes whose bit is set, else `second`."""
        return np.where((bits >> np.arange(WIDTH)) & 1, first, second)

    def bits_set(bits: Any) -> Any:
        """Number of bits that are set in an int32."""
        return np.int32(int(bits).bit_count())

    def magnitude(values: Any) -> Any:
        """Absolute values."""
        return np.abs(values)

    def root(values: Any) -> Any:
        """Square root."""
        return np.sqrt(values)

    def total(values: Any) -> Any:
        """Sum over the lanes."""
        return np.sum(values, dtype=np.float32)

    def truncated(values: Any) -> Any:
        """Floats to int32, towards zero."""
        return values.astype(np.int32)

    def as_floats(values: Any) -> Any:
        """int32 to floats."""
        return values.astype(np.float32)

else:
    load, store, gather = (cast(Function, intrinsic(t)) for t in (_load, _store, _gather))
    splat, counted, where_positive = (cast(Function, intrinsic(t)) for t in (_splatted, _counted, _chosen))
    gather_pairs, below, among = (cast(Function, intrinsic(t)) for t in (_gather_pairs, _below, _among))
    bits_set, total, start_of_run = (cast(Function, intrinsic(t)) for t in (_bits_set, _total, _start_of_run))
    magnitude, root = _function("llvm.fabs"), _function("llvm.sqrt")
    largest, smallest = _compared(">"), _compared("<")
    truncated, as_floats = _converted("fptosi", FLOATS, INTS), _converted("sitofp", INTS, FLOATS)
