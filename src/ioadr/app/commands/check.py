"""`ioadr check`: how well a result predicts the views it was estimated from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ioadr.app.estimation_options import threads_option
from ioadr.app.results import lightfield_option, open_lightfield
from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options

if TYPE_CHECKING:
    from ioadr.geometry.synthesis import Residuals
    from ioadr.views.leave_out import LeftOut


@click.command(cls=SectionCommand)
@click.argument("folder", type=click.Path(), metavar="DIR")
@lightfield_option
@option(
    "Left out",
    "--leave-out",
    type=click.IntRange(2),
    metavar="N",
    help="DIR is a light field: estimate from every N-th view, synthesise the others.",
)
@option("Left out", "--preset", metavar="NAME", show_default="best", help="Parameters by name, for --leave-out.")
@threads_option
@output_options
def command(
    terminal: Terminal,
    folder: str,
    lightfield: str | None,
    leave_out: int | None,
    preset: str | None,
    threads: int | None,
) -> None:
    """Synthesise every view from the reference view and the map in DIR, and compare it with the captured view.

    The residual measures quality without ground truth: the lower, the better the map explains the views. Compare only
    results of the same light field; the residual also depends on texture and noise.

    With --leave-out N, DIR is a light field. Its maps are estimated from every N-th view in each direction; the views
    left out are synthesised and compared by PSNR and SSIM, beside the nearest kept view, a linear blend, and the centre
    warped by its map.
    """
    from ioadr.geometry.synthesis import residuals
    from ioadr.io import load_estimate

    if leave_out is not None:
        check_left_out(terminal, folder if lightfield is None else lightfield, leave_out, preset, threads)
        return
    with terminal.busy(f"reading {folder}"):
        estimate = load_estimate(folder)
        views = open_lightfield(estimate, folder, lightfield, terminal.note)
    with terminal.bar() as bar:
        task = bar.add_task("synthesising views", total=views.view_count - 1)
        residual = residuals(views, estimate.disparity, progress=lambda done, _: bar.update(task, completed=done))
    terminal.answer(_text(residual), facts(residual))


def check_left_out(terminal: Terminal, scene: str, step: int, preset: str | None, threads: int | None) -> None:
    """Check against views that the estimation did not use."""
    import ioadr
    from ioadr.app.sweep_progress import every_view_progress
    from ioadr.views.leave_out import leave_views_out

    with terminal.busy(f"reading {scene}"):
        views = ioadr.read(scene)
    with every_view_progress(terminal) as progress:
        left_out = leave_views_out(views, step, ioadr.preset(preset or "best"), threads=threads, progress=progress)
    terminal.answer(_left_out_text(left_out), left_out_facts(left_out))


def left_out_facts(left_out: LeftOut) -> dict[str, Any]:
    """The same figures for JSON."""
    from ioadr.io.results.save import plain

    rows = [
        {
            "view": view,
            **{name: {"psnr": left_out.psnr[name][k], "ssim": left_out.ssim[name][k]} for name in left_out.psnr},
        }
        for k, view in enumerate(left_out.index.tolist())
    ]
    means = {name: {"psnr": psnr, "ssim": ssim} for name, (psnr, ssim) in left_out.means().items()}
    kept = len(left_out.views.index)
    return {"kept": kept, "left_out": len(rows), "means": plain(means), "by_view": plain(rows)}


def _left_out_text(left_out: LeftOut) -> str:
    names = {"views": "every view", "nearest": "nearest view", "blend": "linear blend", "centre": "centre warped"}
    lines = [f"{len(left_out.index)} views left out, synthesised from {len(left_out.views.index)}; means over them:"]
    lines += [
        f"  {names[name]:14} PSNR {psnr:6.2f} dB  SSIM {ssim:.4f}" for name, (psnr, ssim) in left_out.means().items()
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

    share = 100 * np.nanmean(residual.covered)
    rows = [
        " ".join("    –" if value is None else f"{value:5.2f}" for value in row) for row in facts(residual)["by_view"]
    ]
    return "\n".join(
        [
            f"residual {residual.mean:.3f} grey levels of 255, over {share:.1f} % of the pixels",
            "by view (rows and columns of the grid; – is the reference view or a missing one)",
            *(f"  {row}" for row in rows),
        ]
    )
