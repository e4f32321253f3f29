"""What somebody may have meant by a name that is none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MOST = 5


def alike(word: str, names: Iterable[str]) -> list[str]:
    """Names that look like the word, then those that hold it."""
    low = {name.lower(): name for name in names}
    close = difflib.get_close_matches(word.lower(), low, n=MOST, cutoff=0.6)
    holding = sorted((name for name in low if len(word) > 2 and word.lower() in name), key=len)
    return [low[name] for name in dict.fromkeys((*close, *holding))][:MOST]
