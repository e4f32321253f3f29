"""What is costly to make of texts and often asked for: each process keeps the last of it, by the hash of what it was made of."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TypeVar

from django.core.cache import caches

Made = TypeVar("Made")
KEPT_S = 24 * 3600
ABSENT = object()


def kept(kind: str, texts: tuple[str, ...], make: Callable[[], Made], *, small: Callable[[Made], bool] = lambda made: True) -> Made:
    """What `make` makes of `texts`. `kind` names the way; what is not `small` is made anew each time."""
    cache = caches["rendered"]
    key = f"{kind}-{'-'.join(hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest() for text in texts)}"
    found: Made | object = cache.get(key, ABSENT)
    if found is not ABSENT:
        return found  # type: ignore[return-value]
    made = make()
    if small(made):
        cache.set(key, made, KEPT_S)
    return made
