"""What every refusal has in common."""

from __future__ import annotations

FEWEST_WORDS = 4


def explains(message: str) -> bool:
    """One paragraph of words that ends as a sentence does, not the bare name of an error."""
    return "\n" not in message and len(message.split()) >= FEWEST_WORDS and message.endswith((".", "?", ")", "'"))
