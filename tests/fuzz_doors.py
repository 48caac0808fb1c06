"""Mutation fuzzer for all doors but the readers' (tests/fuzz_readers.py): maps, masks, texts, archives.

python -m tests.fuzz_doors --seconds 60 --seed 1
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from ioadr import Views, load_parameters, load_views, preset
from ioadr.app.batch.inputs import find_items
from ioadr.app.report import report_html
from ioadr.evaluation.research import load_sets
from ioadr.evaluation.submission import SCENES, check_submission
from ioadr.evaluation.truth import load_truth
from ioadr.io.options import ReadOptions
from ioadr.io.results.load import load_estimate
from ioadr.io.results.map_files import read_map, write_map
from ioadr.io.results.pfm import encode_pfm
from ioadr.views.surfaces import Surface
from tests.doors import files
from tests.doors.maps import LABEL, MAPS, RAMP, SIZE, scene
from tests.fuzz_readers import Target, main
from tests.scenes import make_estimate


def targets(folder: Path) -> dict[str, Target]:
    """Small valid files, and who reads them."""
    found: dict[str, Target] = {}
    for name in MAPS.values():
        found[name] = [write_map(folder / name, RAMP, LABEL)], partial(read_map, folder / name)
    truth = scene(folder)
    mask = files.bomb_png(truth / "mask_fine_lowres.png", SIZE[1], SIZE[0])
    found["truth"] = [mask, truth / "gt_disp_lowres.pfm", truth / "parameters.cfg"], partial(load_truth, truth)
    make_estimate(RAMP).save(folder / "result", formats=["npz"])
    found["result"] = [folder / "result/estimate.npz"], partial(load_estimate, folder / "result")
    found["submission"] = [_submission(folder / "mine.zip")], partial(check_submission, folder / "mine.zip")
    return found | _texts(folder) | _inner_texts(folder)


def _inner_texts(folder: Path) -> dict[str, Target]:
    """Texts of archives, broken before they are packed: afterwards a checksum would tell."""
    small_views().save(folder / "views", formats="npz", report=False)
    members = {"estimate.npz": "provenance.npy", "views.npz": "description.json"}
    found: dict[str, Target] = {"views.npz": ([folder / "views/views.npz"], partial(load_views, folder / "views"))}
    for name, member in members.items():
        place = folder / name.replace(".", "-")
        shutil.copytree(folder / "views", place)
        with zipfile.ZipFile(place / name) as archive:
            content = {inner: archive.read(inner) for inner in archive.namelist()}
        text = content.pop(member)
        (place / "text").write_bytes(str(np.load(io.BytesIO(text))).encode() if member.endswith(".npy") else text)
        found[member] = [place / "text"], partial(_repacked, place, name, member, content)
    return found


def _repacked(place: Path, name: str, member: str, content: dict[str, bytes]) -> None:
    """A result that can be loaded can be described, saved and turned into points."""
    text = (place / "text").read_bytes()
    if member.endswith(".npy"):
        stream = io.BytesIO()
        np.save(stream, np.array(text.decode("utf-8", "replace")))
        text = stream.getvalue()
    with zipfile.ZipFile(place / name, "w") as archive:
        for inner, data in (content | {member: text}).items():
            archive.writestr(inner, data)
    views = load_views(place)
    report_html(views.estimate)
    views.points(0.0)
    with tempfile.TemporaryDirectory() as target:
        views.save(Path(target) / "out", formats="pfm,npz", report=False)


def small_views() -> Views:
    """Of a map that all views share."""
    known = make_estimate(RAMP[:6, :7])
    index = np.argwhere(known.layout.present)
    maps = np.repeat(known.disparity[None], len(index), axis=0)
    surface = Surface.of(known, known.layout, 0.175)
    return Views(known, index, maps, maps.astype(np.float16), np.zeros(maps.shape, np.uint8), (surface,))


def _submission(path: Path) -> Path:
    flat = encode_pfm(np.zeros((4, 4), np.float32))
    members = {f"disp_maps/{name}.pfm": (flat, 0) for name in SCENES[:2]}
    return files.packed_zeros(path, members | {f"runtimes/{name}.txt": (b"12.5\n", 0) for name in SCENES[:2]})


def _texts(folder: Path) -> dict[str, Target]:
    items = '[[items]]\npath = "scene"\nname = "one"\nrange = [-1.5, 2.0]\nviews = "3x3"\n'
    texts: dict[str, tuple[str, Callable[[Path], object]]] = {
        "parameters.toml": (preset("best").to_toml(), load_parameters),
        "sets.toml": ('[mine]\npreset = "best"\n[mine.search]\nsweeps = 3\n', load_sets),
        "items.toml": (items, _listed),
        "list.txt": ("scene\nscene  # again\nsc*\n", _listed),
    }
    for name, (text, _) in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: ([folder / name], partial(read, folder / name)) for name, (_, read) in texts.items()}


def _listed(path: Path) -> object:
    return find_items([str(path)], ReadOptions(), str(path.parent / "out"))


if __name__ == "__main__":
    sys.exit(main(targets=targets))
