"""`ioadr estimate`: one light field, one folder of results."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

import ioadr
from ioadr.app.compile_ahead import compiling_ahead
from ioadr.app.estimation_options import Estimation, align_option, kernels_waking, with_estimation_options
from ioadr.app.reader_options import read_from_cli, with_reader_options
from ioadr.app.saving_options import Saving, check_archived, strict_option, with_saving_options
from ioadr.app.sections import SectionCommand, option
from ioadr.app.start.exit_codes import DOUBTFUL
from ioadr.app.sweep_progress import every_view_progress, sweep_bar
from ioadr.app.terminal import Terminal, output_options
from ioadr.app.words import DEPTH, disparities
from ioadr.errors import InputError, as_options
from ioadr.tones import stretch_notes

if TYPE_CHECKING:
    from ioadr.io.options import ReadOptions
    from ioadr.lightfield import LightField
    from ioadr.result import Estimate
    from ioadr.views.result import Views


@click.command(cls=SectionCommand)
@click.argument("scene", type=click.Path())
@option("Results", "--out", required=True, type=click.Path(), metavar="DIR", help="Folder for the results.")
@align_option
@option(
    "Results",
    "--every-view",
    is_flag=True,
    help="Also write maps of all views, with one geometry, to views.npz.",
)
@option(
    "Results",
    "--work",
    type=click.Path(),
    metavar="DIR",
    help="With --every-view: keep finished anchors in this folder, so that an interrupted run can continue.",
)
@strict_option
@output_options
@with_saving_options
@with_estimation_options
@with_reader_options
def command(
    terminal: Terminal,
    scene: str,
    out: str,
    align: bool | None,
    every_view: bool,
    work: str | None,
    strict: bool,
    saving: Saving,
    estimation: Estimation,
    reading: ReadOptions,
) -> int:
    """Estimate disparity, depth and normals of the light field SCENE and write them to a folder."""
    start = time.perf_counter()
    saving.check(out)
    if every_view:
        check_archived(saving)
    elif work is not None:
        raise InputError("--work: keeps the anchors of --every-view only. Add --every-view, or leave it out.")
    with compiling_ahead(estimation.parameters, estimation.threads):
        with kernels_waking():
            whole = align or every_view
            lightfield = read_from_cli(terminal, scene, reading if whole else estimation.reading(reading))
        terminal.note(headline(lightfield))
        if align is None and needing(terminal, lightfield, estimation):
            align, lightfield = True, lightfield if whole else ioadr.read(scene, reading)
        if align:
            lightfield = aligned(terminal, lightfield, estimation)
        tones = lightfield.tones(estimation.parameters.data.least_span)
        say_notes(terminal, stretch_notes(tones, lightfield.white), lightfield)
        views = run_every_view(terminal, estimation, lightfield, work) if every_view else None
        if views is None:
            with sweep_bar(terminal, lightfield.name) as progress:
                estimate = estimation.run(lightfield, progress)
        else:
            estimate = views.estimate
    with terminal.busy(f"writing {out}"):
        files = saving.save(estimate, out, lightfield, views=views)
    say_doubts(terminal, estimate, lightfield)
    answer(terminal, estimate, files, time.perf_counter() - start)
    return DOUBTFUL if strict and estimate.doubts else 0


def needing(terminal: Terminal, lightfield: LightField, estimation: Estimation) -> bool:
    """Whether photographs with poses are aligned without `--align`; says so."""
    from ioadr.camera import is_posed

    if not is_posed(lightfield.camera):
        return False
    from ioadr.alignment import needs_alignment

    with terminal.busy("checking whether the views agree"):
        needed = needs_alignment(lightfield, estimation.seed, estimation.threads)
    if needed:
        terminal.note("  the photographs contradict a first map and are aligned (--no-align keeps them)")
    return needed


def aligned(terminal: Terminal, lightfield: LightField, estimation: Estimation) -> LightField:
    """The aligned light field; prints what was corrected."""
    with terminal.busy("aligning views"):
        corrected = ioadr.align(lightfield, seed=estimation.seed, threads=estimation.threads).lightfield
    terminal.note(f"  {as_options(corrected.source.notes[-1])}")
    return corrected


def run_every_view(terminal: Terminal, estimation: Estimation, lightfield: LightField, work: str | None) -> Views:
    """Estimate all views and say from which anchors."""
    from ioadr import estimate_views

    with every_view_progress(terminal) as progress:
        views = estimate_views(
            lightfield, estimation.parameters, estimation.seed, progress, estimation.threads, work=work
        )
    anchors = ", ".join(f"{row} {column}" for row, column in (surface.view for surface in views.surfaces))
    plural = "s" * (len(views.surfaces) > 1)
    text = f"maps of {len(views.index)} views from {len(views.surfaces)} anchor{plural} ({anchors})"
    trust = f"mean confidence {views.confidence.mean(dtype=float):.2f}"
    terminal.note(f"{text}, which saw {100 * views.covered:.1f} % of all pixels; {trust}")
    say_notes(terminal, views.estimate.source.notes, lightfield)
    return views


def say_notes(terminal: Terminal, notes: Iterable[str], lightfield: LightField) -> None:
    """Print notes that `headline` did not have yet."""
    for note in notes:
        if note not in lightfield.source.notes:
            terminal.note(f"  {as_options(note)}")


def headline(lightfield: LightField) -> str:
    """The light field in one line, followed by its reader's notes and by doubts about every map of it."""
    rows, columns = lightfield.grid
    source, size = lightfield.source, f"{lightfield.width}×{lightfield.height} px"
    first = f"{lightfield.name} ({source.format}): {rows}×{columns} views of {size}"
    order = [f"  order of views: {source.order}"] if source.order else []
    doubts = tuple(source.doubts.values())
    notes = [f"  {as_options(note)}" for note in source.notes if note not in doubts]
    return "\n".join([first, *order, *notes, *(f"doubtful: {as_options(doubt)}" for doubt in doubts)])


def answer(terminal: Terminal, estimate: Estimate, files: list[str], seconds: float) -> None:
    """Print the result and where its files are."""
    data = summary(estimate) | {"seconds": round(seconds, 3), "files": files}
    unit = DEPTH[estimate.depth_unit]
    text = f"done in {seconds:.1f} s ({unit}, disparity range {disparities(estimate.range)}); wrote\n"
    terminal.answer(text + "\n".join(f"  {file}" for file in files), data, fold=True)


def say_doubts(terminal: Terminal, estimate: Estimate, lightfield: LightField) -> None:
    """Print doubts that `headline` did not have yet."""
    for doubt in estimate.doubts:
        if doubt not in lightfield.source.doubts.values():
            terminal.note(f"doubtful: {as_options(doubt)}")


def summary(estimate: Estimate) -> dict[str, Any]:
    """The result for JSON."""
    costs = [record.mean_cost for record in estimate.history if math.isfinite(record.mean_cost)]
    return {
        "source": estimate.provenance["source"],
        "size": list(estimate.disparity.shape),
        "metric": estimate.metric,
        "range": [estimate.range.minimum, estimate.range.maximum, estimate.range.origin],
        "seed": estimate.seed,
        "mean_cost": costs[-1] if costs else None,
        "doubts": [as_options(doubt) for doubt in estimate.doubts],
    }
