"""A worker's treatment of one item: fetch, read, estimate, score, save."""

from __future__ import annotations

import io
import json
import shutil
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import ioadr
from ioadr.app.batch.earlier import earlier_outcome
from ioadr.app.batch.items import FRAME, RECORD, THUMBNAIL, Item, Outcome, Settings, failed
from ioadr.app.batch.sizing import check_need, need_of
from ioadr.app.batch.storage import Store, fetched, is_url
from ioadr.app.batch.talk import Unwanted, own_memory, sweep_teller, tell, view_teller, worker_name
from ioadr.app.saving_options import Saving
from ioadr.camera import is_posed
from ioadr.errors import InputError, IoadrError, as_options
from ioadr.io.decoding.npz import DAMAGE

if TYPE_CHECKING:
    from ioadr.evaluation.truth import Truth
    from ioadr.io.options import ReadOptions
    from ioadr.io.results.save import Writer
    from ioadr.lightfield import LightField
    from ioadr.parameters import Parameters
    from ioadr.result import Estimate
    from ioadr.views.result import Views

Result = TypeVar("Result")
READ, ESTIMATED = 0.05, 0.9
"""Progress of an item, as a share, after reading and after the estimation."""
ANCHORS = ".anchors"
THUMB = 160
"""Height of a thumbnail, px."""


