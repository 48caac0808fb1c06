"""The examples run, keep to their size, and leave the picture that the gallery shows."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ioadr.evaluation import synthetic
from tests.conftest import ROOT
from tests.marks import some_quick

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
QUICK = [path for path in EXAMPLES if path.stem != "01_your_own_arrays"]  # which compiles for another kind of samples
GALLERY = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")


@cache
def small_demo() -> synthetic.Rendered:
    return synthetic.render(synthetic.demo_scene(), synthetic.camera_for((72, 72), 2.05, 5.5, (-1.7, 1.8)), (5, 5))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and the built-in scene in a size that is rendered once for all examples."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["example"])
    monkeypatch.setattr(synthetic, "demo", lambda **_: small_demo())
    return tmp_path


def check_the_computed_scene_is_found(names: dict[str, Any], out: str) -> None:
    disparity = names["estimate"].disparity
    assert np.median(disparity[:, :40]) == pytest.approx(-1.0, abs=0.03)
    assert np.median(disparity[:, 55:65]) == pytest.approx(1.5, abs=0.03)


def check_dropping_doubtful_pixels_drops_errors(names: dict[str, Any], out: str) -> None:
    shares = [float(line.split(": ")[1].split("%")[0]) for line in out.splitlines()]
    assert len(shares) == 4
    assert shares[-1] < 0.7 * shares[0]


CHECKS = {
    "your_own_arrays": check_the_computed_scene_is_found,
    "what_to_trust": check_dropping_doubtful_pixels_drops_errors,
}


@pytest.mark.parametrize("example", some_quick(EXAMPLES, QUICK), ids=lambda path: path.stem)
def test_example(example: Path, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = runpy.run_path(str(example), run_name="__main__")
    name = example.stem.partition("_")[2]
    picture = np.asarray(Image.open(place / f"{name}.png").convert("RGB"))
    assert picture.shape[1] > 500
    assert picture.std() > 10
    out = capsys.readouterr().out
    assert out
    if name in CHECKS:
        CHECKS[name](names, out)
    assert f"](../examples/{example.name})" in GALLERY
    assert f"](images/example_{name}.png)" in GALLERY


def test_examples_are_short_and_counted() -> None:
    assert [int(path.name[:2]) for path in EXAMPLES] == list(range(len(EXAMPLES)))
    assert all(len(path.read_text(encoding="utf-8").splitlines()) <= 40 for path in EXAMPLES)
    assert set(CHECKS) <= {path.stem.partition("_")[2] for path in EXAMPLES}
