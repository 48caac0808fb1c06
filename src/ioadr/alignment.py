"""Small misalignments of views, found from the light field itself: motion, gain and shading against a first map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.consistency.outcome import disagreement
from ioadr.consistency.single_views import examine
from ioadr.errors import InputError, Note
from ioadr.estimation import estimate
from ioadr.geometry.off_plane import flattened, resampled
from ioadr.geometry.similarity import displaced
from ioadr.geometry.synthesis import residuals, synthesise_sharply
from ioadr.lightfield import LightField
from ioadr.solver.registration import Motion, motion
from ioadr.solver.shading import shading, shape_of, unshaded, without_low_frequencies
from ioadr.tones import WHITE

ROUNDS = 3
"""Default number of rounds; each makes a map and measures the misalignment against it."""
UNEVEN = 0.05
"""Relative variation of brightness within views (rms) above which it is evened out. It is at most 0.024 in rendered
scenes with mirrors and leaves and in captures of camera arrays and plenoptic cameras, and 0.11 in photographs of a
glossy table."""


@dataclass(frozen=True, eq=False)
class Alignment:
    """Misalignment of each view against the reference view."""

    shifts: NDArray[np.float64]
    """Displacement of each view's content, [L, K, 2] px (row, column)."""
    angles: NDArray[np.float64]
    """Rotation of each view, [L, K] degrees, clockwise, about the middle of the image."""
    gains: NDArray[np.float64]
    """Gain of each view and channel, [L, K, C]."""
    scales: NDArray[np.float64]
    """Scale of each view's content, [L, K], about the middle of the image."""
    shading: NDArray[np.float64] | None = None
    """Brightness within each view, [L, K, rows of cells, columns of cells, C], over its gain. None if it is even."""

    @classmethod
    def none(cls, lightfield: LightField) -> Alignment:
        grid = lightfield.grid
        return cls(np.zeros((*grid, 2)), np.zeros(grid), np.ones((*grid, lightfield.channels)), np.ones(grid))

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Alignment:
        """Read what `stored` wrote; refuse anything else."""
        try:
            # Earlier versions did not look at scales and shading.
            values = {"scales": np.ones(np.shape(stored["angles"])), **stored}
            alignment = cls(**{name: np.asarray(value, np.float64) for name, value in values.items()})
        except (KeyError, ValueError, TypeError, OverflowError) as error:
            raise InputError("alignment: not written by `align`. Align the light field again.") from error
        if not alignment._sound:
            raise InputError("alignment: not written by `align`. Align the light field again.")
        return alignment

    @property
    def _sound(self) -> bool:
        """Whether all shapes fit together and all values are possible."""
        grid, shading = self.angles.shape, np.ones((*self.gains.shape[:2], 1, 1, *self.gains.shape[2:]))
        shading = shading if self.shading is None else self.shading
        shapes = self.shifts.shape, self.gains.shape[:-1], len(grid), self.scales.shape, shading.ndim
        fitting = shapes == ((*grid, 2), grid, 2, grid, 5) and shading.shape[::4] == self.gains.shape[::2]
        finite = all(np.isfinite(values).all() for values in (self.shifts, self.angles))
        positive = all(((values > 0) & np.isfinite(values)).all() for values in (self.gains, self.scales, shading))
        return fitting and shading.shape[:2] == grid and finite and positive

    @property
    def stored(self) -> dict[str, Any]:
        """Plain numbers, for files."""
        plain = {name: getattr(self, name).tolist() for name in ("shifts", "angles", "gains", "scales")}
        return plain if self.shading is None else {**plain, "shading": self.shading.tolist()}


@dataclass(frozen=True, eq=False)
class Aligned:
    """An aligned light field, and the misalignment that was removed."""

    lightfield: LightField
    alignment: Alignment
    residual: tuple[float, float]
    """Mean difference of views and prediction before and after, grey levels of 255."""


