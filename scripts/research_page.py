"""Put the figures of docs/research/accuracy.csv and ablations.csv into the pages beside them.

    python scripts/research_page.py [docs/research]

`README.md` has the scores of all presets and a summary of the ablations, between marks; `ablations.md` is made whole: a
section for each step of `best`, with all scenes, linked to the decisions that name it.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from ioadr.evaluation.research import Row, compare, read_table
from ioadr.evaluation.scene_table import lost_to, scene_means
from ioadr.evaluation.scores import METRICS
from ioadr.presets import FINISH_VARIATIONS

GROUPS = {
    "benchmark": ("boxes", "cotton", "dino", "sideboard"),
    "toys": ("toys",),
    "hard parts": ("floor", "turntable", "machine", "leaves", "desk", "wedges"),
    "synthetic": tuple(
        f"{family}-{number}@160"
        for family in ("lattice", "low-texture", "mixed", "noise", "planes", "spheres")
        for number in (0, 1)
    ),
}
SCENES = [scene for group in GROUPS.values() for scene in group]
SHOWN = ("mse", "badpix_007", "badpix_003", "badpix_001", "mae_planes")
ON_SYNTHETIC = (*SHOWN, "mae_surfaces", "bumpiness_planes", "bumpiness_surfaces", "discontinuities")
THIN = ("fine_fattening", "fine_thinning")
PRESETS = ("paper", "best", "fast")
SEEDS = 3
WIDTH = 120
INTRODUCTION = (
    "Means of seeds 0, 1 and 2; each cell has `best` without the step → `best`. ▼ ▲ mark cells where the step makes a "
    "significant difference over the three seeds (▼ lower, which is better; p < 0.05, Student's t). Scenes on which a "
    "step changes no printed figure are left out. [Research](README.md) says how the figures were measured."
)


def pages(folder: Path) -> dict[Path, str]:
    """The text of both pages."""
    presets, steps = (table(folder / f"{name}.csv") for name in ("accuracy", "ablations"))
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8")
    for name, lines in (
        ("results", results(presets)),
        ("synthetic", synthetic(presets)),
        ("ablations", summary(steps)),
    ):
        text = between(text, name, lines)
    return {readme: text, folder / "ablations.md": ablations(steps, folder.parent / "decisions")}


def table(path: Path) -> list[Row]:
    """The rows of a table, of the seeds that the pages have."""
    return [row for row in read_table(path) if row.seed < SEEDS]


def between(text: str, name: str, lines: Iterable[str]) -> str:
    """`text` with what stands between the two marks of that name replaced."""
    begin, end = f"<!-- {name}: made by scripts/research_page.py -->", f"<!-- end of {name} -->"
    before, rest = text.split(begin)
    return "\n".join([before + begin, "", *lines, "", end + rest.split(end)[1]])


def results(rows: Sequence[Row]) -> list[str]:
    """Every preset on every scene, with the spread of `best` over the seeds."""
    means = scene_means(rows)
    head, *others = (heading(metric) for metric in SHOWN)
    lines = table_head(["scene", head, "lowest … highest of `best`", *others])
    for scene in SCENES:
        cells = [" / ".join(number(means[scene, name][metric]) for name in PRESETS) for metric in SHOWN]
        spread = [row.values["mse"] for row in rows if (row.method, row.scene) == ("best", scene)]
        lines.append(line([plain(scene), cells[0], f"{number(min(spread))} … {number(max(spread))}", *cells[1:]]))
    return [
        *lines,
        "",
        *textwrap.wrap(f"{losses(rows, 'best', (*ON_SYNTHETIC, *THIN))} {losses(rows, 'fast', ['mse'])}", WIDTH),
    ]


def losses(rows: Sequence[Row], method: str, metrics: Iterable[str]) -> str:
    """Where a preset is worse than `paper`, as a sentence."""
    lost = lost_to(rows, "paper", method)
    where = [
        f"{METRICS[metric].label} on {', '.join(map(plain, lost[metric]))}" for metric in metrics if metric in lost
    ]
    if where:
        return f"`{method}` is worse than `paper` in {'; '.join(where)}."
    *names, last = (METRICS[name].label for name in metrics)
    listed = f"{', '.join(names)} or {last}" if names else last
    return f"On no scene is `{method}` worse than `paper` in {listed}."


def synthetic(rows: Sequence[Row]) -> list[str]:
    """`paper` against `best`: means over the synthetic scenes and paired differences."""
    made = [row for row in rows if row.scene in GROUPS["synthetic"]]
    lines = table_head(["", "`paper`", "`best`", "difference"])
    for metric in (*ON_SYNTHETIC, *THIN):
        item = compare(made, "paper", "best", metric)
        some = "" if item.scenes == len(GROUPS["synthetic"]) else f" ({item.scenes} scenes)"
        change = f"{signed(item.change)} ± {number(item.error)}{mark(item.change, item.clear)}"
        lines.append(line([heading(metric) + some, number(item.mean - item.change), number(item.mean), change]))
    return lines


def summary(rows: Sequence[Row]) -> list[str]:
    """One line per ablation: MSE×100 / BadPix 0.07 % by group, and the number of scenes that it makes worse and better.

    A scene counts if its MSE×100 changes by more than 2 %.
    """
    means, measured = scene_means(rows), ablated(rows)
    groups = {name: [scene for scene in scenes if scene in measured] for name, scenes in GROUPS.items()}
    names = [f"{name} ({len(scenes)})" for name, scenes in groups.items() if scenes]
    lines = table_head(["ablation", *names, "scenes worse", "better"])
    for method in ("best", *(f"best/{name}" for name in FINISH_VARIATIONS)):
        name = method.partition("/")[2]
        cells = [f"[`{name}`](ablations.md#{name})" if name else "none (`best`)"]
        for scenes in filter(None, groups.values()):
            both = ([means[scene, method][metric] for scene in scenes] for metric in ("mse", "badpix_007"))
            cells.append(" / ".join(number(sum(values) / len(values)) for values in both))
        ratios = [means[scene, method]["mse"] / means[scene, "best"]["mse"] for scene in measured]
        counts = [str(sum(ratio > 1.02 for ratio in ratios)), str(sum(ratio < 1 / 1.02 for ratio in ratios))]
        lines.append(line([*cells, *(counts if name else ["", ""])]))
    return lines


def ablated(rows: Sequence[Row]) -> list[str]:
    """Scenes on which every ablation was measured with every seed."""
    made = {row.identity for row in rows}
    methods = ["best", *(f"best/{name}" for name in FINISH_VARIATIONS)]
    return [s for s in SCENES if all((method, s, seed) in made for method in methods for seed in range(SEEDS))]


def ablations(rows: Sequence[Row], decisions: Path) -> str:
    """The page of all ablations."""
    links, missing = linking(decisions), [plain(scene) for scene in SCENES if scene not in ablated(rows)]
    lines = [
        "# Ablations: `best` without each of its steps",
        "",
        "<!-- made by scripts/research_page.py from ablations.csv -->",
        "",
        *textwrap.wrap(INTRODUCTION + (f" Not measured: {', '.join(missing)}." if missing else ""), WIDTH),
        "",
    ]
    for name, changes in FINISH_VARIATIONS.items():
        lines += [f"## {name}", "", f"{', '.join(f'`{key} = {value}`' for key, value in changes.items())}.", ""]
        lines += [f"Decided in {', '.join(links[name])}.", ""] if name in links else []
        lines += [*section(rows, f"best/{name}"), ""]
    return "\n".join(lines)


def section(rows: Sequence[Row], method: str) -> list[str]:
    """The table of one step, and the scenes that it does not change."""
    metrics = (*SHOWN, "discontinuities", "fine_thinning")
    measured = ablated(rows)
    lines, same = table_head(["scene", *(heading(metric) for metric in metrics)]), []
    for scene in measured:
        here = [row for row in rows if row.scene == scene and row.method in ("best", method)]
        cells = [change_cell(here, method, metric) for metric in metrics]
        if any("→" in cell for cell in cells):
            lines.append(line([plain(scene), *cells]))
        else:
            same.append(plain(scene))
    if len(same) == len(measured):
        return ["No figure of any scene changes."]
    return [*lines, "", *textwrap.wrap(f"No change on {', '.join(same)}.", WIDTH)] if same else lines


def change_cell(rows: Sequence[Row], method: str, metric: str) -> str:
    """`without → with`, or one figure if the step does not change it."""
    item = compare(rows, method, "best", metric)
    if not item.scenes:
        return "–"
    before, after = number(item.mean - item.change), number(item.mean)
    return after if before == after else f"{before} → {after}{mark(item.change, item.clear)}"


def linking(decisions: Path) -> dict[str, list[str]]:
    """By ablation: links to the decision records that link to its section."""
    found: dict[str, list[str]] = {}
    for path in sorted(decisions.glob("0*.md")):
        for name in dict.fromkeys(re.findall(r"ablations\.md#([\w-]+)", path.read_text(encoding="utf-8"))):
            found.setdefault(name, []).append(f"[decision {int(path.name[:4])}](../decisions/{path.name})")
    return found


def heading(metric: str) -> str:
    item = METRICS[metric]
    return item.label if "/" in item.unit else f"{item.label} {item.unit}"


def plain(scene: str) -> str:
    return scene.partition("@")[0]


def number(value: float) -> str:
    """Three digits, at most three of them after the point."""
    value = abs(value)
    return f"{value:.{1 if value >= 9.995 else 2 if value >= 0.9995 else 3}f}"


def signed(value: float) -> str:
    return ("−" if value < 0 else "+") + number(value)


def mark(change: float, clear: bool) -> str:
    return (" ▼" if change < 0 else " ▲") if clear else ""


def table_head(cells: Sequence[str]) -> list[str]:
    return [line(cells), "|" + "---|" * len(cells)]


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    for target, content in pages(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/research")).items():
        target.write_text(content, encoding="utf-8")
