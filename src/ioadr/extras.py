"""The command that adds an optional package, by the source from which `ioadr` was installed."""

from __future__ import annotations

import json
import shlex
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any


def install(extra: str) -> str:
    """ "Install it with: pip install …": from the package index, or from the same folder or archive as before."""
    from urllib.parse import urlsplit
    from urllib.request import url2pathname  # loads http and ssl, and only a message needs it

    source = _source()
    url = str(source.get("url", ""))
    folder = Path(url2pathname(urlsplit(url).path)) if "dir_info" in source else None
    if folder is not None and folder.is_dir():
        editable = "-e " if source["dir_info"].get("editable") else ""
        return f"Install it with: pip install {editable}{shlex.quote(f'{folder}[{extra}]')}"
    requirement = f"ioadr[{extra}] @ {url}" if "archive_info" in source else f"ioadr[{extra}]"
    return f"Install it with: pip install {shlex.quote(requirement)}"


def _source() -> dict[str, Any]:
    """What pip recorded of an installation from a folder or an archive; empty for one from the package index."""
    try:
        content = json.loads(distribution("ioadr").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
