"""What somebody may have meant by an address at which there is nothing."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from django.urls import reverse

from kbweb.docs.shelf import DOCS
from leaderboard.alike import MOST, alike
from leaderboard.models import Device, Op
from submissions.access import Reader, is_staff, visible_evaluations, visible_submissions

LONGEST = 300
ANY_GPU = ("gpu", "cuda", "nvidia")
ID = re.compile(r"[2-9a-z]{4,12}")
PAGES = {
    "compare": "compare diff versus",
    "competitions": "competitions competition contests contest events challenges",
    "docs": "docs help faq documentation guide manual",
    "feed": "feed recent activity evaluations",
    "groups": "groups group teams team members",
    "home": "home index",
    "account": "account settings export",
    "me": "me profile",
    "moderation": "moderation moderate review",
    "ops": "ops op kernels problems leaderboard leaderboards boards board catalogue",
    "results": "results suites suite figures scores",
    "rules": "rules",
    "runs": "runs run tags benchmarks",
    "status": "status queue workers health",
    "tokens": "tokens token keys",
    "webhooks": "webhooks webhook hooks",
    "submit": "submit upload new hand-in",
    "api-docs": "api swagger openapi redoc",
    "account_login": "login signin sign-in",
    "account_signup": "signup register sign-up join",
    "account_logout": "logout signout sign-out",
}
"""Pages by their URL names, with the words that people try for them."""
FOR_STAFF = ("moderation",)
"""Pages that do not exist for others."""


@dataclass(frozen=True, slots=True)
class Near:
    """An address that exists, and how it is called."""

    address: str
    label: str


def near(path: str, reader: Reader) -> tuple[Near, ...]:
    """Up to five pages that `path` may mean, the likeliest first: ops, boards, submissions that `reader` may see, documents, pages."""
    words = [word for word in unquote(path[:LONGEST]).replace("\0", "").split("/") if word]
    if not words:
        return ()
    found: dict[str, Near] = {}
    for one in _candidates(words, reader):
        found.setdefault(one.address, one)
    return tuple(found.values())[:MOST]


def _candidates(words: list[str], reader: Reader) -> Iterator[Near]:
    head, rest = words[0].lower(), words[1:]
    if head == "s" and rest:
        yield from _submissions(rest[0], reader)
    elif head == "docs" and rest:
        yield from _documents(rest[0])
    elif rest and head in PAGES["ops"].split():
        yield from _ops(rest)
    else:
        yield from _pages(head, reader)
        yield from _ops(words)
        yield from _documents(words[0])


def _ops(words: list[str]) -> Iterator[Near]:
    """Ops like all words, or boards of ops like the words before one that is, or looks like, a device."""
    words = words[: words.index("starters")] if "starters" in words else words
    slugs = list(Op.objects.active().values_list("pk", flat=True))
    whole = "/".join(words)
    if whole in slugs:
        yield Near(reverse("op", args=[whole]), f"the op {whole}")
    if len(words) > 1:
        yield from _boards("/".join(words[:-1]), words[-1], slugs)
    yield from (Near(reverse("op", args=[slug]), f"the op {slug}") for slug in alike(whole, slugs))


def _boards(op: str, device: str, slugs: list[str]) -> Iterator[Near]:
    """Boards of the likeliest op: those of devices like `device`, else all of an op that was named right."""
    titles = dict(Device.objects.filter(active=True).values_list("pk", "title"))
    meant = [pk for pk in titles if pk != "cpu"] if device.lower() in ANY_GPU else alike(device, titles)
    for slug in [op] if op in slugs else alike(op, slugs)[:2]:
        for chosen in meant or (titles if slug == op else ()):
            yield Near(reverse("board", args=[slug, chosen]), f"the board of {slug} on {titles[chosen]}")
        yield Near(reverse("op", args=[slug]), f"the op {slug}")


def _submissions(asked: str, reader: Reader) -> Iterator[Near]:
    """By the beginning of an id, in any case and with what was copied around it, and by the id of an evaluation."""
    match = ID.search(asked.lower())
    if match is None:
        return
    for submission in visible_submissions(reader).filter(pk__startswith=match[0]).values("pk", "op")[:3]:
        yield Near(reverse("submission", args=[submission["pk"]]), f"submission {submission['pk']} for {submission['op']}")
    for pk, of, op in visible_evaluations(reader).filter(pk__startswith=match[0]).values_list("pk", "submission_id", "op")[:3]:
        yield Near(f"{reverse('submission', args=[of])}?evaluation={pk}", f"evaluation {pk} for {op}")


def _documents(word: str) -> Iterator[Near]:
    yield from (Near(DOCS[name].address, f"{DOCS[name].label}, in the docs") for name in alike(word.removesuffix(".md"), DOCS))


def _pages(word: str, reader: Reader) -> Iterator[Near]:
    there = {name: aliases for name, aliases in PAGES.items() if name not in FOR_STAFF or is_staff(reader)}
    tried = {alias: name for name, aliases in there.items() for alias in aliases.split()}
    for alias in difflib.get_close_matches(word, tried, n=2, cutoff=0.75):
        address = reverse(tried[alias])
        yield Near(address, f"the page {address}")
