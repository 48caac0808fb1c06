"""Lines on a terminal break between words and stay clear of spinners; commands and files get them whole."""

from __future__ import annotations

import io
import time

from ioadr.app.folding import fitting, folded
from ioadr.app.terminal import Terminal

LONG = "  time        about 7 s to estimate with the preset best, 2 s with fast, after the first compilation"


def test_texts_continue_below_themselves():
    assert folded(LONG, 60) == (
        "  time        about 7 s to estimate with the preset best, 2\n"
        "              s with fast, after the first compilation"
    )
    assert folded("  4 files not read: a.pfm, b.png", 24) == "  4 files not read:\n    a.pfm, b.png"
    assert folded("ioadr: scenes: no such file", 20) == "ioadr: scenes: no\n  such file"
    assert folded("short\n\n  lines", 20) == "short\n\n  lines"


def test_names_are_not_broken():
    """A path or option that is cut in two cannot be copied."""
    path = "/home/someone/scenes/with-a-long-name/input_Cam000.png"
    assert folded(f"  wrote {path}", 30).split() == ["wrote", path]
    command = "  command            ioadr estimate scenes/cotton --flip-columns --skip 3,4 --skip 5,6 --out DIR"
    assert folded(command, 60) == command


class Screen(io.TextIOWrapper):
    """Like the stderr of a terminal, with bytes below the text."""

    def __init__(self) -> None:
        self.written = io.BytesIO()
        super().__init__(self.written, "utf-8", write_through=True)

    def isatty(self) -> bool:
        return True

    def content(self) -> str:
        return self.written.getvalue().decode()


def test_notes_stand_above_a_spinner(monkeypatch):
    """A note was written into the spinner's line: "⠧ reading out/trucklight field: …"."""
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with Terminal().busy("reading out/truck"):
        while "reading" not in screen.content():
            time.sleep(0.01)
        Terminal().note("light field: scenes/truck")
    before, note, _ = screen.content().partition("light field: scenes/truck")
    assert note
    assert before.endswith(("\n", "\x1b[2K"))  # a new line, or the spinner's after it was erased


def test_only_terminals_are_folded(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert fitting(LONG, io.StringIO()) == LONG
    assert fitting(LONG, Screen()) == folded(LONG, 60)
    monkeypatch.setenv("COLUMNS", "20")
    assert fitting(LONG, Screen()) == LONG
