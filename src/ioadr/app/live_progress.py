"""Progress of `ioadr.estimate` in Python: a bar in a notebook or at an interactive prompt."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ioadr.app.pages import render
from ioadr.app.sweep_progress import Callback, done, state, sweep_bar
from ioadr.app.terminal import Terminal
from ioadr.app.words import duration

if TYPE_CHECKING:
    from ioadr.result import SweepRecord


@contextmanager
def watched_progress(name: str, always: bool) -> Iterator[Callback | None]:
    """Callback for `ioadr.estimate`; None in a script, unless `always`."""
    shell = _shell()
    if hasattr(shell, "kernel"):
        with _in_notebook(name) as callback:
            yield callback
    elif always or shell is not None or hasattr(sys, "ps1"):
        with sweep_bar(Terminal(), name) as callback:
            yield callback
    else:
        yield None


def _shell() -> Any:
    """The IPython shell, if there is one."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


@contextmanager
def _in_notebook(name: str) -> Iterator[Callback]:
    """One line of output, updated as the estimation progresses."""
    from IPython.display import HTML, display

    from ioadr._jit import compiled_before

    first = "first map" if compiled_before() else "compiling the inner loops, up to a minute, once"
    handle = display(HTML(_line(name, first, 0, 1)), display_id=True)
    seconds = 0.0

    def progress(record: SweepRecord, disparity: Any, total: int) -> None:
        nonlocal seconds
        seconds += record.seconds
        handle.update(HTML(_line(name, state(record, total), done(record, total), total)))

    try:
        yield progress
    except BaseException:
        handle.update(HTML(_line(name, "stopped")))
        raise
    handle.update(HTML(_line(name, f"estimated in {duration(seconds, 1)}")))


def _line(name: str, text: str, done: int = 0, total: int = 0) -> str:
    """The line, with a bar until the estimation is done."""
    return render("progress.html", name=name, text=text, done=done, total=total)
