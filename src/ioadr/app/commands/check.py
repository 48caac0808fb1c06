"""`ioadr check`: how well a result predicts the views it was estimated from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ioadr.app.estimation_options import Estimation, align_option, chosen_parameters, preset_names, threads_option
from ioadr.app.reader_options import read_from_cli, with_reader_options
from ioadr.app.results import lightfield_option, open_lightfield, refuse_reading
from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options
from ioadr.errors import InputError

if TYPE_CHECKING:
    from ioadr.geometry.synthesis import Residuals
    from ioadr.io.options import ReadOptions
    from ioadr.lightfield import LightField
    from ioadr.views.leave_out import LeftOut

ARCHIVE = "estimate.npz"
"""As in `ioadr.io.results.save`, which is too heavy to import for --help."""
WIDEST = 12
"""Largest number of views in a row whose residuals fit into 80 columns with two decimals."""


@click.command(cls=SectionCommand)
@click.argument("folder", type=click.Path(), metavar="DIR")
@lightfield_option
@option(
    "Leave-out",
    "--leave-out",
    type=click.IntRange(2),
    metavar="N",
    help="Estimate from every N-th view of the light field, synthesise the others.",
)
@option(
    "Leave-out",
    "--preset",
    metavar="NAME",
    shell_complete=preset_names,
    show_default="that of the result, or best",
    help="Preset to estimate with.",
)
@align_option
@threads_option
@output_options
@with_reader_options
def command(
    terminal: Terminal,
    folder: str,
    lightfield: str | None,
    leave_out: int | None,
    preset: str | None,
    align: bool | None,
    threads: int | None,
    reading: ReadOptions,
) -> None:
    """Synthesise every view from the reference view and the map in DIR, and compare it with the captured view.

    The residual measures quality without ground truth: the lower, the better the map explains the views. Compare only
    results of the same light field; the residual also depends on texture and noise.

    With --leave-out N, maps are estimated from every N-th view in each direction. The other views are synthesised and
    compared with the captured ones by PSNR and SSIM, and so are the results of four simple methods. DIR is a light
    field, with options to read it, or a result; with a result, the figures are added to its folder and report.
    """
    from ioadr.geometry.synthesis import residuals
    from ioadr.io import load_estimate

    is_result = leave_out is None or (Path(folder) / ARCHIVE).is_file()
    if is_result:
        refuse_reading(reading, folder)
        _refuse_estimation(align, preset if leave_out is None else None)
    if leave_out is not None and is_result:
        check_result(terminal, folder, lightfield, leave_out, preset, threads)
        return
    if leave_out is not None:
        _refuse_lightfield(folder, lightfield, leave_out)
        estimation = Estimation(chosen_parameters(preset, None, ()), 0, threads)
        check_lightfield(terminal, folder, leave_out, estimation, align, reading)
        return
    with terminal.busy(f"reading {folder}"):
        estimate = load_estimate(folder)
        views = open_lightfield(estimate, folder, lightfield, terminal.note)
    with terminal.bar() as bar:
        task = bar.add_task("synthesising views", total=views.view_count - 1)
        residual = residuals(views, estimate.disparity, progress=lambda done, _: bar.update(task, completed=done))
    terminal.answer(_text(residual), facts(residual))


def _refuse_estimation(align: bool | None, preset: str | None) -> None:
    """Refuse options that nothing would use."""
    if align is not None:
        raise InputError("--align: a result is checked as it was estimated, aligned or not. Leave it out.")
    if preset is not None:
        raise InputError("--preset: only --leave-out N estimates. Add it, or leave --preset out.")


def _refuse_lightfield(folder: str, lightfield: str | None, step: int) -> None:
    if lightfield is not None:
        raise InputError(
            f"{folder}: holds no result ({ARCHIVE}), to which --lightfield belongs. To check a light field, give it "
            f"alone: ioadr check {lightfield} --leave-out {step}."
        )


def check_lightfield(
    terminal: Terminal, path: str, step: int, estimation: Estimation, align: bool | None, reading: ReadOptions
) -> None:
    """Check a light field against views that the estimation does not use."""
    from ioadr.app.commands.estimate import aligned, headline, needing
    from ioadr.io.results.left_out_file import left_out_facts

    lightfield = read_from_cli(terminal, path, reading)
    terminal.note(headline(lightfield))
    if align or (align is None and needing(terminal, lightfield, estimation)):
        lightfield = aligned(terminal, lightfield, estimation)
    left_out = _left_out(terminal, lightfield, step, estimation)
    terminal.answer(_left_out_text(left_out), left_out_facts(left_out))


def check_result(
    terminal: Terminal, folder: str, path: str | None, step: int, preset: str | None, threads: int | None
) -> None:
    """Do the same with the light field of a result, and add the figures to its folder."""
    from ioadr.app.commands.report import renew
    from ioadr.io import load_estimate
    from ioadr.io.results.left_out_file import left_out_facts, write_left_out

    with terminal.busy(f"reading {folder}"):
        estimate = load_estimate(folder)
        lightfield = open_lightfield(estimate, folder, path, terminal.note).replace(range=estimate.range)
    parameters = estimate.parameters if preset is None else chosen_parameters(preset, None, ())
    left_out = _left_out(terminal, lightfield, step, Estimation(parameters, estimate.seed, threads))
    if parameters != estimate.parameters:
        terminal.note(f"these figures are not those of {folder}, which has other parameters: it stays as it is")
        terminal.answer(_left_out_text(left_out), left_out_facts(left_out) | {"files": []})
        return
    files = [str(write_left_out(folder, left_out))]
    if (Path(folder) / "report.html").is_file():
        files += _on_report(terminal, lambda: renew(terminal, folder, estimate, lightfield))
    text = "".join(f"\nwrote {file}" for file in files)
    terminal.answer(_left_out_text(left_out) + text, left_out_facts(left_out) | {"files": files})


def _left_out(terminal: Terminal, lightfield: LightField, step: int, estimation: Estimation) -> LeftOut:
    """Run the check; print notes and doubts about the estimate from the kept views."""
    from ioadr.app.commands.estimate import say_doubts, say_notes
    from ioadr.app.sweep_progress import every_view_progress
    from ioadr.views.leave_out import leave_views_out

    with every_view_progress(terminal) as progress:
        left_out = leave_views_out(
            lightfield, step, estimation.parameters, estimation.seed, estimation.threads, progress
        )
    estimate = left_out.views.estimate
    rows, columns = estimate.layout.grid
    terminal.note(f"maps from {len(left_out.views.index)} kept views, on a grid of {rows}×{columns} in these remarks")
    say_notes(terminal, estimate.notes, lightfield)
    say_doubts(terminal, estimate, lightfield)
    return left_out


def _on_report(terminal: Terminal, renew: Callable[[], Path]) -> list[str]:
    """Rebuild the page, unless it would lose content that needs options of `ioadr report`."""
    try:
        return [str(renew())]
    except InputError as error:
        terminal.note(f"{error.marked} The report stays as it was; write it again with `ioadr report`.")
        return []


def _left_out_text(left_out: LeftOut) -> str:
    from ioadr.app.report.left_out import NAMES

    lines = [f"{len(left_out.index)} views left out, synthesised from {len(left_out.views.index)}; means over them:"]
    lines += [
        f"  {NAMES[name]:14} PSNR {psnr:6.2f} dB  SSIM {ssim:.4f}" for name, (psnr, ssim) in left_out.means().items()
    ]
    worst = int(left_out.psnr["views"].argmin())
    row, column = left_out.index[worst]
    lines.append(f"hardest: view {row} {column}, {left_out.psnr['views'][worst]:.2f} dB; all views with --json")
    return "\n".join(lines)


def facts(residual: Residuals) -> dict[str, Any]:
    """The residuals for JSON; views that do not count are null."""
    from ioadr.io.results.save import plain

    return {
        "residual": plain(round(residual.mean, 4)),
        "unit": "grey levels of 255",
        "by_view": plain(residual.by_view.round(4)),
        "covered": plain(residual.covered.round(4)),
    }


def _text(residual: Residuals) -> str:
    import numpy as np

    share, by_view = 100 * np.nanmean(residual.covered), facts(residual)["by_view"]
    wide, digits = (5, 2) if len(by_view[0]) <= WIDEST else (3, 1)
    rows = [
        " ".join(f"{'–':>{wide}}" if value is None else f"{value:{wide}.{digits}f}" for value in row) for row in by_view
    ]
    return "\n".join(
        [
            f"residual {residual.mean:.3f} grey levels of 255, over {share:.1f} % of the pixels",
            "by view (– is the reference view, or a view that is missing or not used)",
            *(f"  {row}" for row in rows),
        ]
    )
