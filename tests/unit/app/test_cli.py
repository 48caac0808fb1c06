"""What a person sees of `ioadr`: help, errors, exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ioadr
from ioadr.app.cli import COMMANDS, group
from ioadr.app.commands.demo import SHOWN, _text
from ioadr.errors import OutputError
from ioadr.evaluation.scores import Scores

HEAVY = {"jinja2", "numpy", "numba", "PIL", "scipy", "matplotlib", "h5py", "trimesh", "rich"}


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_breaks_no_option_in_two(name, cli):
    """A line that ends in `--every-` cannot be copied."""
    assert re.findall(r".*`?--[a-z-]*-\n.*", cli(name, "--help").out) == []


def test_importing_ioadr_imports_nothing_heavy():
    loaded = python("import ioadr, sys; print(*{name.split('.')[0] for name in sys.modules})")
    assert not HEAVY & set(loaded.split())


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in COMMANDS)], ids=" ".join)
def test_help_imports_nothing_heavy(arguments):
    code = f"import sys; from ioadr.app.cli import run; code = run({arguments}); print('|', code, *sys.modules)"
    text, _, rest = python(code).rpartition("|")
    code, *loaded = rest.split()
    assert code == "0"
    assert text.startswith("Usage: ioadr")
    assert not HEAVY & {name.split(".")[0] for name in loaded}


def test_only_the_thread_that_loads_kernels_does_without_scipy_and_yaml():
    pytest.importorskip("yaml")
    pytest.importorskip("scipy")
    loaded = python(
        "import sys; from ioadr.app.estimation_options import kernels_waking\n"
        "with kernels_waking(): import yaml\n"
        "import scipy; print('numba' in sys.modules, 'yaml' in sys.modules, len(sys.meta_path))"
    )
    before = python("import sys; print(len(sys.meta_path))")
    assert loaded.split() == ["True", "True", *before.split()]
    quietly = python(
        "import sys; from ioadr.app.estimation_options import kernels_waking\n"
        "with kernels_waking(): pass\n"
        "print(*(name in sys.modules for name in ('ioadr.estimation', 'numba', 'scipy', 'yaml')))"
    )
    assert quietly.split() == ["True", "True", "False", "False"]


def test_help_lists_every_command_and_the_exit_codes(cli):
    outcome = cli("--help")
    for name, text in COMMANDS.items():
        assert re.search(rf"^  {name} +{text[:20]}", outcome.out, re.MULTILINE)
    for code in ("0 success", "1 some items failed", "2 bad input", "70 internal error", "130 interrupted"):
        assert code in " ".join(outcome.out.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_loads_and_explains_its_options(name):
    command = group.get_command(group.make_context("ioadr", [], resilient_parsing=True), name)
    assert command is not None
    assert command.help
    options = [p for p in command.params if p.param_type_name == "option"]
    assert all(getattr(option, "help", None) for option in options)


def test_version(cli):
    assert cli("--version").out == f"ioadr {ioadr.__version__}\n"


def test_a_misspelt_command_is_guessed(cli):
    outcome = cli("estimat")
    assert outcome.code == 2
    assert "no command 'estimat'. Did you mean 'estimate'?" in outcome.err
    assert "is not one of 'nerfstudio', " in cli("export", "out", "--to", "nerfstudo", "--out", "x").err
    assert "Did you mean 'nerfstudio'?" in cli("export", "out", "--to", "nerfstudo", "--out", "x").err
    assert "ioadr: no such option --fromats. Did you mean '--formats'?" in cli("info", "--fromats").err


@pytest.mark.parametrize(
    "arguments",
    [["frobnicate"], ["estimate"], ["estimate", "x"], ["estimate", "x", "--out", "y", "--wrong"], ["presets", "none"]],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2_and_writes_nothing(cli, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = cli(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err
    assert list(tmp_path.iterdir()) == []


def fail_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **options: object) -> None:
        raise error

    monkeypatch.setattr(ioadr, "read", broken)


def test_an_internal_error_is_one_line_and_keeps_its_details(cli, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    fail_with(ZeroDivisionError("lens cap\non"), monkeypatch)
    outcome = cli("info", "x")
    assert outcome.code == 70
    (details,) = tmp_path.iterdir()
    assert outcome.err == (
        f"ioadr: internal error (ZeroDivisionError: lens cap on). "
        f"Details are in {details}; please report it with them.\n"
    )
    assert "Traceback" in details.read_text(encoding="utf-8")
    assert ioadr.__version__ in details.read_text(encoding="utf-8")


def test_an_internal_error_without_a_temporary_folder(cli, monkeypatch):
    def full(*args: object, **options: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("tempfile.NamedTemporaryFile", full)
    fail_with(ZeroDivisionError("lens cap on"), monkeypatch)
    outcome = cli("info", "x")
    assert outcome.code == 70
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError("64 GB"), 2, "not enough memory (64 GB)"),
        (OutputError("out: the disk is full."), 2, "ioadr: out: the disk is full."),
    ],
)
def test_ends_that_are_no_fault_of_ours(cli, monkeypatch, error, code, text):
    fail_with(error, monkeypatch)
    outcome = cli("info", "x")
    assert outcome.code == code
    assert text in outcome.err
    assert outcome.out == ""


def test_errors_are_json_when_asked_for(cli, tmp_path):
    outcome = cli("info", tmp_path / "nothing", "--json")
    told = json.loads(outcome.out)
    assert told["exit_code"] == outcome.code == 2
    assert "nothing" in told["error"]
    assert told["error"] in outcome.err


def test_quiet_and_verbose_exclude_each_other(cli, scene):
    outcome = cli("info", scene, "-q", "-v")
    assert outcome.code == 2
    assert "cannot be combined" in outcome.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(cli, shell):
    outcome = cli("completion", shell)
    assert outcome.code == 0
    assert "_IOADR_COMPLETE" in outcome.out


@pytest.mark.parametrize(
    ("words", "position", "expected"),
    [
        ("ioadr ", 1, set(COMMANDS)),
        ("ioadr est", 1, {"estimate"}),
        ("ioadr estimate --pre", 2, {"--preset"}),
        ("ioadr estimate --preset paper/without-plane", 3, {"paper/without-planes", "paper/without-plane-candidate"}),
        ("ioadr check out --preset fast/without-plana", 4, {"fast/without-planar"}),
        ("ioadr info --format hd", 3, {"hdf5"}),
        ("ioadr estimate --set congruence.ra", 3, {"congruence.ramp=True"}),
        ("ioadr demo --save ply,png", 3, {"ply,png", "ply,png16"}),
    ],
)
def test_completion_answers(words, position, expected):
    environment = os.environ | {
        "_IOADR_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(position),
    }
    done = subprocess.run(
        [sys.executable, "-m", "ioadr"], capture_output=True, text=True, timeout=60, env=environment, check=True
    )
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == expected


def test_a_closed_pipe_is_no_error(tmp_path):
    command = f"{sys.executable} -m ioadr presets paper | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[initialise]\n"
    assert "Traceback" not in done.stderr


def waiting(tmp_path: Path) -> subprocess.Popen[str]:
    """`ioadr info` on a pipe without data: a process that is certainly still reading."""
    code = (
        "import ioadr, signal, sys, time\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)  # ignored where the tests run under nohup\n"
        "def read(*args, **options):\n"
        "    print('reading', flush=True)\n"
        "    time.sleep(60)\n"
        "ioadr.read = read\n"
        "from ioadr.app.cli import main\n"
        "sys.argv = ['ioadr', 'info', 'x']\n"
        "main()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "reading\n"
    return process


@pytest.mark.skipif(os.name == "nt", reason="signals are sent in the POSIX way")
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_ends_it_without_a_traceback(tmp_path, name, code):
    process = waiting(tmp_path)
    process.send_signal(getattr(signal, name))
    try:
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == code
    assert "Traceback" not in err
    assert out == ""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent in the POSIX way")
def test_a_signal_while_modules_are_loaded_ends_it_without_a_traceback(tmp_path):
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    command = [sys.executable, "-m", "ioadr", "--version"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


POSTPONED = """
import os, signal, subprocess, sys
from ioadr.app.start import interrupts
interrupts.install()
blocked = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
try:
    with interrupts.postponed():
        os.kill(os.getpid(), int(sys.argv[1]))
        print(subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True).stdout.strip())
    print("not reached")