class Clock:
    """Wall time by phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.last = time.perf_counter()

    def lap(self, phase: str) -> None:
        now = time.perf_counter()
        self.seconds[phase] = round(now - self.last, 3)
        self.last = now


def guarded(item: Item, key: str, settings: Settings, work: Callable[[], Result]) -> Result | Outcome:
    """Run `work`; any error becomes an outcome with its reason."""
    try:
        if settings.version != ioadr.__version__:
            raise InputError(
                f"worker {worker_name()}: has ioadr {ioadr.__version__}; the main process has {settings.version}. "
                "Install the same version on both."
            )
        return work()
    except (Unwanted, KeyboardInterrupt):
        raise
    except IoadrError as error:
        return failed(item, error.for_command_line(), key)
    except MemoryError as error:
        return failed(item, f"{item.path}: not enough memory ({error}). Use --tiles, or fewer workers.", key)
    except Exception as error:
        summary = " ".join(f"{type(error).__name__}: {error}".split())
        reason = f"{item.path}: internal error ({summary}). Its details are in summary.json."
        return failed(item, reason, key, traceback.format_exc())


def prepare(parameters: Parameters) -> None:
    """Compile the kernels for these parameters on a tiny light field, once for all workers."""
    from ioadr._jit import compiled_before
    from ioadr.lightfield import DisparityRange, LightField

    if not compiled_before():
        views = np.random.default_rng(0).integers(0, 255, (3, 3, 32, 32, 3), np.uint8)
        ioadr.estimate(LightField(views, range=DisparityRange(-1.0, 1.0)), parameters, threads=1)


def do_item(item: Item, key: str, settings: Settings, before: str | None = None) -> Outcome:
    """Estimate one light field and save its results; `before` is the frame whose map it starts from.

    Dask repeats a task if its worker died after finishing it but before reporting: its results exist already.
    """
    there = earlier_outcome(Store(settings.out), item, key)
    if there is not None and settings.topic and there.facts.get("run") == settings.topic:
        return replace(there, state="done")
    return guarded(item, key, settings, lambda: _estimated(item, key, settings, before))


def _estimated(item: Item, key: str, settings: Settings, before: str | None) -> Outcome:
    clock = Clock()
    tell(settings.topic, item.name, "reading")
    with fetched(item.path) as path:
        check_need(
            item.path, need_of(str(path), item.reading, settings.parameters, settings.every_view).bytes, own_memory()
        )
        lightfield, align = _read(path, item.reading, settings)
        truth, notes = truth_beside(path, (lightfield.height, lightfield.width))
    if is_url(item.path):
        lightfield = lightfield.replace(source=replace(lightfield.source, path=item.path))
    clock.lap("read")
    if align:
        tell(settings.topic, item.name, "aligning", READ)
        lightfield = ioadr.align(lightfield, seed=settings.seed, threads=settings.threads).lightfield
        clock.lap("align")
    views = _every_view(item, settings, lightfield) if settings.every_view else None
    if views is not None:
        estimate = views.estimate
    else:
        estimate = ioadr.estimate(
            lightfield,
            settings.parameters,
            seed=settings.seed,
            progress=sweep_teller(settings.topic, item.name, READ, ESTIMATED),
            threads=settings.threads,
            start=None if before is None else _map_of(settings, before),
        )
    clock.lap("estimate")
    tell(settings.topic, item.name, "writing", ESTIMATED)
    outcome = outcome_of(item, key, settings, estimate, truth, clock, notes)
    save(outcome, settings, estimate, lightfield, truth, views)
    if views is not None and not is_url(settings.out):
        shutil.rmtree(anchor_folder(settings, item), ignore_errors=True)
    clock.lap("save")
    return replace(outcome, seconds=clock.seconds)


def _read(path: Path, reading: ReadOptions, settings: Settings) -> tuple[LightField, bool]:
    """The light field, and whether to align it: then with all views."""
    lightfield = ioadr.read(path, reading)
    if settings.align is not None or settings.warm or not is_posed(lightfield.camera):
        return lightfield, bool(settings.align)
    from ioadr.alignment import needs_alignment

    needed = needs_alignment(lightfield, settings.seed, settings.threads)
    if needed and reading.view_step > 1:
        lightfield = ioadr.read(path, replace(reading, view_step=1))
    return lightfield, needed


def _every_view(item: Item, settings: Settings, lightfield: LightField) -> Views:
    progress = view_teller(settings.topic, item.name, READ, ESTIMATED)
    work = None if is_url(settings.out) else anchor_folder(settings, item)
    return ioadr.estimate_views(lightfield, settings.parameters, settings.seed, progress, settings.threads, work=work)


def anchor_folder(settings: Settings, item: Item) -> Path:
    """Folder of finished anchors, from which an interrupted item continues."""
    return Path(settings.out) / ANCHORS / item.name


def truth_beside(path: Path, size: tuple[int, int]) -> tuple[Truth | None, list[str]]:
    """Ground truth of the light field at `path`, or a note why it cannot be used."""
    from ioadr.evaluation.truth import has_truth, load_truth

    if not has_truth(path):
        return None, []
    try:
        truth = load_truth(path)
    except InputError as error:
        return None, [f"ground truth not used: {error.for_command_line()}"]
    if truth.disparity.shape != size:
        return None, ["ground truth not used: its size differs from that of the views"]
    return truth, []


def outcome_of(
    item: Item,
    key: str,
    settings: Settings,
    estimate: Estimate,
    truth: Truth | None,
    clock: Clock,
    notes: list[str],
) -> Outcome:
    """The record of a finished item."""
    from ioadr.evaluation.scores import score

    seconds = clock.seconds.get("estimate", 0.0)
    scores = score(estimate.disparity, truth, seconds, allow_invalid=True).values if truth else {}
    clock.lap("score")
    costs = [record.mean_cost for record in estimate.history if np.isfinite(record.mean_cost)]
    facts = {
        "size": list(estimate.disparity.shape),
        "grid": list(estimate.layout.grid),
        "range": [estimate.range.minimum, estimate.range.maximum, estimate.range.origin],
        "depth_unit": estimate.depth_unit,
        "mean_cost": costs[-1] if costs else None,
        "sweeps": sum(record.kind not in ("initialise", "finish") for record in estimate.history),
        "worker": worker_name(),
        "run": settings.topic,
        "doubts": [as_options(doubt) for doubt in estimate.doubts],
        "notes": [*map(as_options, estimate.notes), *notes],
    }
    return Outcome(
        item.name,
        item.path,
        "done",
        key=key,
        seconds=clock.seconds,
        scores=dict(scores),
        facts=facts,
        report=settings.report,
        video=item.video,
    )


def save(
    outcome: Outcome,
    settings: Settings,
    estimate: Estimate,
    lightfield: LightField | None,
    truth: Truth | None,
    views: Views | None = None,
) -> None:
    """Write results, maps of all views if given, report, thumbnail and record: all or none."""
    text = json.dumps(outcome.to_dict(), indent=2, ensure_ascii=False)
    also: dict[str, Writer] = {
        RECORD: lambda path: _write_text(path, text),
        THUMBNAIL: lambda path: _write_thumbnail(path, estimate),
    }
    if outcome.video is not None:
        also[FRAME] = lambda path: _write_arrays(path, {"disparity": estimate.disparity, "image": _image8(estimate)})
    saving = Saving(settings.formats, True, settings.report, settings.min_confidence)
    with Store(settings.out).folder(outcome.name) as folder:
        saving.save(estimate, str(folder), lightfield, truth, also, views)


def frame_of(store: Store, name: str) -> Mapping[str, NDArray[Any]] | None:
    """Disparity and image of a finished frame."""
    content = store.read(f"{name}/{FRAME}")
    if content is None:
        return None
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return {key: arrays[key] for key in ("disparity", "image")}
    except DAMAGE:
        return None


def _map_of(settings: Settings, name: str) -> NDArray[np.float32] | None:
    frame = frame_of(Store(settings.out), name)
    return None if frame is None else frame["disparity"]


def _image8(estimate: Estimate) -> NDArray[np.uint8]:
    from ioadr.colours import rgb8

    return rgb8(estimate.image, estimate.white)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")


def _write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    with path.open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)


def _write_thumbnail(path: Path, estimate: Estimate) -> None:
    """The view and its disparity side by side."""
    from PIL import Image

    from ioadr.colours import coloured, shown_range

    thin = max(1, estimate.disparity.shape[0] // (2 * THUMB))
    disparity = estimate.disparity[::thin, ::thin]
    pictures = (_image8(estimate)[::thin, ::thin], coloured(disparity, *shown_range(disparity)))
    both = Image.fromarray(np.concatenate(pictures, axis=1))
    width = max(1, round(both.width * THUMB / both.height))
    both.resize((width, THUMB), Image.Resampling.LANCZOS).save(path, "JPEG", quality=85)
