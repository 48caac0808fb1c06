"""Frames of a video: which start from scratch, and how much the others gain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from ioadr.app.batch.items import Item, Outcome, Settings
from ioadr.app.batch.storage import Store
from ioadr.app.batch.work import frame_of

STILL = 2
"""Change of colour, in grey levels, below which the scene at a pixel counts as static."""


@dataclass(frozen=True)
class Segment:
    """Frames that each start from the one before."""

    frames: Sequence[Item]


def segments(items: Iterable[Item], every: int) -> list[Segment]:
    """Cut each video so that every `every`-th frame starts from scratch; the pieces can run at the same time."""
    made = []
    for _, group in groupby(items, key=lambda item: item.video):
        frames = list(group)
        made += [Segment(frames[start : start + every]) for start in range(0, len(frames), every)]
    return made


def video_keys(segment: Segment, settings: Settings, fingerprints: Mapping[str, str]) -> dict[str, str]:
    """Keys of all frames; a frame's result also depends on the frames it was started from."""
    keys: dict[str, str] = {}
    before: str | None = None
    for frame in segment.frames:
        before = keys[frame.name] = settings.key(frame, fingerprints[frame.name], before if settings.warm else None)
    return keys


def gains(segmented: Sequence[Segment], outcomes: Mapping[str, Outcome], settings: Settings) -> list[dict[str, Any]]:
    """Gain from starting at the previous frame, for each video: seconds per frame, and flicker."""
    store = Store(settings.out)
    firsts = {segment.frames[0].name for segment in segmented}
    result = []
    for video, group in groupby(segmented, key=lambda segment: segment.frames[0].video):
        frames = [outcomes[f.name] for segment in group for f in segment.frames if outcomes[f.name].finished]
        warm = [frame for frame in frames if settings.warm and frame.name not in firsts]
        cold = [frame for frame in frames if frame not in warm]
        changes = {after.name: flicker(store, before.name, after.name) for before, after in pairwise(frames)}
        facts = {
            "video": video,
            "frames": len(frames),
            "from_scratch": len(cold),
            "seconds_from_scratch": _mean([frame.total_seconds for frame in cold]),
            "seconds_warm": _mean([frame.total_seconds for frame in warm]),
            "flicker_from_scratch": _mean([changes[frame.name] for frame in cold if frame.name in changes]),
            "flicker_warm": _mean([changes[frame.name] for frame in warm if frame.name in changes]),
        }
        slow, quick = facts["seconds_from_scratch"], facts["seconds_warm"]
        result.append(facts | {"gain": round(slow / quick, 2) if slow and quick else None})
    return result


def flicker(store: Store, before: str, after: str) -> float | None:
    """Mean change of disparity, px, where the picture did not change."""
    first, second = frame_of(store, before), frame_of(store, after)
    if first is None or second is None or first["disparity"].shape != second["disparity"].shape:
        return None
    moved = np.abs(first["image"].astype(np.int16) - second["image"].astype(np.int16)).max(axis=-1)
    still = moved <= STILL
    change = np.abs(first["disparity"] - second["disparity"])[still]
    return float(change.mean()) if change.size else None


def _mean(values: Sequence[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return round(float(np.mean(present)), 5) if present else None
