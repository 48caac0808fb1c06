"""How often is the order of views found, and is it ever wrong?

python -m tests.arrangements                     # 200 random light fields, each in eight arrangements
python -m tests.arrangements --moderate 60       # 128 px, 5×5 views, moderate noise
python -m tests.arrangements --real ../shared/data
python -m tests.arrangements --alarms 200        # correct light fields that are called doubtful, without an estimation
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import imagecodecs
import numpy as np
from PIL import Image

from ioadr.consistency.order import Order
from ioadr.io import ReadOptions, read
from ioadr.io.capture import Capture
from ioadr.io.diagnosis import with_odd_views
from ioadr.io.orientation import oriented
from ioadr.io.reading import open_capture
from ioadr.lightfield import LightField
from tests.arrangement_cases import ARRANGEMENTS, Case, Views, arranged, moderate_case, random_case

STATES = ("decided", "partly", "undecided", "wrong")
REAL = (
    *("hci/boxes", "hci/cotton", "hci/dino", "hci/sideboard", "rendered/toys", "real/lytro_2067"),
    *("hard/desk", "hard/floor", "hard/leaves", "hard/machine", "hard/turntable", "hard/wedges"),
    "real/stanford_legotruck",
)


def capture_of(views: Views, format_name: str = "npy") -> Capture:
    """Views in memory as a file would give them."""
    rows, columns, height, width, channels = views.shape
    flat = views.reshape(-1, height, width, channels)
    index = np.arange(rows * columns).reshape(rows, columns)
    names = [f"view {number}" for number in range(len(flat))]
    load = lambda numbers, window: flat[list(numbers)][:, window.slices[0], window.slices[1]]  # noqa: E731
    return Capture(format_name, Path("memory"), index, height, width, channels, views.dtype, load, names)


def state_of(views: Views, arrangement: tuple[bool, bool, bool]) -> str:
    """Outcome for views that are stored in this arrangement: one of `STATES`."""
    stored = arranged(numbered(views), arrangement)
    capture = oriented(capture_of(np.ascontiguousarray(arranged(views, arrangement))), ReadOptions())
    return state(stored.ravel()[capture.index], stored, numbered(views), capture.order)


def numbered(views: Views) -> Views:
    """[L, K]: a number for each view."""
    return np.arange(views.shape[0] * views.shape[1]).reshape(views.shape[:2])


def state(found: Views, stored: Views, right: Views, order: Order) -> str:
    """Numbers of views on the grid as read, as stored and as they should be: what does the verdict make of them?"""
    if order.flips is not None:
        return "decided" if np.array_equal(found, right) else "wrong"
    alike, mirrored = [right, right[::-1, ::-1]], [right[::-1], right[:, ::-1]]
    if order.transposed is None:
        return "undecided" if np.array_equal(found, stored) else "wrong"
    claimed = (alike + mirrored) if order.mirrored is None else mirrored if order.mirrored else alike
    return "partly" if any(np.array_equal(found, grid) for grid in claimed) else "wrong"


def state_on_disk(folder: Path, views: Views, arrangement: tuple[bool, bool, bool], suffix: str = ".png") -> str:
    """The same for files `v_ROW_COL` in a folder; what is not decided must be said."""
    stored = arranged(numbered(views), arrangement)
    target = folder / "".join("ny"[change] for change in arrangement)
    target.mkdir()
    for (row, column), number in np.ndenumerate(stored):
        (target / f"v_{row:02d}_{column:02d}{suffix}").hardlink_to(_file(folder, views, int(number), suffix))
    capture = open_capture(target)
    names = {f"v_{row:02d}_{column:02d}{suffix}": number for (row, column), number in np.ndenumerate(stored)}
    found = np.array(
        [[names[capture.name_at(row, column)] for column in range(capture.grid[1])] for row in range(capture.grid[0])]
    )
    outcome = state(found, stored, numbered(views), capture.order)
    doubted = any("not tell" in note for note in capture.notes)
    assert doubted == (outcome != "decided"), capture.notes
    return outcome


def _file(folder: Path, views: Views, number: int, suffix: str) -> Path:
    """A view as a separate file, written once for all arrangements."""
    path = folder / f"{number}{suffix}"
    if not path.exists():
        view = views[number // views.shape[1], number % views.shape[1]]
        if suffix == ".jpg":
            Image.fromarray(view).save(path, quality=90)
        else:
            path.write_bytes(imagecodecs.png_encode(np.ascontiguousarray(view.squeeze())))
    return path


def tallied(views: Views) -> Counter[str]:
    return Counter(state_of(views, arrangement) for arrangement in ARRANGEMENTS)


def alarms(views: Views) -> list[str]:
    """Kinds of doubts about views that are in order, counted along rows."""
    capture = oriented(capture_of(views), ReadOptions()).with_(counted=True)
    kinds = ["order"] if capture.put_right or capture.order.outcome == "wrong" else []
    return [*kinds, *with_odd_views(LightField(views), capture).source.doubts]


def _print_alarms(count: int, first: int) -> None:
    tally: Counter[str] = Counter()
    for case in (random_case(seed) for seed in range(first, first + count)):
        kinds = alarms(case.views())
        tally.update(kinds)
        tally["any"] += bool(kinds)
        if kinds:
            sys.stdout.write(f"{', '.join(kinds)}: {case}\n")
    sys.stdout.write(f"{count} sound light fields: {dict(tally)}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, default=200)
    parser.add_argument("--moderate", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first scene")
    parser.add_argument("--real", type=Path)
    parser.add_argument("--alarms", type=int, default=0)
    options = parser.parse_args()
    if options.alarms:
        _print_alarms(options.alarms, options.first)
        return
    if options.real:
        _print("scene", ((name, tallied(_stored(options.real / name))) for name in REAL))
        return
    count, make = (options.moderate, moderate_case) if options.moderate else (options.random, random_case)
    cases = [make(seed) for seed in range(options.first, options.first + count)]
    results = [(case, tallied(case.views())) for case in cases]
    for title, key in _keys().items():
        groups: dict[str, Counter[str]] = {}
        for case, tally in results:
            groups.setdefault(key(case), Counter()).update(tally)
        _print(title, sorted(groups.items()))
    wrong = [(case, tally["wrong"]) for case, tally in results if tally["wrong"]]
    for case, number in wrong:
        sys.stdout.write(f"{number} of 8 wrong: {case}\n")


def _keys() -> dict[str, Callable[[Case], str]]:
    return {
        "all": lambda case: "all",
        "longer side, px": lambda case: f"{max(case.size):3d}",
        "grid": lambda case: f"{case.grid[0]}×{case.grid[1]}",
        "noise, levels": lambda case: f"{case.noise:4.0f}",
        "family": lambda case: case.family,
    }


def _print(title: str, rows: Iterable[tuple[str, Counter[str]]]) -> None:
    sys.stdout.write(f"\n| {title} | light fields | {' | '.join(STATES)} |\n|---|---|{'---|' * len(STATES)}\n")
    for name, tally in rows:
        total = sum(tally.values())
        shares = " | ".join(f"{100 * tally[state] / total:.1f} %" for state in STATES)
        sys.stdout.write(f"| {name} | {total} | {shares} |\n")
        sys.stdout.flush()


def _stored(path: Path) -> Views:
    return read(path, flip_rows=False, flip_columns=False, dark="keep").views


if __name__ == "__main__":
    main()
