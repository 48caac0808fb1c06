"""Parameters, submissions, lists of batches, requests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from ioadr.evaluation.submission import SCENES
from ioadr.io.results.pfm import encode_pfm
from tests.builders import write_hci_scene
from tests.doors import files
from tests.doors.cases import Arguments, Case, Request
from tests.doors.maps import DAMAGES, Write, scene
from tests.doors.readers import BOMB, DECLARED, NAN, OUTSIDE

NESTED = "nested too deeply"


def cases() -> Iterator[Case]:
    for kind, text in PARAMETERS.items():
        yield Case("parameter file", kind, partial(_parameters, content=text))
    yield Case("parameter file", "a folder instead", partial(_parameters_no_file, make=Path.mkdir))
    yield Case("parameter file", files.PIPE, partial(_parameters_no_file, make=files.pipe))
    for kind, text in SETS.items():
        yield Case("parameter sets", kind, partial(_sets, content=text))
    yield from _submissions()
    for kind, text in LISTS.items():
        yield Case("batch list", kind, partial(_list, content=text))
    for kind, text in MANIFESTS.items():
        yield Case("batch manifest", kind, partial(_list, content=text, name="items.toml"))
    for door, name in (("batch list", "pipe.txt"), ("batch manifest", "pipe.toml")):
        yield Case(door, files.PIPE, partial(_pipe, name=name))
    for kind, (request, code) in REQUESTS.items():
        yield Case("explorer", kind, partial(_asked, request=request), code)


def _parameters(folder: Path, content: bytes | None) -> Arguments:
    if content is not None:
        (folder / "mine.toml").write_bytes(content)
    write_hci_scene(folder / "scene")
    return ["estimate", "scene", "--out", "out", "--parameters", "mine.toml"]


def _parameters_no_file(folder: Path, make: Write) -> Arguments:
    make(folder / "mine.toml")
    return _parameters(folder, None)


def _sets(folder: Path, content: bytes) -> Arguments:
    scene(folder)
    (folder / "sets.toml").write_bytes(content)
    return ["research", "scene", "--sets", "sets.toml", "--table", "table.csv"]


def _list(folder: Path, content: bytes | None, name: str = "list.txt") -> Arguments:
    if content is not None:
        (folder / name).write_bytes(content)
    return ["batch", name, "--out", "out"]


def _pipe(folder: Path, name: str) -> Arguments:
    files.pipe(folder / name)
    return ["batch", name, "--out", "out"]


def _asked(folder: Path, request: Request) -> Request:
    return request


PARAMETERS: dict[str, bytes | None] = {
    "missing": None,
    "cut off": b"[congruence]\nweight =",
    "binary": b"\xff\xfe\x00\x01",
    "wrong type": b'[congruence]\nweight = "heavy"\n',
    "unknown name": b"[congruence]\nheaviness = 1\n",
    "out of bounds": b"[search]\nsweeps = 1000000000\n",
    NAN: b"[congruence]\nweight = nan\n",
    NESTED: b"a = " + b"[" * 5000,
    "too large": b"# too long\n" * 200_000,
}
SETS = {"cut off": b"[mine]\nx =", "wrong type": b"mine = 3\n", NESTED: b"a = " + b"[" * 5000}
LISTS: dict[str, bytes | None] = {
    "missing": None,
    "empty": b"\n# nothing\n",
    "binary": b"\xff\xfe\x00\x01\x00",
    "no light field in it": b"list.txt\n",
    "a name that is too long": b"x" * 5000 + b"*\n",
    "the home of an unknown user": b"~nobody-of-that-name/scene\n",
    "too large": b"scene\n" * 2_000_000,
}
MANIFESTS = {
    "cut off": b"[[items]]\npath = ",
    "wrong type": b"items = 3\n",
    "item without path": b"[[items]]\nname = 'x'\n",
    "unknown option": b"[[items]]\npath = 'x'\nspeed = 3\n",
    NAN: b"[[items]]\npath = 'x'\nscale = nan\n",
    NESTED: b"items = " + b"[" * 5000,
}
PIXEL = "/api/pixel?result=given&row=3&column="
REQUESTS = {
    "missing": (Request("/api/pixel?result=given&row=3"), 400),
    "wrong type": (Request(PIXEL + "left"), 400),
    NAN: (Request(PIXEL + "nan"), 400),
    "too large a number": (Request(PIXEL + "9" * 30), 400),
    "unknown result": (Request("/api/layer/disparity?result=../../etc"), 400),
    "unknown name": (Request("/api/layer/passwd?result=given"), 400),
    "parameter out of bounds": (Request(PIXEL + "3&set=planar.half_width:100000"), 400),
    "a parameter that the page does not offer": (Request(PIXEL + "3&set=search.sweeps:1000000"), 400),
    OUTSIDE: (Request("/web/..%2f..%2f..%2fetc%2fpasswd"), 404),
    "cut off": (Request("/api/estimate", "POST", b'{"preset": '), 400),
    NESTED: (Request("/api/estimate", "POST", b"[" * 15000), 400),
    "too large": (Request("/api/estimate", "POST", b'{"a": "' + b"x" * 30000 + b'"}'), 400),
    "another page's form": (Request("/api/estimate", "POST", b"{}", (("Content_Type", "text/plain"),)), 400),
    "request for another host": (Request("/", headers=(("Host", "elsewhere.example"),)), 403),
    "request from another site": (Request("/", headers=(("Origin", "http://elsewhere.example"),)), 403),
}


def _submissions() -> Iterator[Case]:
    door, flat, holes = "submission zip", np.zeros((512, 512), np.float32), np.zeros((512, 512), np.float32)
    holes[3, 3:5] = np.inf
    yield Case(door, "missing", partial(_submission, damage=lambda path: path.unlink()))
    for kind, damage in DAMAGES.items():
        yield Case(door, kind, partial(_submission, damage=damage))
    for kind, name, content in (
        (NAN, "disp_maps/boxes.pfm", encode_pfm(holes)),
        (DECLARED, "disp_maps/boxes.pfm", b"Pf\n90000 90000\n-1\n"),
        (OUTSIDE, "../../boxes.pfm", encode_pfm(flat)),
        ("absolute path", "/etc/boxes.pfm", encode_pfm(flat)),
        ("wrong type", "runtimes/boxes.txt", b"fast\n"),
    ):
        yield Case(door, kind, partial(_submission, added={name: (content, 0)}), code=1)
    bomb = {"disp_maps/boxes.pfm": (b"Pf\n9000 9000\n-1\n", 1 << 27)}
    yield Case(door, BOMB, partial(_submission, added=bomb), code=1)


def _submission(
    folder: Path, added: dict[str, tuple[bytes, int]] | None = None, damage: Write = lambda path: None
) -> Arguments:
    flat = encode_pfm(np.zeros((512, 512), np.float32))
    content = {f"disp_maps/{name}.pfm": (flat, 0) for name in SCENES}
    content |= {f"runtimes/{name}.txt": (b"12.5\n", 0) for name in SCENES}
    damage(files.packed_zeros(folder / "mine.zip", content | (added or {})))
    return ["submission", "--check", "mine.zip"]
