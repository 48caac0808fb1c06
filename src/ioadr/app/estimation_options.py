"""The options of an estimation, shared by all commands that run one."""

from __future__ import annotations

import functools
import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import click

import ioadr
from ioadr.app.sections import option
from ioadr.errors import InputError
from ioadr.presets import DEFAULT

if TYPE_CHECKING:
    from ioadr.io.options import ReadOptions
    from ioadr.lightfield import LightField
    from ioadr.parameters import Parameters
    from ioadr.result import Estimate

_option = functools.partial(option, "Estimation")

MOST_THREADS = 1024
"""Largest number of threads; more would only wait for each other."""
threads_option = _option(
    "--threads", type=click.IntRange(1, MOST_THREADS), metavar="N", show_default="all", help="Number of CPU threads."
)
align_option = _option(
    "--align/--no-align",
    default=None,
    show_default="automatic, for photographs with poses",
    help="First correct shifts, rotations, scales, gains and shading of single views.",
)


@dataclass(frozen=True)
class Estimation:
    """The estimation options of a command line."""

    parameters: Parameters
    seed: int
    threads: int | None

    def reading(self, options: ReadOptions) -> ReadOptions:
        """Reading options without the views that these parameters ignore; the structure tensor needs whole lines."""
        unused = self.parameters.initialise.method == "plane-sweep"
        return replace(options, view_step=self.parameters.data.view_step) if unused else options

    def run(self, lightfield: LightField, progress: Callable[..., None] | None = None) -> Estimate:
        return ioadr.estimate(lightfield, self.parameters, seed=self.seed, progress=progress, threads=self.threads)


@contextmanager
def kernels_waking() -> Iterator[None]:
    """Load the compiled code on another core while the block reads files."""
    thread = threading.Thread(target=_wake_kernels, name="ioadr kernels", daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()


class _Absent:
    """Hides modules from the imports of one thread."""

    def __init__(self, *names: str) -> None:
        self.names, self.thread = names, threading.get_ident()

    def find_spec(self, name: str, *_: object) -> None:
        if name in self.names and threading.get_ident() == self.thread:
            raise ModuleNotFoundError(name, name=name)


def _wake_kernels() -> None:
    """numba loads scipy to look at its version, and yaml for a file of settings: 0.02 s if both are installed."""
    absent = _Absent("scipy") if os.path.exists(".numba_config.yaml") else _Absent("scipy", "yaml")
    sys.meta_path.insert(0, cast(Any, absent))
    with suppress(Exception):  # what is wrong shows itself in the estimation, where it can be reported
        importlib.import_module("numba")
    sys.meta_path.remove(cast(Any, absent))
    with suppress(Exception):
        importlib.import_module("ioadr.estimation")
        importlib.import_module("ioadr._jit").warm_up()


def with_estimation_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --preset, --parameters, --init, --set, --seed and --threads as one `Estimation`."""

    @_option(
        "--preset",
        metavar="NAME",
        shell_complete=preset_names,
        show_default=DEFAULT,
        help="Named parameter set; see `ioadr presets`.",
    )
    @_option("--parameters", type=click.Path(), metavar="FILE", help="Read the parameters from a TOML file.")
    @_option(
        "--init",
        type=click.Choice(("auto", "structure-tensor", "plane-sweep", "cheapest")),
        show_default="as in the parameters",
        help="Method for the first map.",
    )
    @_option(
        "--set",
        "changes",
        multiple=True,
        metavar="GROUP.NAME=VALUE",
        shell_complete=setting_names,
        help="Change one parameter; may be repeated.",
    )
    @_option(
        "--seed",
        type=click.IntRange(min=0),
        metavar="N",
        default=0,
        show_default=True,
        help="Seed for the random candidates.",
    )
    @threads_option
    @functools.wraps(command)
    def run(
        *args: Any,
        preset: str | None,
        parameters: str | None,
        init: str | None,
        changes: tuple[str, ...],
        seed: int,
        threads: int | None,
        **options: Any,
    ) -> Any:
        first_map = (f"initialise.method={init}",) if init else ()
        chosen = chosen_parameters(preset, parameters, (*changes, *first_map))
        return command(*args, estimation=Estimation(chosen, seed, threads), **options)

    return run


def chosen_parameters(preset: str | None, file: str | None, changes: Iterable[str]) -> Parameters:
    """A preset or a file, with single values changed."""
    if preset and file:
        raise InputError(
            f"--preset and --parameters cannot be combined. Leave --preset out and write "
            f'preset = "{preset}" at the top of {file}.'
        )
    base = ioadr.load_parameters(file) if file else ioadr.preset(preset or DEFAULT)
    return base.vary(dict(_split(change) for change in changes))


def _split(change: str) -> tuple[str, str]:
    name, equals, value = change.partition("=")
    if not equals:
        raise InputError(f"--set: expected GROUP.NAME=VALUE such as congruence.weight=50, found {change!r}.")
    return name.strip(), value.strip()


def setting_names(context: click.Context, parameter: click.Parameter, start: str) -> list[str]:
    """Completions for the shell: `GROUP.NAME=` and the default value."""
    values = {
        f"{group}.{name}={value}"
        for group, items in ioadr.preset(DEFAULT).to_dict().items()
        for name, value in items.items()
    }
    return sorted(value for value in values if value.startswith(start))


def preset_names(context: click.Context, parameter: click.Parameter, start: str) -> list[str]:
    from ioadr.presets import FINISH_VARIATIONS, PRESETS, VARIATIONS

    names = [
        *PRESETS,
        *(f"{preset}/{variation}" for preset in PRESETS for variation in {**VARIATIONS, **FINISH_VARIATIONS}),
    ]
    return [name for name in names if name.startswith(start)]
