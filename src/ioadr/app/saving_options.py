"""Options for the output folder and its files, shared by all commands that save results."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ioadr.app.sections import Number, option
from ioadr.app.start.exit_codes import DOUBTFUL
from ioadr.errors import InputError

if TYPE_CHECKING:
    from ioadr.evaluation.truth import Truth
    from ioadr.io.results.save import Writer
    from ioadr.lightfield import LightField
    from ioadr.result import Estimate
    from ioadr.views.result import Views

FORMATS = "pfm,png,npz,ply,npy,png16,tiff,exr,glb,glb-points,xyz"
"""Formats, as in `ioadr.io.results.save`, which is too heavy to import for --help; a test compares them."""


strict_option = option(
    "Results", "--strict", is_flag=True, help=f"Exit with code {DOUBTFUL} if the views do not agree with the map."
)


def min_confidence_option(cut: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option --min-confidence; `cut` names the files from which pixels are dropped."""
    text = f"Drop pixels of lower confidence (0 … 1) from {cut}."
    return option("Results", "--min-confidence", type=Number(0, 1), metavar="X", default=0.0, help=text)


@dataclass(frozen=True)
class Saving:
    """The saving options of a command line."""

    formats: Sequence[str] | None
    overwrite: bool
    report: bool
    min_confidence: float = 0.0

    def check(self, folder: str) -> None:
        """Refuse an unusable folder or an unknown format before the computation starts."""
        from ioadr.io.results.save import DEFAULT, DERIVED, file_names
        from ioadr.io.safety.atomic import check_folder

        names = file_names(DEFAULT if self.formats is None else self.formats)
        check_folder(folder, self.overwrite, [*names, *(DERIVED if self.report else ())])

    def save(
        self,
        estimate: Estimate,
        folder: str,
        lightfield: LightField | None,
        truth: Truth | None = None,
        also: Mapping[str, Writer] | None = None,
        views: Views | None = None,
    ) -> list[str]:
        """Write the result with its report, all `views` and `also`, all or nothing; return the paths."""
        from ioadr.app.report import report_writer
        from ioadr.io import save_estimate
        from ioadr.io.results.save import DEFAULT

        further, formats = dict(also or {}), DEFAULT if self.formats is None else self.formats
        if views is not None:
            from ioadr.io.results.view_files import views_writers

            further |= views_writers(views, formats, self.min_confidence)
        if self.report:
            further["report.html"] = report_writer(estimate, lightfield, truth, views)
        paths = save_estimate(estimate, folder, formats, self.overwrite, further, self.min_confidence)
        return [str(path) for path in paths]


def format_lists(context: click.Context, parameter: click.Parameter, start: str) -> list[str]:
    """Completions of the last format in a list, for the shell."""
    before, comma, last = start.rpartition(",")
    return [f"{before}{comma}{name}" for name in FORMATS.split(",") if name.startswith(last)]


def with_saving_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --save, --overwrite, --no-report and --min-confidence as one `Saving`."""

    @option(
        "Results",
        "--save",
        "names",
        metavar="LIST",
        shell_complete=format_lists,
        show_default="pfm,png,npz,ply",
        help=f"File formats, separated by commas: {FORMATS}.",
    )
    @option("Results", "--overwrite", is_flag=True, help="Replace earlier results in the folder.")
    @option("Results", "--no-report", is_flag=True, help="Do not write report.html.")
    @min_confidence_option("clouds and meshes")
    @functools.wraps(command)
    def run(
        *args: Any, names: str | None, overwrite: bool, no_report: bool, min_confidence: float, **options: Any
    ) -> Any:
        formats = None if names is None else [name.strip() for name in names.split(",") if name.strip()]
        return command(*args, saving=Saving(formats, overwrite, not no_report, min_confidence), **options)

    return run


def check_archived(saving: Saving) -> None:
    """Maps of all views need the reference view's in the same folder: refuse a list of formats without npz."""
    if saving.formats is not None and "npz" not in saving.formats:
        raise InputError("--every-view: needs npz among the formats of --save, for the reference view's own result.")