except KeyboardInterrupt:
    print(interrupts.received())
os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent in the POSIX way")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_postponed_signals_wait_and_spare_new_processes(number):
    command = [sys.executable, "-c", POSTPONED, str(int(number))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.splitlines() == ["True", str(int(number))]
    assert "KeyboardInterrupt" in done.stderr, "later ones are not held up"


ENDLESS = """
import os, signal, sys, time
from ioadr.app.start import interrupts
interrupts.install()
interrupts.POSTPONED_SECONDS = 0.2
try:
    with interrupts.postponed():
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(2000):
            time.sleep(0.01)
except KeyboardInterrupt:
    print(interrupts.received())
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent in the POSIX way")
def test_a_block_without_end_is_interrupted_all_the_same():
    done = subprocess.run([sys.executable, "-c", ENDLESS], capture_output=True, text=True, timeout=15, check=False)
    assert done.stdout == f"{int(signal.SIGTERM)}\n", done.stderr


def test_defaults_in_words_have_no_brackets(cli):
    assert "[default: best]" in " ".join(cli("estimate", "--help").out.split())
    assert all("default: (" not in cli(name, "--help").out for name in COMMANDS)


def test_the_table_of_the_demo_fits_a_terminal():
    scores = Scores(dict.fromkeys(SHOWN, 12.345), pixels=1, invalid=0)
    assert max(map(len, _text({"paper": scores, "best": scores}, ["out/demo/report.html"], 123.4).splitlines())) <= 80
