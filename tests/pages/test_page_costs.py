"""What each page costs: queries, time of the server, bytes of HTML and of JavaScript. `make pages` prints the table."""

from __future__ import annotations

import gzip
import os
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard import catalogue
from tests.pages.conftest import signed_in
from tests.pages.scripts import gzipped, shipped
from tests.site_pages import PAGES, Page, Samples

TABLE = Path(__file__).parents[2] / "test-results" / "pages.txt"
MOST_SCRIPT = 60 * 1024
RUNS = int(os.environ.get("PAGES_RUNS", "1"))
"""Timed requests of a page. `make pages` asks for more: its table is read for the times."""


@dataclass(frozen=True, slots=True)
class Cost:
    page: Page
    path: str
    queries: int
    median_ms: float
    html_bytes: int
    script_bytes: int

    def line(self) -> str:
        kib = f"{self.html_bytes / 1024:8.1f} {self.script_bytes / 1024:8.1f}"
        return f"{self.page.name:22} {self.page.who:8} {self.queries:4d} of {self.page.queries:3d} {self.median_ms:8.1f} {kib}  {self.path}"


@pytest.fixture
def costs(client: Client, alice: User, charlie: User, full_site: Samples) -> list[Cost]:
    """Over the whole catalogue; the first request of each page fills caches and is not counted."""
    catalogue.load()
    clients = {"visitor": client, "author": signed_in(alice), "staff": signed_in(charlie)}
    return [_cost(clients[page.who], page, page.at(full_site)) for page in PAGES]


def test_no_page_asks_too_often_or_ships_too_much(costs: list[Cost]) -> None:
    TABLE.parent.mkdir(exist_ok=True)
    head = f"{'page':22} {'as':8} {'queries':>11} {'ms':>8} {'HTML KiB':>8} {'JS KiB':>8}  address\n"
    TABLE.write_text(head + "".join(cost.line() + "\n" for cost in sorted(costs, key=lambda cost: -cost.median_ms)))

    assert not {cost.path: cost.queries for cost in costs if cost.queries > cost.page.queries}
    assert not {cost.path: cost.script_bytes for cost in costs if cost.script_bytes > MOST_SCRIPT and not cost.page.editor}
    assert all(cost.script_bytes for cost in costs)


def _cost(client: Client, page: Page, path: str) -> Cost:
    client.get(path)
    with CaptureQueriesContext(connection) as seen:
        html = client.get(path).content
    queries = len(seen)  # before the next request, which empties the log
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        client.get(path)
        times.append((time.perf_counter() - start) * 1e3)
    return Cost(page, path, queries, statistics.median(times), len(gzip.compress(html, 6)), gzipped(shipped(html.decode())))
