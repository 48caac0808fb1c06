"""Results as files for other programs and for papers: JSON, CSV, LaTeX."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

from ioadr import __version__
from ioadr.evaluation.benchmark import Results
from ioadr.evaluation.methods import Method, Ours
from ioadr.evaluation.scores import METRICS

MEAN = "mean"


def cell(results: Results, scene: str, method: str, metric: str) -> float:
    """A score; `MEAN` is the mean over the scenes."""
    return results.mean(method, metric) if scene == MEAN else results.value(scene, method, metric)


def best(results: Results, scene: str, metric: str) -> float:
    """The lowest score of all methods, as printed; NaN where there is none."""
    values = [cell(results, scene, method, metric) for method in results.method_names]
    printed = [round(value, METRICS[metric].decimals) for value in values if math.isfinite(value)]
    return min(printed, default=math.nan)


def is_best(results: Results, scene: str, method: str, metric: str) -> bool:
    """Whether the method's printed figure is the lowest; ties all are, a single method never."""
    value = cell(results, scene, method, metric)
    if len(results.methods) < 2 or not math.isfinite(value):
        return False
    return round(value, METRICS[metric].decimals) == best(results, scene, metric)


def to_json(results: Results) -> str:
    """Everything but the maps."""
    content = {
        "ioadr": __version__,
        "border_px": 15,
        "resolution": "lowres",
        "metrics": {name: METRICS[name]._asdict() for name in results.metrics},
        "scenes": results.scene_names,
        "methods": [_method(method) for method in results.methods],
        "items": [
            {
                "scene": item.scene,
                "method": item.method,
                "seconds": item.seconds,
                "invalid": item.invalid,
                "failure": item.failure,
                "scores": {name: _number(value) for name, value in item.scores.items()},
            }
            for item in results.items
        ],
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_csv(results: Results) -> str:
    """One line per item, one column per metric."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["scene", "method", "seconds", "invalid", *results.metrics, "failure"])
    for item in results.items:
        values = [f"{item.scores[name]:.6g}" if name in item.scores else "" for name in results.metrics]
        seconds = "" if item.seconds is None else f"{item.seconds:.3f}"
        writer.writerow([item.scene, item.method, seconds, item.invalid, *values, item.failure or ""])
    return text.getvalue()


def to_latex(results: Results) -> str:
    """One table with a block per metric; the best figure of each scene is bold. Needs the package booktabs."""
    scenes = [*results.scene_names, *([MEAN] if len(results.scenes) > 1 else [])]
    lines = [
        "% Made by ioadr; needs \\usepackage{booktabs}.",
        f"\\begin{{tabular}}{{l{'r' * len(scenes)}}}",
        "\\toprule",
        " & ".join(["", *(_escape(scene.capitalize()) for scene in scenes)]) + r" \\",
    ]
    for metric in results.metrics:
        title = _escape(f"{METRICS[metric].label} [{METRICS[metric].unit}]")
        lines += ["\\midrule", f"& \\multicolumn{{{len(scenes)}}}{{c}}{{{title}}} \\\\"]
        for method in results.method_names:
            figures = [_latex_figure(results, scene, method, metric) for scene in scenes]
            lines.append(" & ".join([_escape(method), *figures]) + r" \\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def figure(value: float, metric: str) -> str:
    """As printed in tables; an en dash where there is none."""
    return f"{value:.{METRICS[metric].decimals}f}" if math.isfinite(value) else "–"


def _latex_figure(results: Results, scene: str, method: str, metric: str) -> str:
    text = figure(cell(results, scene, method, metric), metric).replace("–", "--")
    return f"\\textbf{{{text}}}" if is_best(results, scene, method, metric) else text


def _method(method: Method) -> dict[str, Any]:
    if isinstance(method, Ours):
        return {"name": method.name, "seed": method.seed, "parameters": method.parameters.to_dict()}
    return {"name": method.name, "published": True}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _escape(text: str) -> str:
    """Text for LaTeX."""
    for symbol, code in (("\\", r"\textbackslash "), ("_", r"\_"), ("%", r"\%"), ("&", r"\&"), ("#", r"\#")):
        text = text.replace(symbol, code)
    for symbol, code in (("×", r"$\times$"), ("°", r"$^\circ$"), ("²", r"$^2$"), ("$$", "")):
        text = text.replace(symbol, code)
    return text
