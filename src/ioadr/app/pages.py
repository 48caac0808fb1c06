"""Pages from `app/templates`. Everything put into them is escaped, except styles and scripts of the package.

Numbers stay on the line of their unit.
"""

from __future__ import annotations

import base64
import io
import json
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ioadr import __version__
from ioadr.io.safety.atomic import atomic_file

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup
    from PIL import Image


UNIT = re.compile(r" (?<=\d )(?=(?:px|[cmk]?m|m?s|min|h|[kMG]B|dB|grey levels|%)(?!\w))")
"""The space between a number and its unit; it comes first, because a search for it is fast in megabytes of pictures."""

OPTION = re.compile(r"(?<!\w)--[a-z][a-z-]*")


def render(template: str, /, **values: Any) -> str:
    """Fill `app/templates/<template>.j2`; a missing value is an error."""
    return unbroken(_environment().get_template(f"{template}.j2").render(values))


def write_page(path: str | Path, html: str) -> Path:
    """Write a page, completely or not at all."""
    with atomic_file(path) as temporary:
        write_text(temporary, html)
    return Path(path)


def write_text(path: Path, html: str) -> None:
    """Write text; bytes in file names that are not text are escaped."""
    path.write_text(html, encoding="utf-8", errors="backslashreplace")


def unbroken(text: str) -> str:
    """Text, JSON or a page with no-break spaces between numbers and units; scripts treat these as spaces."""
    return UNIT.sub("\N{NO-BREAK SPACE}", text)


def web(*names: str) -> str:
    """Files of `app/web`, concatenated."""
    folder = Path(__file__).with_name("web")
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


@cache
def _environment() -> Environment:
    """Template environment, created for the first page: other commands start without it."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    from ioadr.app.compiled_pages import CompiledPages
    from ioadr.io.results.save import plain

    made = Environment(
        loader=PackageLoader("ioadr.app"),
        bytecode_cache=CompiledPages(),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.policies |= {
        "json.dumps_function": lambda data, **options: json.dumps(plain(data), **options),
        "json.dumps_kwargs": {"separators": (",", ":"), "allow_nan": False},
    }
    made.globals |= {"version": __version__, "web": lambda *names: Markup(web(*names))}
    made.filters |= {"png": _png, "options": _options}
    return made


def _options(text: object) -> Markup:
    """The text, escaped; options such as --flip-rows stay on one line."""
    from markupsafe import Markup

    return Markup(OPTION.sub(r'<span class="option">\g<0></span>', escape(str(text))))


def _png(picture: Image.Image | bytes) -> str:
    """A data URL with the picture."""
    if not isinstance(picture, bytes):
        stream = io.BytesIO()
        picture.save(stream, "PNG")
        picture = stream.getvalue()
    return f"data:image/png;base64,{base64.b64encode(picture).decode('ascii')}"
