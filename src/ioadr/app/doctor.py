"""A diagnosis in words and pictures: contact sheet, table of views, remedies."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from PIL import ExifTags, Image, ImageDraw

from ioadr.app.pages import render
from ioadr.app.words.description import swapped
from ioadr.camera import is_posed
from ioadr.colours import rgb8
from ioadr.errors import as_options
from ioadr.io.decoding.pillow_files import FORMATS
from ioadr.io.diagnosis import MOSAIC, STILL, Diagnosis
from ioadr.io.options import ReadOptions

SHEET = 1600
"""Width of the contact sheet, px."""
TAGS = ("Make", "Model", "Orientation", "ExposureTime", "FNumber", "PhotographicSensitivity", "FocalLength")
FINE, ODD, DARK = (90, 240, 110), (255, 70, 70), (20, 20, 20)
SOUND = {True: "fit", False: "do not fit"}
GIVEN = ("Order", "given", "by the poses")
NEAR = {True: "correct", False: "reversed", None: "not certain"}


def contact_sheet(diagnosis: Diagnosis) -> Image.Image:
    """The views in grid order, with an arrow for the motion of points; odd views have a red frame."""
    lightfield = diagnosis.lightfield
    rows, columns = lightfield.grid
    width = max(48, min(SHEET // columns, 240)) - 4
    height = max(1, round(width * lightfield.height / lightfield.width))
    sheet = Image.new("RGB", (columns * (width + 4), rows * (height + 4)), (30, 30, 30))
    draw = ImageDraw.Draw(sheet)
    longest = float(np.abs(diagnosis.examination.shift).max(initial=1e-6))
    for place, shift in zip(diagnosis.places, diagnosis.examination.shift, strict=True):
        corner = place[1] * (width + 4) + 2, place[0] * (height + 4) + 2
        view = Image.fromarray(rgb8(lightfield.views[place], lightfield.white))
        sheet.paste(view.resize((width, height), Image.Resampling.BOX), corner)
        colour = ODD if place in diagnosis.odd else FINE
        if place in diagnosis.odd:
            draw.rectangle((corner[0] - 2, corner[1] - 2, corner[0] + width + 1, corner[1] + height + 1), None, ODD, 3)
        _arrow(
            draw, (corner[0] + width / 2, corner[1] + height / 2), shift * (0.4 * min(width, height) / longest), colour
        )
        label = (corner[0] + 3, corner[1] + 1), f"{place[0]},{place[1]}"
        draw.text(*label, (255, 255, 255), font_size=14, stroke_width=1, stroke_fill=DARK)
    return sheet


def _arrow(draw: ImageDraw.ImageDraw, start: tuple[float, float], shift: Any, colour: tuple[int, int, int]) -> None:
    """Draw an arrow with a dark rim, visible on any picture; the dot is its head."""
    end = start[0] + float(shift[1]), start[1] + float(shift[0])
    for wide, around, fill in ((7, 5, DARK), (3, 4, colour)):
        draw.line((*start, *end), fill, wide)
        draw.ellipse((end[0] - around, end[1] - around, end[0] + around, end[1] + around), fill)


def findings(diagnosis: Diagnosis) -> dict[str, str]:
    """The findings in words."""
    source = diagnosis.lightfield.source
    odd = "; ".join(f"view {row},{column} {what}" for (row, column), what in diagnosis.odd.items())
    line = "one line of views: there is nothing to compare"
    direction = _test(diagnosis.order.alike, "rows and columns agree", "one of them is reversed")
    tests = {
        "order as read": f"{diagnosis.order.outcome}: {diagnosis.order.words}",
        "rows and columns": _test(diagnosis.order.upright, "in place", "transposed"),
        "direction": line if diagnosis.order.line else direction,
        "near and far": _test(diagnosis.order.near, "near hides far", "far hides near"),
    }
    facts = {
        "verdict": verdict(diagnosis),
        "format": f"{source.format} ({'recognised by content' if source.recognised else 'as given'})",
        "order as stored": source.order or "not checked",
        **({} if _poses_decide(diagnosis) else tests),
        "odd views": odd or "none",
        "neighbours": swapped(
            diagnosis.lightfield, diagnosis.examination.neighbours_told and diagnosis.order.outcome != "unknown"
        ),
    }
    many = len(source.notes) > 1
    notes = {f"note {n}" if many else "note": as_options(note) for n, note in enumerate(source.notes, 1)}
    return facts | notes | {"command": command_line(diagnosis)}


def verdict(diagnosis: Diagnosis) -> str:
    """Whether the views fit together, in a few words."""
    if diagnosis.counting is not None:
        return (
            f"the views fit together better if they are counted in another order: try {as_options(diagnosis.counting)}"
        )
    if diagnosis.examination.all_alike:
        return "all views are the same picture: there is no depth to measure"
    if diagnosis.examination.still:
        return STILL
    if "mosaic" in diagnosis.lightfield.source.doubts:
        return MOSAIC
    odd = len(diagnosis.odd)
    wrong = [f"the order is wrong: {diagnosis.order.words}"] if diagnosis.order.outcome == "wrong" else []
    wrong += [f"{odd} of {len(diagnosis.places)} views {'does' if odd == 1 else 'do'} not fit"] if odd else []
    if _poses_decide(diagnosis):
        return "; ".join([*wrong, "the poses determine the order"])
    if diagnosis.order.outcome == "unknown":
        return "; ".join([*wrong, f"the order is not certain: {diagnosis.order.words}"])
    if not wrong and not diagnosis.examination.neighbours_told:
        return "nothing wrong was found, but the positions of single views could not be checked"
    return "; ".join(wrong) or "the views fit together"


def _poses_decide(diagnosis: Diagnosis) -> bool:
    """Whether only the poses determine the order: photographs at arbitrary positions cannot be compared as a grid."""
    return is_posed(diagnosis.lightfield.camera) and diagnosis.order.outcome == "unknown"


def _test(finding: Any, yes: str, no: str) -> str:
    answer = {True: yes, False: no, None: "not certain"}[finding.holds]
    votes = f"votes {finding.votes[0]}:{finding.votes[1]}"
    return f"{answer} ({abs(finding.score):.1f} standard errors, p = {finding.chance:.1g}, {votes})"


def command_line(diagnosis: Diagnosis) -> str:
    """The command that reads the data correctly, if there is one."""
    if not diagnosis.healthy and not diagnosis.remedies:
        return "none: no option corrects this. Repair or replace the views"
    path = shlex.quote(diagnosis.lightfield.source.path or "PATH")
    words = [*_given(diagnosis), *(as_options(text) for text in diagnosis.remedies)]
    return " ".join(["ioadr estimate", path, *words, "--out DIR"])


def _given(diagnosis: Diagnosis) -> Iterator[str]:
    """Options with which the views were read, without those that a remedy replaces."""
    replaced = {"view_step", "flip_both"}
    replaced |= {"grid", "order"} if diagnosis.counting is not None else set()
    replaced |= {"transpose", "flip_rows", "flip_columns"} if diagnosis.order.outcome == "wrong" else set()
    for item in fields(ReadOptions):
        value, name = getattr(diagnosis.options, item.name), item.name.replace("_", "-")
        if value == item.default or item.name in replaced:
            continue
        if isinstance(value, bool):
            yield f"--{name}" if value else f"--no-{name}"
        elif item.name == "skip" and value != "missing":
            yield " ".join(f"--skip {row},{column}" for row, column in map(diagnosis.corrected, value))
        elif item.name == "reference":
            row, column = diagnosis.corrected(value, diagnosis.capture.grid)
            yield f"--reference {row} {column}"
        elif item.name in ("grid", "eslf", "quilt"):
            yield f"--{name} {value[0]}x{value[1]}"
        else:
            texts = value if isinstance(value, tuple) else (value,)
            yield " ".join([f"--{name}", *(shlex.quote(str(text)) for text in texts)])


def exif(diagnosis: Diagnosis, folder: Path) -> dict[str, str]:
    """EXIF data of the views: one value, or the note that it varies."""
    values: dict[str, set[str]] = {}
    for name in diagnosis.names:
        file = folder / name
        try:
            with Image.open(file, formats=FORMATS) as image:
                tags = image.getexif()
                merged = {**tags, **tags.get_ifd(ExifTags.IFD.Exif)}
        except (OSError, ValueError, SyntaxError):
            continue
        for number, value in merged.items():
            tag = ExifTags.TAGS.get(number, "")
            if tag in TAGS:
                values.setdefault(tag, set()).add(str(value))
    return {
        tag: next(iter(kinds)) if len(kinds) == 1 else f"differs between views: {', '.join(sorted(kinds)[:5])}"
        for tag, kinds in values.items()
    }


def diagnosis_html(diagnosis: Diagnosis) -> str:
    """The page."""
    lightfield, examination = diagnosis.lightfield, diagnosis.examination
    folder = Path(lightfield.source.path or ".")
    values = zip(diagnosis.places, diagnosis.names, examination.difference, examination.brightness, strict=True)
    views = [
        {
            "place": f"{row},{column}",
            "name": name,
            "difference": f"{difference:.2f}",
            "brightness": f"{100 * brightness:.0f} %",
            "remark": diagnosis.odd.get((row, column), ""),
        }
        for (row, column), name, difference, brightness in sorted(values)
    ]
    rows, columns = lightfield.grid
    order = [
        ("Order", diagnosis.order.outcome, "of the views as read"),
        ("Near and far", NEAR[diagnosis.order.near.holds], "from occlusions"),
    ]
    return render(
        "doctor.html",
        title=lightfield.name,
        lead=f"Do the {rows}×{columns} views of {lightfield.width}×{lightfield.height} px fit together?",
        figures=[
            ("Views", SOUND[diagnosis.healthy], "together, as they were read"),
            *([GIVEN] if _poses_decide(diagnosis) else order),
            ("Odd views", len(diagnosis.odd), f"of {lightfield.view_count}"),
        ],
        facts=findings(diagnosis) | {f"EXIF {tag}": value for tag, value in exif(diagnosis, folder).items()},
        sheet=contact_sheet(diagnosis),
        views=views,
    )
