"""Opens data files: one file per format, found by the registry."""

from ioadr.io.lightfield_files import write_lightfield
from ioadr.io.options import ReadOptions
from ioadr.io.reading import read
from ioadr.io.results.load import load_estimate
from ioadr.io.results.save import save_estimate

__all__ = ["ReadOptions", "load_estimate", "read", "save_estimate", "write_lightfield"]
