"""Opens data files: one file per format, registered in one table."""

from ioadr.io.options import ReadOptions
from ioadr.io.reading import read

__all__ = ["ReadOptions", "read"]
