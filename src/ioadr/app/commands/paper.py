"""`ioadr paper`: the paper's tables, our figures next to the published ones."""

from __future__ import annotations

from pathlib import Path

import click

from ioadr.app.commands.benchmark import check_out, finish
from ioadr.app.estimation_options import threads_option
from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options


@click.command(cls=SectionCommand)
@option("Input", "--data", type=click.Path(), metavar="DIR", required=True, help="Folder with the paper's four scenes.")
@option(
    "Input",
    "--peers",
    type=click.Path(),
    metavar="DIR",
    help="Folder that holds one folder of published maps per method.",
)
@option("Results", "--out", type=click.Path(), metavar="DIR", required=True, help="Folder for maps, tables and page.")
@option("Results", "--redo", is_flag=True, help="Estimate everything again.")
@threads_option
@output_options
def command(terminal: Terminal, data: str, peers: str | None, out: str, redo: bool, threads: int | None) -> int:
    """Reproduce the paper's tables: the state of the art, and the ablations of occlusion, cost terms and candidates.

    Runs the preset `paper` and its variations on boxes, cotton, dino and sideboard, and writes paper.md, paper.json and
    a page in addition to the files of `ioadr benchmark`. An interrupted run continues.
    """
    from ioadr.app.benchmark.progress import watching
    from ioadr.evaluation.ablation import paper
    from ioadr.evaluation.benchmark import find_scenes, run_benchmark
    from ioadr.evaluation.methods import parse_methods

    scenes = find_scenes(data, paper().scenes)
    methods = parse_methods([*paper().methods(), *([peers] if peers else [])], paper().scenes, threads=threads)
    check_out(out)
    with watching(terminal) as watch:
        results = run_benchmark(scenes, methods, Path(out), watch, redo)
    return finish(terminal, results, "The paper’s tables", with_paper=True)
