"""Do rows and columns of views run as they should? A quick test by photo-consistency and occlusion.

A point must move by the same disparity along rows and columns, or one of the two runs backwards. If both do,
every match is as good as before, but far surfaces hide near ones: at the border of a surface the views of one
side do not see what is behind it, and which side that is depends on the direction.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.capture import Capture
from ioadr.io.options import ReadOptions

LONGEST = 192
"""px, longer side of the images that are compared."""
ATTEMPTS = ((4, 8.0), (1, 12.0))
"""Views this far from the centre, searched for shifts up to this many px: narrow baselines, then wide ones."""
STEP = 0.5
AGREEMENT = 0.03
"""Relative gain in consistency that decides whether rows and columns agree."""
CERTAIN, HINT = 6.0, 2.0
"""Standard errors of the occlusion test to reverse both, and to choose which of two that disagree."""

Image = NDArray[np.float32]
Volume = NDArray[np.float32]
"""[shift, row, column]: mean difference to the reference in px·grey."""


@dataclass(frozen=True)
class Evidence:
    """What the views say about their order."""

    agreement: float
    """> 0: rows and columns agree; < 0: one of them is reversed."""
    occlusion: float
    """> 0: columns run as they should (after rows were made to agree with them), in standard errors."""

    def flips(self) -> tuple[bool, bool]:
        """Whether to reverse rows, columns."""
        one_axis = self.agreement == 0.0
        if one_axis:
            return False, self.occlusion < -CERTAIN
        if abs(self.agreement) < AGREEMENT:
            return False, False
        if self.agreement > 0:
            both = self.occlusion < -CERTAIN
            return both, both
        return (False, True) if self.occlusion < -HINT else (True, False)


def oriented(capture: Capture, options: ReadOptions) -> Capture:
    """The capture with rows and columns in our order: as the user says, or else as the test finds."""
    for axis, wanted in ((0, options.flip_rows), (1, options.flip_columns)):
        capture = capture.flipped(axis) if wanted else capture
    if options.flip_rows is not None or options.flip_columns is not None or capture.trusted:
        return capture
    rows, columns = _measured(capture).flips()
    for axis, name, flip in ((0, "rows", rows), (1, "columns", columns)):
        if flip:
            capture = capture.flipped(axis).noted(
                f"{name} of views run the other way: reversed (⟦no-flip-{name}⟧ keeps them)"
            )
    return capture


def _measured(capture: Capture) -> Evidence:
    """Evidence of the first attempt that shows parallax; the next one is asked too where occlusions say little."""
    found: list[Evidence] = []
    for distance, reach in ATTEMPTS:
        try:
            found.append(_evidence(_images(capture, distance), reach))
        except InputError:
            # A view that cannot be read is reported when it is wanted.
            break
        if abs(found[-1].agreement) >= AGREEMENT and abs(found[-1].occlusion) >= CERTAIN:
            break
    agreement = max((evidence.agreement for evidence in found), key=abs, default=0.0)
    agreeing = [evidence.occlusion for evidence in found if evidence.agreement * agreement >= 0 and evidence.occlusion]
    return Evidence(agreement, sum(agreeing) / max(len(agreeing), 1) ** 0.5)


def _images(capture: Capture, distance: int) -> Mapping[tuple[int, int], Image]:
    """Small grey images of the centre (0, 0) and its neighbours up to `distance` views away on each axis."""
    centre = tuple((length - 1) // 2 for length in capture.grid)
    places: dict[tuple[int, int], int] = {}
    for axis, length in enumerate(capture.grid):
        step = min(distance, (length - 1) // 2)
        for sign in (-1, 0, 1):
            spot = list(centre)
            spot[axis] += sign * step
            if capture.available[spot[0], spot[1]]:
                key = (sign * (axis == 0) * (step > 0), sign * (axis == 1) * (step > 0))
                places[key] = int(capture.index[spot[0], spot[1]])
    loaded = capture.load(list(places.values()), capture.window)
    return {key: _small(view) for key, view in zip(places, loaded, strict=True)}


def _small(view: NDArray[np.generic]) -> Image:
    """Grey, 0 … 255 by its own brightness, averaged over blocks."""
    factor = -(-max(view.shape[:2]) // LONGEST)
    height, width = view.shape[0] // factor, view.shape[1] // factor
    colour = view[..., : 3 if view.shape[2] >= 3 else 1]
    blocks = colour[: height * factor, : width * factor].reshape(height, factor, width, -1)
    grey = blocks.mean(axis=(1, 3), dtype=np.float32)
    return grey * np.float32(100.0 / max(float(grey.mean()), 1e-6))


def _evidence(images: Mapping[tuple[int, int], Image], reach: float) -> Evidence:
    if (0, 0) not in images or min(images[0, 0].shape) < 3 * reach:
        return Evidence(0.0, 0.0)
    axes = [axis for axis in (0, 1) if all(_key(axis, sign) in images for sign in (-1, 1))]
    shifts = np.arange(-reach, reach + STEP / 2, STEP, dtype=np.float32)
    places = [(axis, sign) for axis in axes for sign in (-1, 1)]
    with ThreadPoolExecutor(max(len(places), 1)) as pool:
        volumes = pool.map(lambda p: _costs(images[0, 0], images[_key(*p)], p[1] * shifts, p[0]), places)
        sides = dict(zip(places, volumes, strict=True))
    agreement = _agreement(sides) if len(axes) == 2 else 0.0
    if agreement < 0:
        sides[0, -1], sides[0, 1] = sides[0, 1][::-1], sides[0, -1][::-1]
    return Evidence(agreement, _occlusion(sides) if sides else 0.0)


def _key(axis: int, sign: int) -> tuple[int, int]:
    return (sign, 0) if axis == 0 else (0, sign)


def _costs(reference: Image, view: Image, shifts: NDArray[np.float32], axis: int) -> Volume:
    """|view moved back by each shift − reference|, averaged over 3×3 px."""
    length = view.shape[axis]
    volume = np.empty((len(shifts), *view.shape), np.float32)
    for target, shift in zip(volume, shifts, strict=True):
        place = np.clip(np.arange(length, dtype=np.float32) - shift, 0, length - 1)
        low = np.minimum(place.astype(np.intp), length - 2)
        part = (place - low).reshape((-1, 1) if axis == 0 else (1, -1))
        moved = np.take(view, low, axis) * (1 - part) + np.take(view, low + 1, axis) * part
        target[:] = np.minimum(np.abs(moved - reference), 30)
    return _box(volume)


def _box(volume: Volume) -> Volume:
    """Sum over 3×3 px, borders shrunk to what is there."""
    padded = np.pad(volume, ((0, 0), (1, 1), (1, 1)), mode="edge")
    rows = padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]
    return (rows[:, :, :-2] + rows[:, :, 1:-1] + rows[:, :, 2:]) / np.float32(9)


def _agreement(sides: Mapping[tuple[int, int], Volume]) -> float:
    """How much better rows and columns match with the same sign of disparity than with opposite ones."""
    down, across = sides[0, -1] + sides[0, 1], sides[1, -1] + sides[1, 1]
    same = float((across + down).min(axis=0).sum())
    opposite = float((across + down[::-1]).min(axis=0).sum())
    return (opposite - same) / max(opposite + same, 1e-6)


def _occlusion(sides: Mapping[tuple[int, int], Volume]) -> float:
    """Where two surfaces meet, is it the far one that one side does not see? In standard errors, yes > 0."""
    best = _box(sum(sides.values())).argmin(axis=0)  # type: ignore[arg-type]
    votes = [_votes(sides[axis, -1] - sides[axis, 1], best, axis) for axis in (0, 1) if (axis, 1) in sides]
    found = np.concatenate(votes)
    if len(found) < 30:
        return 0.0
    return float(found.mean() / max(found.std() / np.sqrt(len(found)), 1e-6))


def _votes(imbalance: Volume, best: NDArray[np.intp], axis: int, gap: int = 3) -> NDArray[np.float32]:
    """Per border pixel: imbalance of the two sides at the far surface minus that at the near one."""
    inner = tuple(slice(8 + gap, -8 - gap) for _ in range(2))
    before = np.roll(best, gap, axis)[inner]
    after = np.roll(best, -gap, axis)[inner]
    border = np.abs(before - after) >= 2
    direction = np.where(before > after, 1, -1)
    volume = imbalance[(slice(None), *inner)]
    far = np.take_along_axis(volume, np.minimum(before, after)[None], 0)[0]
    near = np.take_along_axis(volume, np.maximum(before, after)[None], 0)[0]
    return ((far - near) * direction)[border].astype(np.float32)
