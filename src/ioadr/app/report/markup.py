"""Pieces of HTML; every text that may come from outside is escaped here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from ioadr import __version__
from ioadr.io.results.save import plain

OFFLINE = "This page is one file, works offline and sends nothing."


def table(rows: Iterable[str], heads: Sequence[str] = ()) -> str:
    """Rows are ready; the first head is text, the others stand over numbers."""
    head = "".join(f"<th{' class=number' if i else ''}>{escape(text)}</th>" for i, text in enumerate(heads))
    return f'<div class="table"><table>{f"<tr>{head}</tr>" if head else ""}{"".join(rows)}</table></div>'


def number_row(name: str, *values: str) -> str:
    cells = "".join(f'<td class="number">{escape(value)}</td>' for value in values)
    return f"<tr><td>{escape(name)}</td>{cells}</tr>"


def facts_table(facts: Mapping[str, str]) -> str:
    """Name and text side by side."""
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in facts.items())
    return f'<table class="facts">{rows}</table>'


def details(summary: str, content: str) -> str:
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def figure(name: str, value: str, remark: str) -> str:
    """One of the key figures at the top."""
    return f"<div><dt>{escape(name)}</dt><dd>{escape(value)}<small>{escape(remark)}</small></dd></div>"


def web(*names: str) -> str:
    """Package files of `app/web`, one after the other."""
    folder = files("ioadr.app") / "web"
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


def page(
    name: str,
    slots: Mapping[str, str],
    *,
    title: str,
    lead: str,
    figures: str,
    scripts: Sequence[str],
    styles: Sequence[str] = (),
    images: str = "data:",
    colophon: str = OFFLINE,
) -> str:
    """A whole page around the sections of `app/web/<name>`; it may load nothing but `images`."""
    frame = {
        "title": escape(title),
        "generator": f"ioadr {escape(__version__)}",
        "lead": escape(lead),
        "figures": figures,
        "images": images,
        "style": web("page.css", *styles),
        "main": filled(web(name), slots),
        "colophon": colophon,
        "script": web(*scripts),
    }
    return filled(web("page.html"), frame)


def json_text(data: Any) -> str:
    """For a script element, which nothing in it can end."""
    return json.dumps(plain(data), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def filled(template: str, slots: Mapping[str, str]) -> str:
    """Put texts into `<!--slot name-->` and `/*slot name*/`; a slot without a text is an error."""
    parts: list[str] = []
    for piece in template.replace("/*slot ", "<!--slot ").replace("*/", "-->").split("<!--slot "):
        name, mark, rest = piece.partition("-->")
        parts.append(slots[name] + rest if parts and mark else piece)
    return "".join(parts)
