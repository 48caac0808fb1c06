"""`ioadr evaluate`: a map against the ground truth of its scene."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options
from ioadr.errors import InputError

if TYPE_CHECKING:
    from ioadr.evaluation.scores import Scores
    from ioadr.evaluation.truth import Truth


@click.command(cls=SectionCommand)
@click.argument("map_", metavar="MAP", type=click.Path())
@option(
    "Input",
    "--truth",
    "scene",
    type=click.Path(),
    metavar="SCENE",
    required=True,
    help="Scene folder or map with the ground truth.",
)
@option("Input", "--highres", is_flag=True, help="Score at ten times the resolution, against gt_disp_highres.pfm.")
@option(
    "Input", "--allow-invalid", is_flag=True, help="Count NaN and infinite pixels as wrong instead of refusing the map."
)
@option("Results", "--html", type=click.Path(), metavar="FILE", help="Also write a page with pictures of the errors.")
@output_options
def command(terminal: Terminal, map_: str, scene: str, highres: bool, allow_invalid: bool, html: str | None) -> None:
    """Score MAP (.pfm, .npy, .npz, .png, .tif, or a folder of results) as the HCI 4D Light Field Benchmark does.

    SCENE is a folder with gt_disp_lowres.pfm, parameters.cfg and, for region metrics, mask_*_lowres.png. It can
    also be a map of true disparities; MSE, BadPix and Q25 need no camera.
    """
    from ioadr.evaluation.scores import score
    from ioadr.evaluation.truth import load_truth
    from ioadr.io.results.map_files import read_map
    from ioadr.io.results.save import plain

    with terminal.busy(f"scoring {map_}"):
        truth = load_truth(scene, "highres" if highres else "lowres")
        stored = read_map(map_)
        scores = score(stored.values, truth, stored.seconds, allow_invalid)
        if html:
            _write_page(html, map_, scene, truth, stored, scores)
    data: dict[str, Any] = {
        "map": map_,
        "scene": truth.name,
        "size": list(scores.size),
        "pixels": scores.pixels,
        "invalid": scores.invalid,
        "seconds": scores.seconds,
        "scores": plain(scores.values),
    }
    terminal.answer(_text(scores, truth, html), data | ({"html": html} if html else {}))


def _write_page(html: str, map_: str, scene: str, truth: Truth, stored: Any, scores: Scores) -> None:
    from ioadr.app.benchmark.page import page_html
    from ioadr.app.pages import write_page
    from ioadr.evaluation.benchmark import Item, Results
    from ioadr.evaluation.methods import Given

    folder = Path(scene).absolute()
    if folder.is_file():
        raise InputError("--html needs a scene folder as ground truth, not a map alone. Leave --html out.")
    given = Given(Path(map_).absolute().stem, stored)
    item = Item(folder.name, given.name, scores.values, scores.seconds, scores.invalid)
    results = Results([folder], [given], [item], folder.parent)
    write_page(html, page_html(results, f"{given.name} on {truth.name}"))


def _text(scores: Scores, truth: Truth, html: str | None) -> str:
    from ioadr.evaluation.scores import METRICS

    height, width = scores.size
    border = truth.border * truth.scale
    lines = [f"{truth.name}, scored at {width}×{height} px without a border of {border} px ({scores.pixels} px)"]
    if scores.invalid:
        lines.append(f"  {scores.invalid} px are NaN or infinite; each counts as wrong")
    wide = max(len(METRICS[name].label) for name in scores)
    for name in scores:
        metric = METRICS[name]
        lines.append(f"  {metric.label:<{wide}} {scores[name]:9.{metric.decimals}f} {metric.unit:<8} {metric.meaning}")
    return "\n".join([*lines, *([f"wrote {html}"] if html else [])])
