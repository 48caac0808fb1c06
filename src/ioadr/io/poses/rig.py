"""Turns arbitrary photographs into views of one direction: axes, plane, reference view, focus, selection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.file_places import listed
from ioadr.io.poses.photographs import Floats, Photograph, PosedPhotographs, meeting_point

MOST_TURNED = 30.0
"""Largest angle, degrees, between viewing directions that can share an image plane."""
MOST_TILTED = 12.0
"""Largest tilt, degrees, of the plane of the cameras against the mean viewing direction for use as the image plane."""
UNTURNED = 0.05
"""Angle, degrees, below which photographs count as parallel."""
LOOSE = 0.02
"""Weight of the viewing direction against the plane of the centres, which a line of cameras does not determine."""
FARTHEST_FORWARD = 0.25
"""Largest distance of a view from the plane: this share of the scene's distance, and half of the cameras' extent."""
FARTHEST_APART = 20.0
"""Largest angle, degrees, between neighbouring photographs of a light field, as seen from the scene."""
FEWER_PIXELS = 0.7
"""Number of view pixels per pixel of a photograph below which the photograph is reduced before resampling."""
FEWEST = 3
FEWEST_POINTS = 30
"""Smallest number of points from which a range of depths is computed."""
TAILS = (1.0, 99.0)
"""Percentiles of the points' depths between which the scene lies; a margin is added on both sides."""
ROOM = 0.15


@dataclass(frozen=True, eq=False)
class Rig:
    """Photographs that become views, and their common frame."""

    photographs: Sequence[Photograph]
    axes: Floats
    """Rotation [3, 3] from world to common axes: x right, y down, z away."""
    reference: int
    step: float
    """Distance between neighbouring cameras, in the unit of the poses: one baseline unit."""
    focal: float
    """Focal length of all views, px."""
    inverse_focus: float
    """Inverse of the distance at which the disparity is zero; 0 means infinity."""
    inverse_depths: tuple[float, float] | None
    """Range of the scene's inverse depths from the reference view; None without points."""
    tilt: float
    """Angle, degrees, between the mean viewing direction and the normal of the plane that fits the centres best."""
    points: int = 0
    """Number of points from which the depths were taken."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Photographs left out: name → reason."""

    @cached_property
    def places(self) -> Floats:
        """Positions [V, 3] (x, y, z) relative to the reference view, in the unit of the poses."""
        centres = np.array([taken.centre for taken in self.photographs])
        return np.asarray((centres - centres[self.reference]) @ self.axes.T)

    @property
    def turns(self) -> Floats:
        """Angles [V], degrees, by which each photograph is rotated to the common axes."""
        cosine = [(np.trace(self.axes @ taken.rotation.T) - 1.0) / 2.0 for taken in self.photographs]
        return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))

    @property
    def extent(self) -> float:
        """Longer side of the rectangle that contains all cameras."""
        return float(np.ptp(self.places[:, :2], axis=0).max())

    @property
    def apart(self) -> float:
        """Angle, degrees, between neighbouring photographs, seen from the scene or from the point that all look at."""
        inverse = self.inverse_focus
        if not inverse:
            distance = _meeting_distance(self)
            inverse = 1.0 / distance if distance > 0 else 0.0
        return float(np.degrees(np.arctan(self.step * inverse)))

    def scaled(self, scale: float) -> Rig:
        """The rig with photographs that are reduced when they are read."""
        return replace(self, photographs=[taken.reduced(scale) for taken in self.photographs], focal=self.focal * scale)

    def levelled(self) -> Rig:
        """The rig with reduced photographs, if they have many more pixels than the views: resampling would alias."""
        ratios = [self.focal / float(np.sqrt(np.prod(taken.focal))) for taken in self.photographs]
        pairs = zip(self.photographs, ratios, strict=True)
        return replace(self, photographs=[taken.reduced(r) if r < FEWER_PIXELS else taken for taken, r in pairs])

    def without(self, views: Sequence[int], why: str) -> Rig:
        """The rig without some views, named with the reason."""
        kept = [view for view in range(len(self.photographs)) if view not in views]
        names = tuple((self.photographs[view].name, why) for view in views)
        return replace(
            self,
            photographs=[self.photographs[view] for view in kept],
            reference=kept.index(self.reference),
            left_out=(*self.left_out, *names),
        )


def assembled(posed: PosedPhotographs, reference: int | None = None) -> Rig:
    """The rig of photographs; those that look elsewhere or are too far off the plane are left out."""
    chosen, left_out = _facing(posed.photographs)
    left_out = (*posed.left_out, *left_out)
    _check_count(posed, [posed.photographs[view] for view in chosen])
    photographs = [posed.photographs[view] for view in chosen]
    axes, tilt = common_axes(photographs)
    centres = np.array([taken.centre for taken in photographs]) @ axes.T
    central = _central(centres) if reference is None or reference not in chosen else chosen.index(reference)
    rig = Rig(photographs, axes, central, _step(posed, centres), 1.0, 0.0, None, tilt, left_out=left_out)
    rig = _focused(replace(rig, focal=float(np.median([np.sqrt(np.prod(p.focal)) for p in photographs]))), posed.points)
    forward = np.abs(rig.places[:, 2])
    limit = min(FARTHEST_FORWARD / max(rig.inverse_focus, 1e-30), 2 * FARTHEST_FORWARD * rig.extent)
    rig = rig.without([int(v) for v in np.flatnonzero(forward > limit)], "too far out of the plane of the others")
    _check_count(posed, rig.photographs)
    _check_apart(posed, rig)
    return rig


