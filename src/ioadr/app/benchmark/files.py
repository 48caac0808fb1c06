"""Files of a benchmark: for programs, for papers, for people."""

from __future__ import annotations

from pathlib import Path

from ioadr.app.benchmark.page import page_html
from ioadr.app.benchmark.paper_pictures import Picture, draw_pictures
from ioadr.app.benchmark.paper_section import section_values
from ioadr.evaluation import ablation, tables
from ioadr.evaluation.benchmark import Results
from ioadr.io.safety.atomic import atomic_folder


def write_results(results: Results, title: str, with_paper: bool = False) -> list[Path]:
    """Write all of them into the results' folder, or none; returns their paths."""
    texts = {
        "results.json": tables.to_json(results),
        "results.csv": tables.to_csv(results),
        "results.tex": tables.to_latex(results),
    }
    pictures: list[Picture] = []
    section = None
    if with_paper:
        measured, pictures = ablation.measure(results), draw_pictures(results)
        captions = {picture.name: picture.caption for picture in pictures}
        texts |= {"paper.json": ablation.to_json(measured), "paper.md": ablation.to_markdown(measured, captions)}
        section = section_values(measured, pictures)
    texts["index.html"] = page_html(results, title, section)
    drawn = {picture.name: picture.png for picture in pictures}
    contents = {name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()} | drawn
    with atomic_folder(results.folder, overwrite=True) as staging:
        for name, content in contents.items():
            (staging / name).write_bytes(content)
    return [results.folder / name for name in contents]
