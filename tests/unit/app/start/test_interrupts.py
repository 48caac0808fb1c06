"""Signals that strike while modules load."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are sent in the POSIX way")

STRUCK = """
import os, signal
for _ in range(2):
    os.kill(os.getpid(), signal.SIGNAL)
finished = True
"""

MAIN = """
import sys, time
from ioadr.app.start import interrupts
interrupts.install()
try:
    import struck
    assert sys.modules["struck"].finished
    begin = time.monotonic()
    time.sleep(20)
except KeyboardInterrupt:
    assert sys.modules["struck"].finished, "raised inside the import"
    import colorsys  # imports still work
    assert time.monotonic() < begin + 15, "noticed only after the wait"
    print("interrupted after the import", interrupts.received())
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGTERM where Ctrl-C is ignored"])
def test_an_import_is_not_interrupted(tmp_path, name):
    """In the background of a shell Ctrl-C is ignored; later signals must not depend on it."""
    number, *ignored = name.split(" ", 1)
    (tmp_path / "struck.py").write_text(STRUCK.replace("SIGNAL", number))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *(path for path in sys.path if path)])}
    before = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n" if ignored else ""
    command = [sys.executable, "-c", before + MAIN]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("interrupted after the import")


AGAIN = """
import atexit, os, signal
import click.core
from ioadr.app import cli

def strike(*_, **__):
    os.kill(os.getpid(), signal.SIGTERM)

click.core.echo = strike  # what click does first with a KeyboardInterrupt
cli.group.make_context = strike
atexit.register(os.abort)  # what may happen when Python ends while a thread compiles
cli.main()
"""


def test_a_second_signal_while_the_first_is_reported():
    command = [sys.executable, "-c", AGAIN]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, timeout=60)
    assert done.returncode == 128 + signal.SIGTERM, done.stderr
    assert " ".join(done.stderr.split()) == "ioadr: interrupted. Unfinished files have been removed."


DEAF = """
import os, signal, time
from ioadr.app.start import interrupts
interrupts.ENDS_AFTER_SECONDS = 0.2
interrupts.install()
for wait in (0, 30):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(wait)
    except KeyboardInterrupt:  # as a library may
        time.sleep(wait)
"""


def test_a_process_that_does_not_end_by_itself_is_ended():
    done = subprocess.run([sys.executable, "-c", DEAF], env=os.environ, capture_output=True, text=True, timeout=20)
    assert done.returncode == 128 + signal.SIGTERM
    assert done.stderr.startswith("ioadr: interrupted, and ended because it took too long")


EARLY = """
import os, signal, threading
from ioadr.app import cli

class Struck(threading.Thread):
    def start(self):
        os.kill(os.getpid(), signal.SIGTERM)  # while the signals are being taken over
        super().start()

threading.Thread = Struck
cli.main()
"""


def test_a_signal_while_signals_are_taken_over_leaves_no_traceback():
    done = subprocess.run([sys.executable, "-c", EARLY], env=os.environ, capture_output=True, text=True, timeout=60)
    assert done.returncode in (-signal.SIGTERM, 128 + signal.SIGTERM)
    assert "Traceback" not in done.stderr


LOADING = """
import os, signal, time
from numba.core import codegen
from ioadr.app.start import interrupts
import numba

asked = codegen.JITCodeLibrary._object_compiled_hook.__func__
def struck(cls, *arguments):
    global answered
    os.kill(os.getpid(), signal.SIGTERM)  # inside a callback of LLVM
    answer = asked(cls, *arguments)
    answered = True
    return answer
codegen.CodeLibrary._object_compiled_hook = codegen.JITCodeLibrary._object_compiled_hook = classmethod(struck)

interrupts.install()
answered = False
try:
    numba.njit(lambda x: x + 1)(1)
    time.sleep(20)
except KeyboardInterrupt:
    print("interrupted, answered" if answered else "not answered")
"""


def test_a_callback_of_llvm_is_not_interrupted():
    done = subprocess.run([sys.executable, "-c", LOADING], env=os.environ, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-2000:]
    assert done.stdout == "interrupted, answered\n"
