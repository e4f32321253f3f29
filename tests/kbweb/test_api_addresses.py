"""Every address below `/api/v1/` is accepted with a trailing slash, and means the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, resolve, reverse

VALUES = {"slug": "kernelbench/level1/19_ReLU", "op": "kernelbench/level1/19_ReLU", "name": "trace.json"}
PLAIN = {"api-competition", "api-competition-standings", "api-group"}
"""Whose slugs hold no slash."""


def routes(resolver: URLResolver, below: str = "") -> Iterator[URLPattern]:
    for each in resolver.url_patterns:
        prefix = below + str(each.pattern)
        if isinstance(each, URLResolver):
            yield from routes(each, prefix)
        elif prefix.startswith("api/v1/"):
            yield each


ROUTES = {str(route.name): list(route.pattern.regex.groupindex) for route in routes(get_resolver())}


@pytest.mark.parametrize("name", ROUTES)
def test_a_trailing_slash_is_accepted_and_never_needed(name: str) -> None:
    given = {key: "softmax" if name in PLAIN else VALUES.get(key, "abc") for key in ROUTES[name]}

    path = reverse(name, kwargs=given)

    assert not path.endswith("/")
    plain, slashed = resolve(path), resolve(f"{path}/")
    assert (plain.url_name, plain.kwargs) == (name, given)
    assert (slashed.url_name, slashed.kwargs) == (name, given)


def test_there_are_routes_of_both_apps() -> None:
    assert {"api-submissions", "api-ops", "api-leaderboard"} <= set(ROUTES)
