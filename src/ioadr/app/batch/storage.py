"""Storage of light fields and results: folders, or any URL that fsspec supports.

A light field at a URL is copied to a temporary folder of the worker. Results for a URL are written to such a
folder and copied out; the file that marks them complete comes last.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from ioadr.errors import InputError, OutputError
from ioadr.extras import install
from ioadr.io.safety.atomic import MARKER, atomic_folder
from ioadr.io.safety.doors import one_line
from ioadr.io.safety.fingerprint import digest_path, digest_values
from ioadr.io.safety.limits import check_memory

MOST_FILES = 100_000
BLOCK = 1 << 20
IDENTITY = ("ETag", "etag", "md5Hash", "md5", "checksum", "crc32c", "CRC", "LastModified", "last_modified", "mtime")
"""Checksums that stores may offer, the best first."""


def is_url(path: str) -> bool:
    return "://" in path


def file_system(url: str) -> tuple[Any, str]:
    """fsspec's file system and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise InputError(f"{url}: URLs need the package fsspec. {install('cluster')}") from error
    try:
        system, path = url_to_fs(url)
    except (ImportError, ValueError, OSError) as error:
        raise InputError(f"{url}: fsspec cannot open this URL: {one_line(error)}.") from error
    return system, str(path)


def matches(url: str) -> list[str]:
    """URLs that match a pattern with *, sorted."""
    system, path = file_system(url)
    with _explained(url):
        return sorted(system.unstrip_protocol(name) for name in system.glob(path))


def input_fingerprint(path: str) -> str:
    """Hash of the content for files; of names, sizes and the store's own checksums for URLs."""
    if not is_url(path):
        local = Path(path)
        # A manifest or parameters.cfg stands for the images around it.
        return digest_path(local.parent if local.suffix in (".toml", ".cfg") else local)
    system, base = file_system(path)
    with _explained(path):
        listed = _files(system, base)
    identities = [(name, info["size"], _identity(info)) for name, info in sorted(listed.items())]
    return digest_values(identities)


@contextmanager
def fetched(path: str) -> Iterator[Path]:
    """The light field as a local path; for a URL, a copy that lasts as long as the block."""
    if not is_url(path):
        yield Path(path)
        return
    system, base = file_system(path)
    with tempfile.TemporaryDirectory(prefix="ioadr-") as temporary:
        target = Path(temporary) / (PurePosixPath(base).name or "lightfield")
        with _explained(path):
            files = _files(system, base)
            check_memory(path, sum(int(info["size"]) for info in files.values()), f"{len(files)} files")
            for name, info in files.items():
                _copy(system, info, target / name if name else target)
        yield target


def _files(system: Any, base: str) -> dict[str, Mapping[str, Any]]:
    """Information by name below `base` (empty for a single file); refuse names outside the folder."""
    if not system.isdir(base):
        return {"": system.info(base)}
    files: dict[str, Mapping[str, Any]] = {}
    for full_name, info in system.find(base, detail=True).items():
        name = PurePosixPath(full_name).relative_to(base.rstrip("/") or "/") if base else PurePosixPath(full_name)
        if name.is_absolute() or ".." in name.parts:
            raise InputError(f"{base}: lists {full_name}, which is outside it. Check the URL.")
        files[str(name)] = info
        if len(files) > MOST_FILES:
            raise InputError(f"{base}: holds more than {MOST_FILES} files. Name one light field.")
    if not files:
        raise InputError(f"{base}: holds no files. Check the URL.")
    return files


def _identity(info: Mapping[str, Any]) -> str:
    return next((str(info[name]) for name in (*IDENTITY, "created") if info.get(name) is not None), "")


def _copy(system: Any, info: Mapping[str, Any], target: Path) -> None:
    """Copy at most the declared size, so that a packed file cannot fill the disk."""
    target.parent.mkdir(parents=True, exist_ok=True)
    left = int(info["size"])
    with system.open(info["name"], "rb") as source, target.open("wb") as copy:
        while block := source.read(min(BLOCK, left + 1)):
            left -= len(block)
            if left < 0:
                raise InputError(f"{info['name']}: larger than its declared {info['size']} bytes. The file is damaged.")
            copy.write(block)


class Store:
    """The output folder of a batch, local or at a URL."""

    def __init__(self, location: str) -> None:
        self.location = location
        self.local = None if is_url(location) else Path(location)

    def read(self, name: str) -> bytes | None:
        """Content of a small file; None if it does not exist."""
        try:
            with self._open(name, "rb") as stream:
                return stream.read()
        except (OSError, InputError):
            return None

    def has(self, name: str) -> bool:
        if self.local is not None:
            return (self.local / name).is_file()
        system, base = file_system(self.location)
        return bool(system.exists(f"{base}/{name}"))

    def write(self, contents: Mapping[str, bytes]) -> list[str]:
        """Write files by name, all or none (one by one at a URL); return their paths or URLs."""
        if self.local is not None:
            with atomic_folder(self.local, overwrite=True) as staging:
                for name, content in contents.items():
                    (staging / name).write_bytes(content)
        else:
            for name, content in contents.items():
                with self._sent(name), self._open(name, "wb") as stream:
                    stream.write(content)
        return [f"{self.location.rstrip('/')}/{name}" for name in contents]

    @contextmanager
    def folder(self, name: str) -> Iterator[Path]:
        """A local folder for the store's folder `name`: that folder, or one that is copied when the block ends."""
        if self.local is not None:
            yield self.local / name
            return
        with tempfile.TemporaryDirectory(prefix="ioadr-") as temporary:
            yield Path(temporary) / "result"
            self._send(Path(temporary) / "result", name)

    def _send(self, folder: Path, name: str) -> None:
        system, base = file_system(self.location)
        marker = f"{base}/{name}/{MARKER}"
        with self._sent(name):
            if system.exists(marker):
                system.rm_file(marker)
            for file in sorted(folder.iterdir(), key=lambda file: file.name == MARKER):
                with self._open(f"{name}/{file.name}", "wb") as stream, file.open("rb") as source:
                    shutil.copyfileobj(source, stream, BLOCK)

    def _open(self, name: str, mode: str) -> BinaryIO:
        if self.local is not None:
            if mode == "rb" and not self.has(name):  # a pipe would let its reader wait for ever
                raise FileNotFoundError(name)
            return (self.local / name).open(mode)  # type: ignore[return-value]
        system, base = file_system(self.location)
        if mode == "wb":
            system.makedirs(str(PurePosixPath(base) / PurePosixPath(name).parent), exist_ok=True)
        stream: BinaryIO = system.open(f"{base}/{name}", mode)
        return stream

    @contextmanager
    def _sent(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OutputError(
                f"{self.location}/{name}: could not be written: {one_line(error)}. Choose another place with --out."
            ) from error


@contextmanager
def _explained(url: str) -> Iterator[None]:
    """Turn every file system exception into one InputError."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{url}: cannot be read: {one_line(error)}. Check the URL.") from error
