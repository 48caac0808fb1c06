"""What an earlier run left in the output folder: finished items, leftovers of a kill, perhaps a run that goes on."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from ioadr.app.batch.items import RECORD, Item, Outcome
from ioadr.app.batch.storage import Store
from ioadr.app.batch.summary import JSON
from ioadr.errors import OutputError
from ioadr.io.safety.atomic import MARKER, check_folder
from ioadr.io.safety.leftovers import PREFIX, lock

LOCK = ".batch.lock"
STAGING = f"{PREFIX}*"
"""What is being written, before it moves to its place; see `io.atomic`."""


def earlier_outcome(store: Store, item: Item, key: str) -> Outcome | None:
    """The record of an item that is finished, if it was made from the same things and is still complete."""
    marker, record = store.read(f"{item.name}/{MARKER}"), store.read(f"{item.name}/{RECORD}")
    if marker is None or record is None:
        return None
    try:
        found = Outcome.from_dict(json.loads(record))
        files = json.loads(marker)["files"]
        complete = all(store.has(f"{item.name}/{Path(name).name}") for name in files)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if found.key != key or not complete:
        return None
    return replace(found, name=item.name, path=item.path, state="kept", video=item.video)


def check_place(store: Store, items: Iterable[Item], again: bool) -> None:
    """Refuse an unusable folder, or one with results unless the run may go on there."""
    if store.local is not None:
        check_folder(store.local, overwrite=True)
    if not again and (store.has(JSON) or any(store.has(f"{item.name}/{MARKER}") for item in items)):
        raise OutputError(
            f"{store.place}: holds an earlier batch. Add --resume to do only what is missing or has changed, "
            "--overwrite to do everything again, or choose another --out."
        )


@contextmanager
def sole_owner(store: Store) -> Iterator[None]:
    """One batch at a time in a folder; what was being written when another one was killed is removed."""
    if store.local is None:
        yield
        return
    store.local.mkdir(parents=True, exist_ok=True)
    with (store.local / LOCK).open("a") as stream:
        if lock(stream.fileno()) is False:
            raise OutputError(f"{store.place}: another batch is running there. Wait for it, or choose another --out.")
        _clean(store.local)
        try:
            yield
        finally:
            _clean(store.local)


def _clean(folder: Path) -> None:
    for pattern in (STAGING, f"*/{STAGING}", f"*/*/{STAGING}"):
        for found in folder.glob(pattern):
            if found.is_dir():
                shutil.rmtree(found, ignore_errors=True)
            else:
                found.unlink(missing_ok=True)
