"""Single parameters: declaration, checks, conversion from text and TOML."""

from __future__ import annotations

import dataclasses
from dataclasses import field, fields
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ioadr.errors import InputError, unknown

WORDS = {bool: "true or false", int: "a whole number", float: "a finite number", str: "a word"}
"""Types of values, as messages name them."""


def option(default: Any, help: str, low: float | None = None, high: float | None = None) -> Any:
    """A field with its documentation and the closed interval of valid values."""
    return field(default=default, metadata={"help": help, "low": low, "high": high})


def find(name: str, tree: type[Any]) -> tuple[str, dataclasses.Field[Any]]:
    """Group and field of a dotted name in a tree of dataclasses."""
    group_name, _, item_name = name.partition(".")
    groups = _groups(tree)  # type: ignore[arg-type]
    if group_name not in groups:
        raise unknown("group of parameters", group_name, groups)
    items = groups[group_name]
    if item_name not in items:
        raise unknown(f"parameter of the group {group_name}:", item_name, items)
    return group_name, items[item_name]


@cache
def _groups(tree: type[Any]) -> dict[str, dict[str, dataclasses.Field[Any]]]:
    """Fields by group and name; once, because the presets alone look up fifty of them in every process."""
    return {g.name: {i.name: i for i in fields(g.default_factory)} for g in fields(tree)}  # type: ignore[arg-type]


def convert(name: str, value: Any, item: dataclasses.Field[Any]) -> Any:
    """Convert text from the command line to the field's type; numbers from a file stay unchanged."""
    kind: type[Any] = type(item.default)
    if not isinstance(value, str) or kind is str:
        return float(value) if kind is float and type(value) is int else value
    text = value.strip().lower()
    try:
        if kind is bool:
            return {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}[text]
        return kind(text)
    except (KeyError, ValueError) as error:
        raise InputError(f"parameter {name}: expected {WORDS[kind]}, found {value!r}.") from error


def check_group(name: str, group: Any) -> None:
    """Refuse values of a group (a dataclass) with a wrong type, an unknown choice, or out of bounds."""
    allowed = choices(group.__class__)
    for item in fields(group):
        check(f"{name}.{item.name}", getattr(group, item.name), item, allowed.get(item.name, ()))


def check(name: str, value: Any, item: dataclasses.Field[Any], allowed: tuple[str, ...]) -> None:
    kind: type[Any] = type(item.default)
    if type(value) is not kind or (kind is float and not abs(value) < float("inf")):
        raise InputError(f"parameter {name}: expected {WORDS[kind]}, found {value!r}.")
    if allowed and value not in allowed:
        raise unknown("value", value, allowed, f"parameter {name}: ")
    low, high = item.metadata["low"], item.metadata["high"]
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise InputError(f"parameter {name}: expected a value {bounds}, found {value}.")


@cache
def choices(group: type[Any]) -> dict[str, tuple[str, ...]]:
    """Valid words for the fields of a group that are choices."""
    hints = get_type_hints(group)
    return {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Literal}


def toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)
