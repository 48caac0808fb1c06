"""Parameters in TOML files."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ioadr.errors import InputError
from ioadr.parameters import Parameters
from ioadr.presets import DEFAULT, preset

LARGEST_FILE = 1_000_000


def load_parameters(path: str | Path) -> Parameters:
    """Parameters from a TOML file.

    Parameters
    ----------
    path : str or path
        The file. A `preset` key at its top names the preset that the other values change; the default is `best`.
        ``ioadr presets best`` prints a complete file with the meaning of each value.

    Returns
    -------
    Parameters

    Raises
    ------
    InputError
        There is no such file, it is not TOML, or a name or value is invalid.

    Examples
    --------
    >>> import ioadr, pathlib
    >>> _ = pathlib.Path("mine.toml").write_text('preset = "fast"\\n[search]\\nsweeps = 3\\n')
    >>> ioadr.load_parameters("mine.toml")
    preset('fast').replace({'search.sweeps': 3})
    """
    try:
        if not Path(path).is_file():  # a pipe or device might never end
            raise InputError(f"{path}: there is no such file. `ioadr presets` shows how to make one.")
        size = Path(path).stat().st_size
        if size > LARGEST_FILE:
            raise InputError(f"{path}: {size} bytes are too many for a file of parameters. Shorten it.")
        content = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))  # with or without a byte order mark
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(
            f"{path}: not a TOML file of parameters: {error}. `ioadr presets` shows how to make one."
        ) from error
    return parameters_from(content, str(path))


def parameters_from(content: Mapping[str, Any], where: str) -> Parameters:
    """Parameters from the content of a file, or from a part of another file with the same form."""
    base = content.get("preset", DEFAULT)
    if not isinstance(base, str):
        raise InputError(f'{where}: expected preset = "name", found {base!r}.')
    changes: dict[str, Any] = {}
    for group, values in content.items():
        if group == "preset":
            continue
        if not isinstance(values, dict):
            raise InputError(f"{where}: expected tables such as [congruence], found {group} = {values!r}.")
        changes |= {f"{group}.{name}": value for name, value in values.items()}
    try:
        return preset(base).replace(changes)
    except InputError as error:
        raise InputError(f"{where}: {error.marked}") from error
