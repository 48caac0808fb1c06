"""What a parameter is: a field with its documentation and the values that make sense."""

from __future__ import annotations

import dataclasses
from dataclasses import field
from typing import Any

from ioadr.errors import InputError


def option(default: Any, help: str, low: float | None = None, high: float | None = None) -> Any:
    """A field with its documentation and the closed interval of values that make sense."""
    return field(default=default, metadata={"help": help, "low": low, "high": high})


def convert(name: str, value: Any, item: dataclasses.Field[Any]) -> Any:
    """Text from the command line becomes the field's type; numbers from a file stay what they are."""
    kind: type[Any] = type(item.default)
    if not isinstance(value, str) or kind is str:
        return float(value) if kind is float and type(value) is int else value
    text = value.strip().lower()
    try:
        if kind is bool:
            return {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}[text]
        return kind(text)
    except (KeyError, ValueError) as error:
        raise InputError(f"parameter {name}: expected {kind.__name__}, found {value!r}.") from error


def check(name: str, value: Any, item: dataclasses.Field[Any]) -> None:
    kind: type[Any] = type(item.default)
    if type(value) is not kind or (kind is float and not abs(value) < float("inf")):
        raise InputError(f"parameter {name}: expected a finite {kind.__name__}, found {value!r}.")
    if (allowed := choices(item)) and value not in allowed:
        raise InputError(f"parameter {name}: expected one of {', '.join(allowed)}, found {value!r}.")
    low, high = item.metadata["low"], item.metadata["high"]
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise InputError(f"parameter {name}: expected a value {bounds}, found {value}.")


def choices(item: dataclasses.Field[Any]) -> tuple[str, ...]:
    text = str(item.type)
    return tuple(part.strip(" '\"") for part in text[8:-1].split(",")) if text.startswith("Literal[") else ()


def toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)
