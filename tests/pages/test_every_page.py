"""What holds for every page: one h1, a title, landmarks, labels, nothing inline, a strict CSP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tests.pages.conftest import signed_in
from tests.pages.markup import Markup, faults
from tests.site_pages import NOT_PAGES, PAGES, Page, Samples

QUERIES_A_PATH = 3
"""Of the links to one path that differ in their queries, so many are followed."""


@pytest.fixture
def clients(client: Client, alice: User, charlie: User) -> dict[str, Client]:
    """Who looks at pages."""
    return {"visitor": client, "author": signed_in(alice), "staff": signed_in(charlie)}


def patterns(resolver: URLResolver, before: str = "") -> Iterator[tuple[str, str]]:
    """Name and address of every pattern."""
    for one in resolver.url_patterns:
        address = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from patterns(one, address)
        elif isinstance(one, URLPattern):
            yield one.name or "", address


def test_every_address_is_a_page_or_said_to_be_none() -> None:
    old = "accounts/social/"  # allauth's former addresses, which lead to today's and have no names
    there = {name for name, address in patterns(get_resolver()) if not address.startswith(("api/v1/", old))}
    listed = {page.pattern for page in PAGES if page.pattern}

    assert not there - listed - set(NOT_PAGES), "tests/site_pages.py must list them: in PAGES, or in NOT_PAGES with the reason"
    assert not (listed | set(NOT_PAGES)) - there, "these are listed and have no address"
    assert not listed & set(NOT_PAGES)
    assert len({page.name for page in PAGES}) == len(PAGES)


def test_every_page_is_whole(clients: dict[str, Client], full_site: Samples) -> None:
    assert not {page.path: wrong for page in PAGES if (wrong := _wrong(clients[page.who], page, full_site))}


def test_every_page_is_whole_for_someone_signed_in(clients: dict[str, Client], full_site: Samples) -> None:
    visited = [page for page in PAGES if page.who == "visitor" and not page.path.startswith("/accounts/")]

    assert not {page.path: wrong for page in visited if (wrong := _wrong(clients["author"], page, full_site))}


def _wrong(client: Client, page: Page, samples: Samples) -> list[str]:
    answer = client.get(page.at(samples))
    found = faults(answer.content.decode())
    return found if answer.status_code == page.status else [f"status {answer.status_code}", *found]


def test_pages_carry_a_strict_policy(client: Client) -> None:
    policy = client.get("/").headers["Content-Security-Policy"]

    assert "script-src 'self'" in policy
    assert "style-src 'self'" in policy
    assert "unsafe" not in policy


def test_every_internal_link_answers(clients: dict[str, Client], full_site: Samples) -> None:
    """Anchors, too: what a link names on a page must be there. Staff see everything but what is an author's own."""
    own = {page.at(full_site) for page in PAGES if page.who == "author"}
    ids: dict[str, set[str]] = {}
    named: set[tuple[str, str]] = set()
    broken = []
    waiting = [*(page.at(full_site) for page in PAGES if page.status == 200), "/readyz"]  # from the end: while the worker's sign is fresh
    asked: Counter[str] = Counter()
    while waiting:
        path, _, anchor = waiting.pop().partition("#")
        named.add((path, anchor))
        view = path.partition("?")[0]
        if not path.startswith("/") or path in ids or asked[view] >= QUERIES_A_PATH:
            continue
        asked[view] += 1
        ids[path] = set()
        answer = clients["author" if path in own else "staff"].get(path)
        if answer.status_code >= 400:
            broken.append((path, str(answer.status_code)))
        if answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html") and len(ids) < 700:
            page = Markup(answer.content.decode())
            ids[path] = set(page.ids)
            waiting += [_absolute(link, path) for link in page.links if not link.startswith("http")]

    assert not broken
    assert not [f"{path}#{anchor}" for path, anchor in named if anchor and ids.get(path) and anchor not in ids[path]]
    assert len(ids) > 150


def _absolute(link: str, path: str) -> str:
    if link.startswith("#"):
        return path + link
    return link if link.startswith("/") else path.partition("?")[0] + link
