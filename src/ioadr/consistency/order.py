"""The verdict on the order of views: correct, certainly wrong, or undecided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ioadr.consistency import occlusion
from ioadr.consistency.arrangement import Arrangement, Matches, matched, rearranged
from ioadr.consistency.matching import Pictures
from ioadr.consistency.significance import NOTHING, Finding

Outcome = Literal["agrees", "wrong", "unknown"]
FINEST = 512
"""Longest side of the stored pictures, px."""


@dataclass(frozen=True)
class Order:
    """The order of views, as determined from the views themselves."""

    upright: Finding
    """Points move along image rows from one grid column to the next; otherwise the grid is transposed."""
    alike: Finding
    """Points move in the same direction along both axes; otherwise one axis is reversed."""
    near: Finding
    """Near surfaces hide far ones, after correcting the two above with the rows as the reversed axis."""
    line: bool = False
    """All views are in one line: only `upright` and `near` can be tested."""
    blocks: bool = False
    """Edges of JPEG blocks stand out: they would be mistaken for near surfaces, so `near` was not tested."""

    @property
    def transposed(self) -> bool | None:
        """Whether rows and columns are swapped; None means undecided, here and below."""
        return None if self.upright.holds is None else not self.upright.holds

    @property
    def mirrored(self) -> bool | None:
        """Whether one of the two axes is reversed."""
        if self.line:
            return False
        return None if self.alike.holds is None else not self.alike.holds

    @property
    def flips(self) -> tuple[bool, bool] | None:
        """Whether rows and columns of views must be reversed, after transposing."""
        if self.transposed is None or self.mirrored is None or self.near.holds is None:
            return None
        backwards = not self.near.holds
        return self.mirrored != backwards, backwards

    @property
    def words(self) -> str:
        """The verdict in a line."""
        if self.transposed is None:
            return "too little texture, parallax or light, or too few views"
        parts = ["the grid is transposed"] if self.transposed else []
        if self.flips is not None:
            names = [name for name, flip in zip(("rows", "columns"), self.flips, strict=True) if flip]
            parts += [f"{' and '.join(names)} are in reverse order"] if names else []
        elif self.mirrored:
            parts.append("either rows or columns are in reverse order")
        elif self.mirrored is None:
            parts.append("it is unclear whether rows and columns agree")
        else:
            parts.append("near and far cannot be distinguished")
        return ", ".join(parts) or "the views confirm this order"

    @property
    def outcome(self) -> Outcome:
        if self.transposed or self.mirrored or self.flips == (True, True):
            return "wrong"
        return "unknown" if self.flips is None else "agrees"


NOT_JUDGED = Order(NOTHING, NOTHING, NOTHING)


def judged(pictures: Pictures) -> Order:
    """The order of the pictures, the first of which is the reference view."""
    line = bool((np.abs(pictures.offsets).max(axis=0, initial=0.0) < 1e-9).any())
    crossing = pictures.chosen(outermost(pictures))
    if len(crossing.images) < 3 or min(pictures.images.shape[1:]) < 16:
        return Order(NOTHING, NOTHING, NOTHING, line)
    matches = matched(crossing)
    upright, alike = _matching(matches)
    near = _near(pictures.with_offsets(rearranged(pictures.offsets, matches.best)), matches)
    return Order(upright, alike, near, line)


def outermost(pictures: Pictures) -> NDArray[np.bool_]:
    """[V]: the farthest view on each side of each axis."""
    chosen = np.zeros(len(pictures.images), bool)
    for axis in (0, 1):
        for sign in (-1.0, 1.0):
            away = np.where(pictures.axial, sign * pictures.directions[:, axis], 0.0)
            chosen[int(away.argmax())] |= away.max() > 0.05
    return chosen


def _matching(matches: Matches) -> tuple[Finding, Finding]:
    """The best arrangement, compared with the better rival of each kind."""
    transposed, mirrored = matches.best
    rivals: list[Arrangement] = [(not transposed, True), (not transposed, False)]
    sure = min((matches.compared(matches.best, rival) for rival in rivals if rival in matches.costs), key=_score)
    upright = Finding(-sure.score, sure.chance, sure.votes) if transposed else sure
    other = matches.compared(matches.best, (transposed, not mirrored))
    return upright, Finding(-other.score, other.chance, other.votes) if mirrored else other


def _score(finding: Finding) -> float:
    return finding.score


def _near(pictures: Pictures, matches: Matches) -> Finding:
    """Test occlusion in pictures as fine as their shifts allow."""
    low, high = matches.limits()
    finest = max(pictures.images.shape[1:])
    size = finest // -(-finest // matches.longest)
    for factor in range(1, finest + 1):
        longest = -(-finest // factor)
        scale = longest / size
        if (high - low) * scale <= occlusion.WIDEST or longest <= size // 2:
            break
    fine = pictures.cropped(occlusion.LONGEST * factor).reduced(min(longest, occlusion.LONGEST))
    return occlusion.nearer_hides(fine, low * scale, high * scale)