def align(lightfield: LightField, rounds: int = ROUNDS, seed: int = 0, threads: int | None = None) -> Aligned:
    """Estimate shift, rotation, scale and gain of every view against the reference view, and remove them.

    If brightness also varies within views (gloss, vignetting), it is evened out over about a tenth of a view.

    Parameters
    ----------
    lightfield : LightField
        The light field to correct.
    rounds : int
        Number of rounds. Each makes a map with the preset `fast` and compares the views with their prediction from the
        reference view and the map.
    seed : int
        Seed for the random candidates of these maps.
    threads : int, optional
        Number of CPU threads; all by default.

    Returns
    -------
    Aligned
        Its `lightfield` is resampled once. Shifts that grow with the views' positions are kept: they are
        indistinguishable from a change of all disparities.

    Raises
    ------
    InputError
        `rounds` is less than 1, or a first map cannot be estimated.

    Examples
    --------
    >>> aligned = ioadr.align(lightfield, rounds=1)
    >>> aligned.alignment.shifts.shape
    (5, 5, 2)
    """
    if rounds < 1:
        raise InputError(f"align: expected at least one round, found {rounds}.")
    alignment, current, before = Alignment.none(lightfield), lightfield, float("nan")
    for number in range(rounds):
        disparity = estimate(current, "fast", seed=seed, progress=False, threads=threads).disparity
        if number == 0:
            before = residuals(current, disparity, threads).mean
        alignment = _improved(alignment, current, disparity, threads)
        current = applied(lightfield, alignment, threads)
    shaded = _shaded(alignment, current, seed, threads)
    if shaded is not alignment:
        alignment, current = shaded, applied(lightfield, shaded, threads)
        disparity = estimate(current, "fast", seed=seed, progress=False, threads=threads).disparity
    after = residuals(current, disparity, threads).mean
    return Aligned(_noted(current, alignment, (before, after)), alignment, (before, after))


def needs_alignment(lightfield: LightField, seed: int = 0, threads: int | None = None) -> bool:
    """Whether views contradict a first map: in exposure, by gloss, or by their positions."""
    rough = estimate(lightfield, "fast", seed=seed, progress=False, threads=threads)
    return disagreement(rough.costs["data"], rough.confidence, rough.image, WHITE / rough.tones.gain) > 0.0


def applied(lightfield: LightField, alignment: Alignment, threads: int | None = None) -> LightField:
    """The light field without the given misalignment; the reference view is unchanged."""
    if alignment.gains.shape != (*lightfield.grid, lightfield.channels):
        raise InputError(
            f"alignment: made for {alignment.angles.shape[0]}×{alignment.angles.shape[1]} views with "
            f"{alignment.gains.shape[2]} channels; the light field has {lightfield.grid[0]}×{lightfield.grid[1]} "
            f"with {lightfield.channels}. Align it again."
        )
    if alignment.shading is not None and alignment.shading.shape != shape_of(lightfield):
        raise InputError("alignment: made for views of another size. Align the light field again.")
    views = lightfield.views.copy()
    with Workers(threads) as workers:
        for view in _others(lightfield):
            place = alignment.shifts[view], float(alignment.angles[view]), float(alignment.scales[view])
            rows, columns = displaced((lightfield.height, lightfield.width), *place)
            gains = alignment.gains[view].astype(np.float32)
            views[view] = resampled(lightfield.views[view], rows, columns, workers, gains)
            if alignment.shading is not None:
                views[view] = unshaded(views[view], alignment.shading[view])
    return lightfield.replace(views=views)


def _improved(before: Alignment, current: LightField, disparity: NDArray[np.float32], threads: int | None) -> Alignment:
    """The alignment so far, plus the misalignment that remains."""
    shifts, angles, gains, scales = (
        values.copy() for values in (before.shifts, before.angles, before.gains, before.scales)
    )
    views = _others(current)
    motions = _motions(current, disparity, views, threads)
    for view, left in zip(views, _without_tilt(motions, current.offsets[tuple(np.transpose(views))]), strict=True):
        shifts[view] += left.shift
        angles[view] += np.degrees(left.angle)
        gains[view] *= left.gains
        scales[view] *= 1.0 + left.growth
    return Alignment(_without_disparity(shifts, current), angles, gains, scales)


def _shaded(before: Alignment, current: LightField, seed: int, threads: int | None) -> Alignment:
    """Includes the shading of views, if it is strong; the map then comes from views without low frequencies."""
    fine = without_low_frequencies(current)
    disparity = estimate(fine, "fast", seed=seed, progress=False, threads=threads).disparity
    views = _others(current)
    found = shading(current, disparity, views, threads)
    unevenness = np.log([found[view] / np.median(found[view], axis=(0, 1)) for view in views])
    return replace(before, shading=found.round(4)) if np.sqrt((unevenness**2).mean()) > UNEVEN else before


