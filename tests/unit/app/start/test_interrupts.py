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
    time.sleep(20)
except KeyboardInterrupt:
    assert sys.modules["struck"].finished, "raised inside the import"
    import colorsys  # imports still work
    print("interrupted after the import", interrupts.received())
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_import_is_not_interrupted(tmp_path, name):
    (tmp_path / "struck.py").write_text(STRUCK.replace("SIGNAL", name))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *(path for path in sys.path if path)])}
    command = [sys.executable, "-c", MAIN]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("interrupted after the import")


AGAIN = """
import os, signal
import click.core
from ioadr.app import cli

def strike(*_, **__):
    os.kill(os.getpid(), signal.SIGTERM)

click.core.echo = strike  # what click does first with a KeyboardInterrupt
cli.group.make_context = strike
cli.main()
"""


def test_a_second_signal_while_the_first_is_reported():
    command = [sys.executable, "-c", AGAIN]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, timeout=60)
    assert done.returncode == 128 + signal.SIGTERM, done.stderr
    assert " ".join(done.stderr.split()) == "ioadr: interrupted. Files that were not finished have been removed."