def _check_apart(posed: PosedPhotographs, rig: Rig) -> None:
    if rig.apart > FARTHEST_APART:
        usable = [taken.name for taken in rig.photographs]
        raise InputError(
            f"{posed.path}: photographs taken all around a scene do not form a light field. "
            f"Of {len(posed.photographs)}, the largest set with similar viewing directions has {len(usable)} "
            f"({listed(usable)}); its neighbours are {rig.apart:.0f}° apart as seen from the scene, "
            f"and at most {FARTHEST_APART:.0f}° can be matched. Take photographs side by side, if possible less than "
            "5° apart."
        )


def _check_count(posed: PosedPhotographs, usable: Sequence[Photograph]) -> None:
    if len(usable) < FEWEST:
        raise InputError(
            f"{posed.path}: only {len(usable)} of {len(posed.photographs)} photographs "
            f"({listed([taken.name for taken in usable])}) have similar viewing directions and lie "
            f"close to one plane; a light field needs {FEWEST}. Take photographs side by side."
        )


def common_axes(photographs: Sequence[Photograph]) -> tuple[Floats, float]:
    """Axes [3, 3], and the angle, degrees, between mean viewing direction and normal of the plane of centres.

    z is the normal of that plane if photographs look roughly along it: only for views in the image plane do points move
    along lines at equal steps. Otherwise it is the mean line of sight.
    """
    gaze = _unit(np.sum([taken.gaze for taken in photographs], axis=0))
    centres = np.array([taken.centre for taken in photographs])
    spread = np.cov(centres.T)
    spread /= max(float(np.linalg.eigvalsh(spread)[-1]), 1e-300)
    normal = _unit(np.linalg.solve(spread + LOOSE**2 * np.eye(3), gaze))
    tilt = float(np.degrees(np.arccos(np.clip(normal @ gaze, -1.0, 1.0))))
    away = normal if tilt <= MOST_TILTED else gaze
    # Cameras that look along it already need not be turned by what rounding leaves of the fit.
    own = _unit(np.sum([taken.rotation[2] for taken in photographs], axis=0))
    away = own if own @ away > np.cos(np.radians(UNTURNED)) else away
    right = np.sum([taken.rotation[0] for taken in photographs], axis=0)
    right = _unit(right - (right @ away) * away)
    return np.stack([right, np.cross(away, right), away]), tilt


def _facing(photographs: Sequence[Photograph]) -> tuple[list[int], tuple[tuple[str, str], ...]]:
    """The largest set of photographs that look in about the same direction, and the names of the others."""
    gazes = np.array([taken.gaze for taken in photographs])
    upward = np.array([taken.rotation[0] for taken in photographs])
    least = np.cos(np.radians(MOST_TURNED))
    facing = gazes @ gazes.T >= least
    alike = facing & (upward @ upward.T >= 0.5)
    # Of seeds with equally many, the one in their middle.
    seed = int(np.argmax(alike.sum(axis=1) + 0.5 * (gazes @ gazes.T).mean(axis=1)))
    chosen = [int(view) for view in np.flatnonzero(alike[seed])]
    why = {True: "turned on their side", False: "looking elsewhere"}
    others = ((photographs[int(v)].name, why[bool(facing[seed, v])]) for v in np.flatnonzero(~alike[seed]))
    return chosen, tuple(others)


def _central(centres: Floats) -> int:
    """The view nearest to the middle, seen along the axis."""
    middle = 0.5 * (centres.min(axis=0) + centres.max(axis=0))
    return int(np.argmin(np.linalg.norm((centres - middle)[:, :2], axis=1)))


def _step(posed: PosedPhotographs, centres: Floats) -> float:
    """Median distance from a camera to the nearest other one."""
    apart = np.linalg.norm(centres[:, None, :2] - centres[None, :, :2], axis=-1)
    np.fill_diagonal(apart, np.inf)
    step = float(np.median(apart.min(axis=1)))
    if not step > 0:
        raise InputError(f"{posed.path}: the photographs were taken from the same place. Take them side by side.")
    return step


def _focused(rig: Rig, points: Floats) -> Rig:
    """The rig with depths from the scene's points, focused in their middle."""
    taken = rig.photographs[rig.reference]
    local = points @ taken.rotation.T + taken.translation
    visible = taken.holds(taken.pixels(local)) if len(points) else np.zeros(0, bool)
    depth = ((points - taken.centre) @ rig.axes[2])[visible]
    depth = depth[depth > 0]
    if len(depth) >= FEWEST_POINTS:
        low, high = (float(value) for value in np.percentile(1.0 / depth, TAILS))
        room = ROOM * (high - low)
        low, high = max(low - room, 0.0), high + room
        rig = replace(rig, inverse_focus=0.5 * (low + high), inverse_depths=(low, high), points=len(depth))
    return _kept_focus(rig)


def _kept_focus(rig: Rig) -> Rig:
    """The focus of parallel cameras with shifted sensors; keeping it leaves their pixels in place."""
    distance = _meeting_distance(rig)
    return replace(rig, inverse_focus=1.0 / distance) if distance > 0 and rig.turns.max() < UNTURNED else rig


def _meeting_distance(rig: Rig) -> float:
    """Distance from the reference view to where all photographs look; 0 if they are parallel."""
    met = meeting_point(
        np.array([taken.centre for taken in rig.photographs]), np.array([taken.gaze for taken in rig.photographs])
    )
    return 0.0 if met is None else float((met - rig.photographs[rig.reference].centre) @ rig.axes[2])


def _unit(vector: Any) -> NDArray[np.float64]:
    return np.asarray(vector / np.linalg.norm(vector))
