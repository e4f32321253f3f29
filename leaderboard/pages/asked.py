"""What a reader asked for in the address: filters that survive without scripts and keep each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.http import HttpRequest
from django.utils.http import urlencode

LONGEST = 150


def asked_for(request: HttpRequest, names: Iterable[str], known: Mapping[str, Iterable[str]] | None = None) -> dict[str, str]:
    """The named parameters, trimmed; one that is not among its `known` values counts as not given."""
    found = {name: request.GET.get(name, "").replace("\0", "").strip()[:LONGEST] for name in names}
    return {name: value if known is None or name not in known or value in known[name] else "" for name, value in found.items()}


def query(asked: Mapping[str, str], **instead: str | int) -> str:
    """The filters as a query string, some of them changed; empty ones are left out."""
    return urlencode({name: value for name, value in {**asked, **instead}.items() if value})
