"""Grey levels of samples: white is 255; low contrast may be stretched (beyond the paper, decision 24)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ioadr.errors import Note

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ioadr.part import Part

WHITE = 255.0
"""Grey level of full white."""


FEWEST_STEPS = 16
"""Steps of whole numbers between the darkest and the brightest sample, below which stretching shows little but their
rounding."""


class Tones(NamedTuple):
    """The line that turns samples into grey levels: offset + gain · sample."""

    offset: float
    gain: float


def tones_of(image: NDArray[Any], white: float, part: Part, least_span: float) -> Tones:
    """Tones of a light field with this reference view [N, M, C]: it spans at least `least_span` grey levels.

    If it spans less, all samples are multiplied, as by a longer exposure, and moved down if that exceeds white. A part
    of a larger image is not stretched, so that parts fit together.
    """
    gain, darkest, brightest = WHITE / white, float(image.min()), float(image.max())
    fewest = FEWEST_STEPS if image.dtype.kind == "u" else 0.0
    if not (part.is_whole and fewest < brightest - darkest < least_span / gain):
        return Tones(0.0, gain)
    darkest, brightest = gain * darkest, gain * brightest
    stretch = least_span / (brightest - darkest)
    return Tones(min(0.0, WHITE - stretch * brightest), stretch * gain)


def mean_of_channels(image: NDArray[Any], dtype: type[Any]) -> NDArray[Any]:
    """Mean over the last axis [...], computed in a type of real numbers; numpy is slow over so short an axis."""
    total = image[..., 0].astype(dtype)
    for channel in range(1, image.shape[-1]):
        total += image[..., channel]
    total /= dtype(image.shape[-1])
    return total


def stretch_notes(tones: Tones, white: float) -> tuple[Note, ...]:
    """Says that contrast is stretched, if it is, and how to keep it."""
    stretch = tones.gain * white / WHITE
    if stretch <= 1.0:
        return ()
    return (Note(f"low contrast is stretched {stretch:.1f} times (⟦set data.least_span=0⟧ keeps it)"),)
