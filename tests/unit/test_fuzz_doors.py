"""Maps, masks, texts and archives broken at random are refused: no crash, no hang, no other exception."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_random_damage(tmp_path):
    """`make fuzz` goes on for longer."""
    command = [sys.executable, "-m", "tests.fuzz_doors", "--inputs", "150", "--seed", "7", "--keep", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert told["findings"] == 0
    assert told["refused"] > 100
    assert told["growth"] < 200_000_000
