"""Traces of earlier runs in the output folder: finished items, leftovers of a kill, perhaps a run in progress."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from ioadr.app.batch.items import RECORD, Item, Outcome
from ioadr.app.batch.storage import Store
from ioadr.app.batch.summary import JSON
from ioadr.errors import OutputError
from ioadr.io.safety.atomic import MARKER, check_folder
from ioadr.io.safety.fingerprint import digest_content
from ioadr.io.safety.leftovers import PREFIX, locked, recover

LOCK = ".batch.lock"


def earlier_outcome(store: Store, item: Item, key: str) -> Outcome | None:
    """The record of a finished item, if its inputs are unchanged and its files complete."""
    marker, record = store.read(f"{item.name}/{MARKER}"), store.read(f"{item.name}/{RECORD}")
    if marker is None or record is None:
        return None
    try:
        outcome = Outcome.from_dict(json.loads(record))
        marked = json.loads(marker)
        files = marked["files"]
        complete = all(store.has(f"{item.name}/{Path(name).name}") for name in files)
        undamaged = all(_digest(store, item, name) == digest for name, digest in marked.get("digests", {}).items())
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if outcome.key != key or not complete or not undamaged:
        return None
    return replace(outcome, name=item.name, path=item.path, state="kept", video=item.video)


def _digest(store: Store, item: Item, name: str) -> str | None:
    content = store.read(f"{item.name}/{Path(name).name}")
    return None if content is None else digest_content(Path(name).name, content)


def check_store(store: Store, items: Iterable[Item], again: bool) -> None:
    """Refuse an unusable folder, or one with results unless this run may continue there."""
    if store.local is not None:
        check_folder(store.local, overwrite=True)
    if not again and (store.has(JSON) or any(store.has(f"{item.name}/{MARKER}") for item in items)):
        raise OutputError(
            f"{store.location}: holds an earlier batch. Add --resume to process only items that are missing or have "
            "changed, --overwrite to process all of them again, or choose another --out."
        )


@contextmanager
def sole_owner(store: Store) -> Iterator[None]:
    """Hold the folder for one batch, and remove half-written files of a killed one."""
    if store.local is None:
        yield
        return
    store.local.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(store.local / LOCK, 0))
        except TimeoutError as error:
            raise OutputError(
                f"{store.location}: another batch is running there. Wait for it, or choose another --out."
            ) from error
        _clean(store.local)
        stack.callback(_clean, store.local)
        yield


def _clean(folder: Path) -> None:
    """Remove unfinished files; no other process writes there."""
    for parent in {folder, *(left.parent for depth in ("*", "*/*") for left in folder.glob(f"{depth}/{PREFIX}*"))}:
        recover(parent, alone=True)
