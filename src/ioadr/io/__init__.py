"""Everything that opens data files; the registry finds the readers, one module per format.

Names are imported on demand, so that the help of commands does not load numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ioadr.io.lightfield_files import write_lightfield
    from ioadr.io.options import ReadOptions
    from ioadr.io.reading import read
    from ioadr.io.results.load import load_estimate
    from ioadr.io.results.save import save_estimate

__all__ = ["ReadOptions", "load_estimate", "read", "save_estimate", "write_lightfield"]

_HOME = {
    "ReadOptions": "options",
    "load_estimate": "results.load",
    "read": "reading",
    "save_estimate": "results.save",
    "write_lightfield": "lightfield_files",
}

if not TYPE_CHECKING:  # so that a type checker finds misspelt names

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'ioadr.io' has no attribute {name!r}")
        return getattr(import_module(f"ioadr.io.{_HOME[name]}"), name)
