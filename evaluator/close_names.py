"""What to say to a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 100
"""Characters of the longest name that is compared with those that are known: comparing costs the square of it."""


def alike(given: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known names that look like the one given, the likeliest first; none where that is longer than any name."""
    return tuple(get_close_matches(given, list(known))) if len(given) <= LONGEST else ()


def did_you_mean(close: Iterable[str]) -> str:
    """A sentence, with a space before it, that offers names; "" without any."""
    names = ", ".join(close)
    return f" Did you mean {names}?" if names else ""


def close_to(given: str, known: Iterable[str]) -> str:
    """The same for those of the known names that look like the one given."""
    return did_you_mean(alike(given, known))
