"""Values from files, checked against the declared types of our classes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from ioadr.errors import InputError

Made = TypeVar("Made")
LARGEST = 2**63
NAMES = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", Mapping: "a table"}


def made(kind: type[Made], values: Any, where: str) -> Made:
    """An instance of a dataclass; each value must have the type that its field declares."""
    types = _types(kind)  # type: ignore[arg-type]  # mypy takes a type variable's type for unhashable
    fields_given = checked(values, Mapping[str, Any], where)
    unknown = sorted(set(fields_given) - set(types))
    if unknown:
        raise InputError(f"{where} has no {unknown[0]!r}")
    return kind(**{name: checked(value, types[name], f"{where}.{name}") for name, value in fields_given.items()})


def checked(value: Any, kind: Any, where: str) -> Any:
    """A JSON value converted to the type (lists become tuples), or an InputError that names it."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return as_tuples(value)
    if origin is UnionType:
        return None if value is None else checked(value, inner[0], where)
    if origin is tuple and isinstance(value, list | tuple):
        kinds = [inner[0]] * len(value) if inner[-1] is ... else inner
        if len(kinds) == len(value):
            return tuple(checked(item, k, where) for item, k in zip(value, kinds, strict=True))
    elif origin is Mapping and isinstance(value, Mapping):
        return {str(key): checked(item, inner[1], f"{where}.{key}") for key, item in value.items()}
    elif (origin is Literal and value in inner) or (origin is None and _is(value, kind)):
        return float(value) if kind is float else value
    raise InputError(f"{where} is {str(value)[:40]!r}, which is not {_told(kind)}")


def as_tuples(value: Any) -> Any:
    """Lists as tuples, because JSON has no tuples."""
    if isinstance(value, Mapping):
        return {name: as_tuples(item) for name, item in value.items()}
    return tuple(as_tuples(item) for item in value) if isinstance(value, list) else value


@cache
def _types(kind: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {item.name: hints[item.name] for item in fields(kind)}


def _is(value: Any, kind: type[Any]) -> bool:
    """Whether the value has the type; `true` is not a number, nor is an integer beyond 64 bits."""
    if kind in (int, float) and isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < LARGEST
    return isinstance(value, kind) and (kind is not float or math.isfinite(value))


def _told(kind: Any) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return f"one of {', '.join(map(str, inner))}"
    if origin is tuple:
        return "a list" if inner[-1] is ... else f"a list of {len(inner)}"
    return NAMES.get(origin or kind, str(kind))
