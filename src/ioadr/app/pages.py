"""Pages from `app/templates`. Everything put into them is escaped, except styles and scripts of the package."""

from __future__ import annotations

import base64
import io
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ioadr import __version__
from ioadr.io.safety.atomic import atomic_file

if TYPE_CHECKING:
    from jinja2 import Environment
    from PIL import Image


def render(template: str, /, **values: Any) -> str:
    """Fill `app/templates/<template>.j2`; a missing value is an error."""
    return _environment().get_template(f"{template}.j2").render(values)


def write_page(path: str | Path, html: str) -> Path:
    """Write a page, completely or not at all."""
    with atomic_file(path) as temporary:
        write_text(temporary, html)
    return Path(path)


def write_text(path: Path, html: str) -> None:
    """Write text; bytes in file names that are not text are escaped."""
    path.write_text(html, encoding="utf-8", errors="backslashreplace")


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
    made.filters["png"] = _png
    return made


def _png(picture: Image.Image | bytes) -> str:
    """A data URL with the picture."""
    if not isinstance(picture, bytes):
        stream = io.BytesIO()
        picture.save(stream, "PNG")
        picture = stream.getvalue()
    return f"data:image/png;base64,{base64.b64encode(picture).decode('ascii')}"
