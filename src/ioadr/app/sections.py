"""Options under headings, which make a long --help readable."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import click

LAST = ("Messages", "Options")
"""Headings that come after all others; the second holds --help."""


class Number(click.FloatRange):
    """A float in a range; NaN, which click lets through, is in none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


class SectionOption(click.Option):
    """An option with a heading."""

    def __init__(self, *args: Any, section: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.section = section

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Help without the brackets that click puts around a default in words."""
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.show_default, str):
            return record
        return record[0], record[1].replace(f"default: ({self.show_default})", f"default: {self.show_default}")


def option(section: str, *names: str, **settings: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`click.option` under a heading."""
    return click.option(*names, cls=SectionOption, section=section, **settings)


class SectionCommand(click.Command):
    """A command whose help shows options under their headings, in order of appearance."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(parameter, "section", "Options"), []).append(record)
        for title in sorted(sections, key=lambda title: LAST.index(title) + 1 if title in LAST else 0):
            with formatter.section(title):
                formatter.write_dl(sections[title])