def _motions(
    current: LightField, disparity: NDArray[np.float32], views: list[tuple[int, int]], threads: int | None
) -> list[Motion]:
    """Motions of views, relative to their prediction from the reference view and the map."""
    motions: dict[int, Motion] = {}
    with Workers(threads) as workers:
        flat = flattened(current, disparity, workers)
        reference = flat.reference_view.astype(np.float32)

        def share(begin: int, end: int) -> None:
            for number in range(begin, end):
                down, right = flat.offsets[views[number]]
                predicted = synthesise_sharply(reference, disparity, (float(down), float(right)))
                motions[number] = motion(flat.views[views[number]].astype(np.float32), predicted, flat.white)

        workers.rows(share, len(views))
    return [motions[number] for number in range(len(views))]


def _without_tilt(motions: list[Motion], offsets: NDArray[np.float64]) -> list[Motion]:
    """Motions without the part caused by a false tilt (a, b) of the map.

    Disparities that are wrong by a·n + b·m move the view at o by o⊗(a, b): half of that looks like angle and growth,
    which the map would follow further with every round. The other half, stretch and shear, determines a and b.
    """
    down, right = offsets.T
    told = np.concatenate([[left.stretch for left in motions], [left.shear for left in motions]])
    makes = 0.5 * np.concatenate([np.stack([down, -right], axis=1), np.stack([right, down], axis=1)])
    a, b = np.linalg.lstsq(makes, told, rcond=None)[0]
    angles, growths = 0.5 * (down * b - right * a), 0.5 * (down * a + right * b)
    return [
        left._replace(angle=left.angle - float(angle), growth=left.growth - float(growth))
        for left, angle, growth in zip(motions, angles, growths, strict=True)
    ]


def _without_disparity(shifts: NDArray[np.float64], lightfield: LightField) -> NDArray[np.float64]:
    """Shifts without their component along the views' offsets, which would change all disparities."""
    used, offsets = shifts[lightfield.present], lightfield.offsets[lightfield.present]
    common = float((used * offsets).sum() / (offsets**2).sum())
    rest = shifts - common * np.nan_to_num(lightfield.offsets)
    return np.where(lightfield.present[..., None], rest, 0.0)


def _others(lightfield: LightField) -> list[tuple[int, int]]:
    """Mask of the present views without the reference view."""
    places = [(int(row), int(column)) for row, column in np.argwhere(lightfield.present)]
    return [place for place in places if place != lightfield.reference]


def _noted(lightfield: LightField, alignment: Alignment, residual: tuple[float, float]) -> LightField:
    views = _others(lightfield)
    shift = np.array([np.hypot(*alignment.shifts[view]) for view in views])
    worst = views[int(np.argmax(shift))]
    turn = max(abs(alignment.angles[view]) for view in views)
    gain = max(float(np.abs(alignment.gains[view] - 1.0).max()) for view in views)
    scale = max(abs(float(alignment.scales[view]) - 1.0) for view in views)
    uneven = "" if alignment.shading is None else f", brightness within views by up to {_spread(alignment.shading)} %"
    note = Note(
        f"views aligned: shifts {np.sqrt((shift**2).mean()):.2f} px on average (rms), {shift.max():.2f} in view "
        f"{worst[0]},{worst[1]}; rotations up to {turn:.2f}°, scales up to {100 * scale:.2f} %, gains up to "
        f"{100 * gain:.1f} %{uneven}; views and a first map differ "
        f"by {residual[1]:.2f} grey levels instead of {residual[0]:.2f}"
    )
    source = lightfield.source
    doubts = {kind: text for kind, text in source.doubts.items() if kind != "shifts" or _still_odd(lightfield)}
    notes = (*source.notes, note)
    return lightfield.replace(source=replace(source, notes=notes, doubts=doubts, alignment=alignment.stored))


def _spread(shading: NDArray[np.float64]) -> int:
    """Percentage by which brightness differs within the views: the 99th percentile."""
    return round(100 * float(np.percentile(np.abs(shading - 1.0), 99)))


def _still_odd(lightfield: LightField) -> bool:
    """Whether a view still does not fit."""
    *_, examination = examine(lightfield)
    return any(odd.kind != "exposure" for odd in examination.odd)
