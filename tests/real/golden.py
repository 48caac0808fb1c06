"""Our own scores, with which tests compare: `make golden DATA=folder` measures them again.

Estimations are deterministic, so that a score changes only with the method. After a deliberate change of the method,
run this and commit the files, with the reason.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import ioadr
from ioadr.evaluation.scores import score
from ioadr.evaluation.truth import load_truth

FILE = Path(__file__).with_suffix(".json")
SCENES = ("boxes", "cotton", "dino", "sideboard")
PRESETS = ("paper", "best", "fast")
METRICS = ("mse", "badpix_007", "badpix_003", "badpix_001", "mae_planes", "mae_surfaces")


def scores(folder: Path, preset: str) -> dict[str, float]:
    """Scores of a scene with the range from its file."""
    result = ioadr.estimate(ioadr.read(folder), ioadr.preset(preset))
    found = score(result.disparity, load_truth(folder)).values
    return {name: float(f"{found[name]:.4g}") for name in METRICS if name in found}


def golden(preset: str, scene: str) -> dict[str, float]:
    """As they were last written."""
    kept: dict[str, float] = json.loads(FILE.read_text(encoding="utf-8"))[preset][scene]
    return kept


def main(data: Path) -> None:
    """Write all of them."""
    found = {preset: {scene: scores(data / scene, preset) for scene in SCENES} for preset in PRESETS}
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
