"""Plain twin of `cost.sight` and `cost.coverage` (beyond the paper): what covers a pixel beside a jump."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.parameters import Coverage
from tests.reference.geometry import View, project, reference_index

Colour = NDArray[np.float64]
Pixel = tuple[int, int]
Place = tuple[float, float]
STEPS = np.linspace(0, 1, 33)


class Scene:
    """A map, the views, and the units that the parameters have for them."""

    def __init__(
        self,
        views: list[View],
        disparity: NDArray[Any],
        term: Coverage,
        slack: float,
        slopes: NDArray[Any] | None = None,
    ) -> None:
        self.slopes = np.zeros((2, *disparity.shape)) if slopes is None else slopes
        self.views, self.disparity, self.term, self.slack = views, disparity.astype(np.float64), term, slack
        reach = max(max(abs(view.offset[0]), abs(view.offset[1])) for view in views)
        self.jump, self.misplaced = 1.0 / reach, 0.2 / reach
        self.fewest = max(4, round(0.1 * len(views)))
        self.reference = views[reference_index(views)].image

    def light(self, image: Colour, y: float, x: float) -> Colour | None:
        """Linear light between pixels; None outside."""
        height, width = self.disparity.shape
        if not (-self.slack <= y <= height - 1 + self.slack and -self.slack <= x <= width - 1 + self.slack):
            return None
        y, x = min(max(y, 0.0), height - 1.0), min(max(x, 0.0), width - 1.0)
        total = np.zeros(3)
        for i, j in product((math.floor(y), math.floor(y) + 1), (math.floor(x), math.floor(x) + 1)):
            weight = max(0.0, 1 - abs(y - i)) * max(0.0, 1 - abs(x - j))
            total += weight * self.of(image[min(i, height - 1), min(j, width - 1)])
        return total

    def of(self, samples: Colour) -> Colour:
        return 255 * (np.asarray(samples) / 255) ** self.term.gamma

    def sides(self, p: Pixel) -> tuple[float, float, float] | None:
        """(near, far, middle) beside a jump."""
        height, width = self.disparity.shape
        around = [(p[0] + y, p[1] + x) for y, x in product((-1, 0, 1), (-1, 0, 1))]
        around = [q for q in around if 0 <= q[0] < height and 0 <= q[1] < width]
        values = [self.disparity[q] for q in around]
        if max(values) - min(values) < self.jump + self.slack:
            return None
        own, middle = self.disparity[p], (max(values) + min(values)) / 2
        others = [q for q in around if (self.disparity[q] >= middle) != (own >= middle)]
        distance = min(math.dist(p, q) for q in others)
        nearest = [q for q in others if math.dist(p, q) == distance]
        other = float(np.mean([self.disparity[q] for q in nearest]))
        if own < middle:
            falls = [self.slopes[:, q[0], q[1]] @ np.subtract(p, q) for q in nearest]
            other = max(other + float(np.mean(falls)), middle)
        return max(own, other), min(own, other), middle

    def is_free(self, y: float, x: float, middle: float, radius: int) -> bool:
        """Whether nothing near is within a disc around the pixel nearest to (y, x)."""
        height, width = self.disparity.shape
        i = min(max(math.floor(y + 0.5 + self.slack), 0), height - 1)
        j = min(max(math.floor(x + 0.5 + self.slack), 0), width - 1)
        reach = range(-radius, radius + 1)
        disc = [(i + y, j + x) for y, x in product(reach, reach) if y * y + x * x <= radius * radius]
        return max(self.disparity[min(max(a, 0), height - 1), min(max(b, 0), width - 1)] for a, b in disc) < middle

    def background(
        self, p: tuple[float, float], v: int, near: float, far: float, middle: float, radius: int
    ) -> list[Colour]:
        """What the two nearest views that see it freely show of the background behind p in view v."""
        found: list[Colour] = []
        step, here = near - far, self.views[v].offset
        y0, x0 = project(*p, step, here)
        order = [(round(math.dist(here, view.offset) ** 2, 6), w) for w, view in enumerate(self.views) if w != v]
        for _, w in sorted(order):
            there = self.views[w].offset
            if self.is_free(y0 + step * there[0], x0 + step * there[1], middle, radius):
                light = self.light(self.views[w].image, y0 - far * there[0], x0 - far * there[1])
                found += [] if light is None else [light]
            if len(found) == 2:
                break
        return found

    def look(self, p: Pixel, near: float, far: float, middle: float, radius: int) -> list[tuple[Any, ...]]:
        """(view, I, b₁, b₂) of all views that show the pixel and its background."""
        found = []
        for v, view in enumerate(self.views):
            moved = (near - far) * math.hypot(*view.offset)
            light = self.light(view.image, *project(*p, near, view.offset))
            if moved <= 8.0 + self.slack and light is not None:
                behind = self.background(p, v, near, far, middle, radius)
                if len(behind) == 2:
                    found.append((v, light, *behind))
        return found

    def near_colour(self, p: Pixel, near: float, middle: float) -> tuple[Colour, float] | None:
        """F at p and its variance, by a weighted plane through the colours of the near surface."""
        height, width = self.disparity.shape
        weights, places, colours = [], [], []
        for y, x in product(range(-4, 5), range(-4, 5)):
            q = p[0] + y, p[1] + x
            cross = [q, (q[0] + 1, q[1]), (q[0] - 1, q[1]), (q[0], q[1] + 1), (q[0], q[1] - 1)]
            inside = [r for r in cross if 0 <= r[0] < height and 0 <= r[1] < width]
            if (y, x) == (0, 0) or q not in inside or abs(self.disparity[q] - near) >= self.jump + self.slack:
                continue
            if all(self.disparity[r] >= middle for r in inside):
                weights.append((y * y + x * x) ** -2.0)
                places.append((y, x))
                colours.append(self.of(self.reference[q]))
        if not weights:
            return None
        w, o, c = np.array(weights) / np.sum(weights), np.array(places, float), np.array(colours)
        centre, mean = w @ o, w @ c
        gradient = np.linalg.solve(
            (o - centre).T * w @ (o - centre) + 0.15 * np.eye(2), (o - centre).T * w @ (c - mean)
        )
        left = c - mean - (o - centre) @ gradient
        return mean - centre @ gradient, float((w @ left**2).mean())


def covered(scene: Scene, p: Pixel) -> list[float]:
    """[near, far, middle, a, U, F is known] of a pixel; NaN where there is no jump, or too few views to tell."""
    met = scene.sides(p)
    if met is None:
        return [math.nan] * 6
    near, far, middle = met
    sights = next((s for r in (2, 1) if len(s := scene.look(p, near, far, middle, r)) >= scene.fewest), None)
    if sights is None:
        return [*met, math.nan, math.nan, math.nan]
    seen, first, second = (np.array([sight[i] for sight in sights]) for i in (1, 2, 3))
    behind, count = (first + second) / 2, len(sights)
    place = np.array([scene.views[sight[0]].offset for sight in sights])
    block = scene.reference[max(p[0] - 1, 0) : p[0] + 2, max(p[1] - 1, 0) : p[1] + 2]
    scale = scene.term.gamma * (block.max() / 255 + 0.02) ** (scene.term.gamma - 1)
    noise, share = (0.7 * scale) ** 2, min(40 / count, 1.0)
    spread = float(((first - second) ** 2).mean()) / 4
    ratio = spread / (2 * spread + noise)
    colour = scene.near_colour(p, near, middle)
    contrast = math.sqrt(((colour[0] - behind.mean(axis=0)) ** 2).mean()) if colour else 0.0
    ridge = noise / ((scene.misplaced * (contrast + 10 * scale)) ** 2 * share)
    misfits = [_misfit(seen - s * behind, place, ridge) / (1 + ratio * s * s) for s in 1 - STEPS]
    left = min(misfits) / (3 * count)
    energies = share * np.array(misfits) / (noise + left)
    if colour:
        at = [i for i, sight in enumerate(sights) if scene.views[sight[0]].image is scene.reference]
        pure = [seen.mean(axis=0), behind.mean(axis=0)]
        single = [seen[at[0]], behind[at[0]]] if at else pure
        for k, a in enumerate(STEPS):
            wrong = (pure[0] + single[0] - (1 - a) * (pure[1] + single[1])) / 2 - a * colour[0]
            variance = (2.5 * scale) ** 2 + left + a * a * (colour[1] + (3 * scale) ** 2)
            energies[k] += wrong @ wrong / variance + 3 * math.log(variance)
    likeliest = STEPS[np.argmin(energies + scene.slack * np.arange(33))]
    return [*met, likeliest, energies[:16].min() - energies[16:].min(), float(colour is not None)]


def _misfit(values: NDArray[np.float64], place: NDArray[np.float64], ridge: float) -> float:
    """Squares about the mean that a ridge regression on the views' positions leaves."""
    values, place = values - values.mean(axis=0), place - place.mean(axis=0)
    explained = np.linalg.solve(place.T @ place + ridge * np.eye(2), place.T @ values)
    return float((values**2).sum() - (values * (place @ explained)).sum())
