"""Files of a benchmark: for programs, for papers, for people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ioadr.app.benchmark.page import write_page
from ioadr.evaluation import ablation, tables
from ioadr.evaluation.benchmark import Results
from ioadr.io.safety.atomic import atomic_file


def write_results(results: Results, title: str, with_paper: bool = False) -> list[Path]:
    """Write all of them into the results' folder; returns their paths."""
    texts: Mapping[str, str] = {
        "results.json": tables.to_json(results),
        "results.csv": tables.to_csv(results),
        "results.tex": tables.to_latex(results),
    }
    if with_paper:
        texts = {**texts, "paper.json": ablation.to_json(results), "paper.md": ablation.to_markdown(results)}
    for name, text in texts.items():
        with atomic_file(results.folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8", errors="backslashreplace")
    page = write_page(results.folder / "index.html", results, title, with_paper)
    return [*(results.folder / name for name in texts), page]
