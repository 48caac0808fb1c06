"""Cache of compiled jinja2 templates, next to the kernels: compiling the report's would take 0.2 s of every run."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from jinja2.bccache import Bucket, BytecodeCache

from ioadr import _cache_folder

SUFFIX = ".page"


@cache
def _settings() -> bytes:
    """What affects the compilation of all templates; once, because looking up a version takes 2 ms."""
    return version("jinja2").encode() + Path(__file__).with_name("pages.py").read_bytes()


class CompiledPages(BytecodeCache):
    """The cache in the interface that jinja2 expects."""

    def load_bytecode(self, bucket: Bucket) -> None:
        content = _cache_folder.read(self._path(bucket))
        if content is not None:
            bucket.bytecode_from_string(content)

    def dump_bytecode(self, bucket: Bucket) -> None:
        _cache_folder.write(self._path(bucket), bucket.bytecode_to_string())

    def _path(self, bucket: Bucket) -> Path:
        """Named by the template and everything that affects its compilation: jinja2 and the settings in `pages`."""
        key = sha256(f"{bucket.key} {bucket.checksum}".encode() + _settings()).hexdigest()
        return _cache_folder.FOLDER / (key[:32] + SUFFIX)
