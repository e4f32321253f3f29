"""The page goes on where it was: the web process dies, the database restarts, the network goes away."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import JUDGED_MS, example
from tests.live_site import LiveSite, live_site

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("reconnect")]


@pytest.fixture(scope="module")
def own_site() -> Iterator[LiveSite]:
    with live_site(KB_DEVICES="cpu") as running:
        yield running


@pytest.fixture
def page(browser: Browser, own_site: LiveSite) -> Iterator[Page]:
    context = browser.new_context(base_url=own_site.url)
    yield context.new_page()
    context.close()


def submit(site: LiveSite, mark: str) -> str:
    with site.client() as client:
        source = example("softmax_triton.py") + f"\n# {mark}\n"
        answer = client.post("submissions", json={"op": "softmax", "source": source, "device": "cpu"})
    return str(answer.json()["id"])


def open_live(page: Page, path: str) -> None:
    page.goto(path)
    expect(page.locator("[data-live-state=live]")).to_be_attached()
    page.evaluate("window.stillHere = true")


def test_the_web_process_dies_and_the_page_goes_on(page: Page, own_site: LiveSite) -> None:
    submission = submit(own_site, "web dies")
    open_live(page, f"/s/{submission}/")

    os.kill(own_site.children()["web"], signal.SIGKILL)

    expect(page.locator("#verdict h2")).to_have_text("Accepted", timeout=JUDGED_MS)
    assert page.evaluate("window.stillHere")


def test_the_database_restarts_and_the_page_goes_on(page: Page, own_site: LiveSite) -> None:
    submission = submit(own_site, "database restarts")
    open_live(page, f"/s/{submission}/")

    own_site.restart_postgres()

    expect(page.locator("#verdict h2")).to_have_text("Accepted", timeout=JUDGED_MS)
    assert page.evaluate("window.stillHere")
    with own_site.client() as client:
        (evaluation,) = client.get(f"submissions/{submission}").json()["evaluations"]
    assert evaluation["verdict"] == "accepted"


def test_offline_for_a_while(page: Page, own_site: LiveSite) -> None:
    submission = submit(own_site, "offline")
    open_live(page, f"/s/{submission}/")

    page.context.set_offline(True)
    own_site.until(lambda: done(own_site, submission), "it is judged", within_s=120)
    page.context.set_offline(False)

    expect(page.locator("#verdict h2")).to_have_text("Accepted", timeout=30_000)
    assert page.evaluate("window.stillHere")


def done(site: LiveSite, submission: str) -> bool:
    with site.client() as client:
        return all(evaluation["state"] == "done" for evaluation in client.get(f"submissions/{submission}").json()["evaluations"])
