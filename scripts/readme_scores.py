"""Put our scores into README.md's table of methods, and print the lowest figure of each scene in bold.

    python scripts/readme_scores.py out/benchmark/results.json [README.md]

Rows are found by their first cell, `paper`, `fast`, `best`; in those of other methods, only the bold changes.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

METRICS = ("mse", "badpix_007", "badpix_003", "badpix_001", "mae_planes")
DIGITS = {"mse": 3, "badpix_007": 2, "badpix_003": 1, "badpix_001": 1, "mae_planes": 2}
SCENES = ("boxes", "cotton", "dino", "sideboard")
BEGIN, END = "| | MSE×100 |", "\n\n"


def page(text: str, results: dict[str, Any]) -> str:
    """`text` with the table's rows renewed."""
    before, table, after = split(text)
    scores = {(item["method"], item["scene"]): item["scores"] for item in results["items"]}
    rows = [renewed(row, scores) for row in table.splitlines()]
    return before + "\n".join(emboldened(rows)) + after


def split(text: str) -> tuple[str, str, str]:
    start = text.index(BEGIN)
    end = text.index(END, start)
    return text[:start], text[start:end], text[end:]


def renewed(row: str, scores: dict[tuple[str, str], dict[str, float]]) -> str:
    name = re.match(r"\| `(\w+)` \|", row)
    if not name or (name[1], SCENES[0]) not in scores:
        return row
    cells = [" / ".join(figure(scores[name[1], scene][metric], metric) for scene in SCENES) for metric in METRICS]
    return f"| `{name[1]}` | {' | '.join(cells)} |"


def figure(value: float, metric: str) -> str:
    """Text for the table, with fewer digits for large angles and errors."""
    digits = 0 if metric == "mae_planes" and value >= 10 else DIGITS[metric]
    digits = 2 if metric == "mse" and value >= 2 else digits
    return f"{value:.{digits}f}"


def emboldened(rows: list[str]) -> list[str]:
    """The lowest figure of each column and scene in bold, among the cells that have one for every scene."""
    head, body = rows[:2], [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]
    for column in range(1, len(body[0])):
        cells = {n: cell[column].replace("*", "").split(" / ") for n, cell in enumerate(body)}
        full = {n: parts for n, parts in cells.items() if len(parts) == len(SCENES)}
        for scene in range(len(SCENES)):
            lowest = min(float(parts[scene]) for parts in full.values())
            for parts in full.values():
                if float(parts[scene]) == lowest:
                    parts[scene] = f"**{parts[scene]}**"
        for n, parts in full.items():
            body[n][column] = " / ".join(parts)
    return [*head, *(f"| {' | '.join(cells)} |" for cells in body)]


if __name__ == "__main__":
    source, target = Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "README.md")
    target.write_text(page(target.read_text(encoding="utf-8"), json.loads(source.read_text())), encoding="utf-8")
