"""`ioadr batch`: many light fields, huge ones, videos; one machine or many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ioadr.app.estimation_options import Estimation, align_option, with_estimation_options
from ioadr.app.reader_options import with_reader_options
from ioadr.app.saving_options import Saving, check_archived, strict_option, with_saving_options
from ioadr.app.sections import SectionCommand, option
from ioadr.app.start.exit_codes import DOUBTFUL, PARTLY_FAILED
from ioadr.app.terminal import Terminal, output_options
from ioadr.errors import InputError

if TYPE_CHECKING:
    from ioadr.app.batch.run import Batch
    from ioadr.app.batch.summary import Summary
    from ioadr.io.options import ReadOptions


@click.command(cls=SectionCommand)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUTS...")
@option("Results", "--out", required=True, metavar="DIR", help="Folder or URL for all results.")
@align_option
@strict_option
@option(
    "Results",
    "--every-view",
    is_flag=True,
    help="Also write maps of all views, with one geometry, to views.npz.",
)
@option("Results", "--resume", is_flag=True, help="Skip unchanged items that an earlier run finished.")
@option(
    "Workers",
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="automatic",
    help="Number of processes.",
)
@option(
    "Workers", "--memory", metavar="SIZE", show_default="free memory", help="Memory limit for all workers, such as 8G."
)
@option("Workers", "--scheduler", metavar="ADDRESS", help="Address or file of a Dask scheduler to use.")
@option(
    "Workers",
    "--attempts",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    metavar="N",
    help="Give up on an item after N workers died processing it.",
)
@option("Workers", "--dashboard", is_flag=True, help="Serve Dask's dashboard on this machine (needs bokeh).")
@option("Large inputs", "--tiles", is_flag=True, help="Split light fields that do not fit into memory into tiles.")
@option(
    "Large inputs",
    "--tile-size",
    type=click.IntRange(min=64),
    metavar="PX",
    help="Split views larger than this.",
)
@option(
    "Large inputs",
    "--video",
    is_flag=True,
    help="Treat each input as a video; each frame starts from the previous one.",
)
@option(
    "Large inputs",
    "--keyframes",
    type=click.IntRange(min=1),
    default=24,
    show_default=True,
    metavar="N",
    help="Start every N-th frame of a video from scratch.",
)
@output_options
@with_saving_options
@with_estimation_options
@with_reader_options
def command(
    terminal: Terminal,
    inputs: tuple[str, ...],
    out: str,
    align: bool | None,
    strict: bool,
    every_view: bool,
    resume: bool,
    workers: int | None,
    memory: str | None,
    scheduler: str | None,
    attempts: int,
    dashboard: bool,
    tiles: bool,
    tile_size: int | None,
    video: bool,
    keyframes: int,
    saving: Saving,
    estimation: Estimation,
    reading: ReadOptions,
) -> int:
    """Estimate every light field in INPUTS: folders, patterns, lists (.txt), manifests (.toml), URLs.

    Each light field gets a folder of results in DIR; summary.csv, summary.json and index.html cover all of them. A
    light field that fails does not stop the others. After an interruption, --resume continues.
    """
    from ioadr.app.batch.inputs import find_items
    from ioadr.app.batch.items import Settings
    from ioadr.app.batch.run import Batch, Manner
    from ioadr.io.results.save import check_formats
    from ioadr.io.safety.limits import parse_size

    side = tile_size if tile_size is not None else 0 if tiles else None
    _check(out, side, video, scheduler, workers or memory)
    _check_whole(align, side is not None or video)
    _check_every_view(every_view, saving, video)
    formats = None if saving.formats is None else tuple(check_formats(saving.formats))
    items = find_items(inputs, reading if align or every_view else estimation.reading(reading), out, video)
    settings = Settings(
        out=out,
        parameters=estimation.parameters,
        seed=estimation.seed,
        threads=estimation.threads or 1,
        formats=formats,
        report=saving.report,
        min_confidence=saving.min_confidence,
        tiles=side,
        warm=video,
        align=align,
        every_view=every_view,
    )
    limit = None if memory is None else parse_size("--memory", memory)
    manner = Manner(
        scheduler, workers, estimation.threads, limit, resume, saving.overwrite, attempts, keyframes, dashboard
    )
    return _run(terminal, Batch(terminal, items, settings, manner), out, strict)


def _run(terminal: Terminal, batch: Batch, out: str, strict: bool) -> int:
    """Run the batch, report the outcome and return the exit code."""
    summaries: list[Summary] = []

    def finish(summary: Summary) -> None:
        summaries.append(summary)
        _finish(terminal, summary, out)

    batch.run(finish)
    if not summaries[-1].complete:
        return PARTLY_FAILED
    return DOUBTFUL if strict and summaries[-1].doubtful else 0


def _check(out: str, side: int | None, video: bool, scheduler: str | None, own: object) -> None:
    """Refuse conflicting options; `own` are those for this machine's own workers."""
    from ioadr.app.batch.storage import is_url

    if video and side is not None:
        raise InputError("batch: --video and tiles cannot be combined. Leave one out.")
    if is_url(out) and side is not None:
        raise InputError(f"--out {out}: tiles need a folder that all workers can reach, not a URL.")
    if scheduler is not None and own:
        raise InputError(
            "batch: --workers and --memory apply to workers on this machine and cannot be combined with --scheduler. "
            "Set the number of workers where the cluster is started."
        )


def _check_whole(align: bool | None, parts: bool) -> None:
    """Refuse --align, which needs whole, single light fields, together with `parts` (tiles, videos)."""
    if align and parts:
        raise InputError("batch: --align needs whole light fields, one by one. Leave out --video and tiles.")


def _check_every_view(every_view: bool, saving: Saving, video: bool) -> None:
    if every_view:
        check_archived(saving)
    if every_view and video:
        raise InputError("batch: --every-view cannot be combined with --video. Leave one out.")


def _finish(terminal: Terminal, summary: Summary, out: str) -> None:
    """Write the summary files and report the outcome."""
    from pathlib import PurePath

    from ioadr.app.batch.page import page_html
    from ioadr.app.batch.storage import Store
    from ioadr.app.batch.summary import CSV, JSON, PAGE, to_csv, to_dict, to_json
    from ioadr.app.words import duration

    store = Store(out)
    title = f"Results in {PurePath(out.rstrip('/')).name}"
    texts = {JSON: to_json(summary), CSV: to_csv(summary), PAGE: page_html(summary, title)}
    written = store.write({name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()})
    counts = summary.counts
    words = {"done": "estimated", "kept": "from an earlier run", "failed": "failed", "left": "not done"}
    parts = {state: f"{counts[state]} {word}" for state, word in words.items() if counts[state]}
    if summary.doubtful:
        parts["kept" if counts["kept"] else "done"] += f" ({len(summary.doubtful)} doubtful)"
    lines = [
        f"{', '.join(parts.values())}, in {duration(summary.seconds, 1)}; wrote",
        *(f"  {path}" for path in written),
    ]
    for outcome in summary.outcomes:
        if outcome.doubts:
            terminal.note(f"doubtful: {outcome.name}: {'; '.join(outcome.doubts)}")
    lines += [f"failed: {o.name}: {o.reason}" for o in summary.outcomes if o.state == "failed"]
    terminal.answer("\n".join(lines), to_dict(summary) | {"files": written}, fold=True)
