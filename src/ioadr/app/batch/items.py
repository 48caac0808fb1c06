"""The parts of a batch: items, the settings they share, and the outcome of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from ioadr import __version__
from ioadr.io.options import ReadOptions
from ioadr.io.results.save import plain
from ioadr.io.safety.fingerprint import work_key
from ioadr.parameters import Parameters

RECORD, THUMBNAIL, FRAME = "item.json", "thumbnail.jpg", "frame.npz"
"""Files of an item in addition to its results."""

State = Literal["done", "kept", "failed", "left"]
"""States: finished now, finished by an earlier run, failed, not finished."""


@dataclass(frozen=True)
class Item:
    """One light field."""

    name: str
    """Folder of the item inside the output folder; `video/frame` for a frame."""
    path: str
    """Path or URL."""
    reading: ReadOptions = field(default_factory=ReadOptions)
    video: str | None = None
    """Name of its video, if it is a frame."""
    problem: str | None = None
    """Reason why it cannot be estimated."""


@dataclass(frozen=True)
class Settings:
    """Settings shared by all items; sent to the workers."""

    out: str
    parameters: Parameters
    seed: int = 0
    threads: int = 1
    formats: tuple[str, ...] | None = None
    report: bool = True
    tiles: int | None = None
    """Side of a tile, px; 0 means as large as memory allows, None no tiles."""
    warm: bool = False
    """Whether frames of a video start from the frame before."""
    topic: str = ""
    """Topic of the progress events."""
    version: str = __version__
    min_confidence: float = 0.0
    """Minimum confidence of pixels in clouds and meshes."""
    align: bool | None = None
    """Whether views are aligned first; None means photographs with poses that contradict a first map."""
    every_view: bool = False
    """Whether all views get a map."""

    def key(self, item: Item, fingerprint: str, before: str | None = None) -> str:
        """Hash of everything the item's result depends on; `before` is the key of the frame it starts from."""
        reading = plain(asdict(item.reading))
        how = self.version, self.seed, self.formats, self.report, self.tiles, self.min_confidence
        aligned = {None: [], True: ["align"], False: ["no align"]}[self.align]
        more = [*aligned, *(["every view"] if self.every_view else [])]
        return work_key(self.parameters.to_dict(), fingerprint, *how, reading, before, *more)


@dataclass(frozen=True)
class Outcome:
    """The outcome of an item."""

    name: str
    path: str
    state: State
    reason: str = ""
    """Reason why it failed or is unfinished."""
    key: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Wall time by phase."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """Scores by their names in `evaluation.scores`, if the light field has ground truth."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Size, views, range, unit of depth, cost, worker, notes."""
    report: bool = False
    video: str | None = None
    details: str = ""
    """Traceback of an internal error."""

    @property
    def finished(self) -> bool:
        return self.state in ("done", "kept")

    @property
    def doubts(self) -> list[str]:
        """Reasons why its map may be wrong."""
        return [str(doubt) for doubt in self.facts.get("doubts", ())]

    @property
    def total_seconds(self) -> float:
        return sum(self.seconds.values())

    def to_dict(self) -> dict[str, Any]:
        return plain(asdict(self))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Outcome:
        """Read what `to_dict` wrote; raise TypeError or ValueError on anything else."""
        names = {item.name for item in fields(cls)}
        if not set(values) <= names:
            raise ValueError("expected the fields of an item's record")
        outcome = cls(**values)
        texts = all(isinstance(value, str) for value in (outcome.name, outcome.path, outcome.state, outcome.key))
        if not texts or not all(isinstance(m, Mapping) for m in (outcome.seconds, outcome.scores, outcome.facts)):
            raise ValueError("expected texts and mappings in an item's record")
        return outcome


def failed(item: Item, reason: str, key: str = "", details: str = "") -> Outcome:
    return Outcome(item.name, item.path, "failed", reason, key, video=item.video, details=details)


def left(item: Item, reason: str, key: str = "") -> Outcome:
    return Outcome(item.name, item.path, "left", reason, key, video=item.video)
