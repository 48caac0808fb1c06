"""Files of a benchmark: for programs, for papers, for people."""

from __future__ import annotations

from pathlib import Path

from ioadr.app.benchmark.page import page_html
from ioadr.app.benchmark.paper_pictures import paper_pictures, write_pictures
from ioadr.app.benchmark.paper_section import paper_section
from ioadr.app.pages import write_page
from ioadr.evaluation import ablation, tables
from ioadr.evaluation.benchmark import Results
from ioadr.io.safety.atomic import atomic_file


def write_results(results: Results, title: str, with_paper: bool = False) -> list[Path]:
    """Write all of them into the results' folder; returns their paths."""
    texts = {
        "results.json": tables.to_json(results),
        "results.csv": tables.to_csv(results),
        "results.tex": tables.to_latex(results),
    }
    pictures, section = [], None
    if with_paper:
        measured, pictures = ablation.measure(results), paper_pictures(results)
        captions = {picture.name: picture.caption for picture in pictures}
        texts |= {"paper.json": ablation.to_json(measured), "paper.md": ablation.to_markdown(measured, captions)}
        section = paper_section(measured, pictures)
    for name, text in texts.items():
        with atomic_file(results.folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8", errors="backslashreplace")
    drawn = write_pictures(pictures, results.folder)
    page = write_page(results.folder / "index.html", page_html(results, title, section))
    return [*(results.folder / name for name in texts), *drawn, page]
