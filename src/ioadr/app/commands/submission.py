"""`ioadr submission`: make or check a zip for the benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options
from ioadr.errors import InputError

if TYPE_CHECKING:
    from ioadr.io.results.map_files import StoredMap

INVALID = 1


@click.command(cls=SectionCommand)
@click.argument("results", type=click.Path(), required=False)
@option("Results", "--out", type=click.Path(), metavar="FILE", help="Zip file to write.")
@option("Results", "--check", type=click.Path(), metavar="FILE", help="Check this zip file instead of writing one.")
@output_options
def command(terminal: Terminal, results: str | None, out: str | None, check: str | None) -> int:
    """Pack the maps in RESULTS into a zip for the 4D Light Field Benchmark, or check such a zip.

    RESULTS is a folder with SCENE.pfm and SCENE.txt, or with a folder of results for each scene. All problems are
    listed together; the exit code is 1 if there are any.
    """
    if check and not (results or out):
        return _answer(terminal, check, None)
    if not results or not out or check:
        raise InputError("submission: give RESULTS and --out FILE to make a zip, or --check FILE alone.")
    return _answer(terminal, out, results)


def _answer(terminal: Terminal, path: str, results: str | None) -> int:
    from ioadr.evaluation.submission import SCENES, check_submission, write_submission

    with terminal.busy(f"{'writing' if results else 'checking'} {path}"):
        if results:
            maps = _maps(results)
            problems = write_submission(path, maps)
        else:
            problems = check_submission(path)
    plural = "s" * (len(problems) != 1)
    verdict = f"{path}: {len(problems)} problem{plural}" if problems else f"{path}: valid, {len(SCENES)} scenes"
    first = f"wrote {path} with {', '.join(maps)}\n" if results else ""
    text = "\n".join([first + verdict, *(f"  {problem}" for problem in problems)])
    terminal.answer(text, {"file": path, "valid": not problems, "problems": problems})
    return INVALID if problems else 0


def _maps(folder: str) -> dict[str, StoredMap]:
    from ioadr.evaluation.methods import Published
    from ioadr.evaluation.submission import SCENES

    source = Published("", Path(folder))
    scenes = [scene for scene in SCENES if Path(folder).is_dir() and source.find(scene)]
    if not scenes:
        raise InputError(f"{folder}: there are no maps of the benchmark's scenes here, such as boxes.pfm.")
    return {scene: source.load(scene) for scene in scenes}
