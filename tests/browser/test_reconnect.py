"""The page goes on where it was: the web process dies, the database restarts, the network goes away."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import JUDGED_MS
from tests.live_site import LiveSite

pytestmark = pytest.mark.slow
SLEEPS = """import time

import torch


def softmax_kernel_impl(x, dim):
    time.sleep(0.1)
    return torch.softmax(x, dim)
"""


@pytest.fixture
def page(browser: Browser, own: LiveSite) -> Iterator[Page]:
    context = browser.new_context(base_url=own.url)
    yield context.new_page()
    context.close()


def submit(site: LiveSite, mark: str) -> str:
    with site.client() as client:
        body = {"op": "softmax", "source": f"{SLEEPS}# {mark}\n", "device": "cpu", "mode": "test"}
        answer = client.post("submissions", json=body)
    return str(answer.json()["id"])


def open_live(page: Page, path: str) -> None:
    page.goto(path)
    expect(page.locator("[data-live-state=live]")).to_be_attached()
    page.evaluate("window.stillHere = true")


def still_going_on(page: Page) -> None:
    """The page does not show the end yet: what comes now comes in the middle."""
    assert page.locator("[data-final]").count() == 0


def test_the_web_process_dies_and_the_page_goes_on(page: Page, own: LiveSite) -> None:
    submission = submit(own, "web dies")
    open_live(page, f"/s/{submission}/")

    still_going_on(page)
    os.kill(own.children()["web"], signal.SIGKILL)

    expect(page.locator("#verdict h2")).to_have_text("Accepted", timeout=JUDGED_MS)
    assert page.evaluate("window.stillHere")


def test_the_database_restarts_and_the_page_goes_on(page: Page, own: LiveSite) -> None:
    submission = submit(own, "database restarts")
    open_live(page, f"/s/{submission}/")

    still_going_on(page)
    own.restart_postgres()

    expect(page.locator("#verdict h2")).to_have_text("Accepted", timeout=JUDGED_MS)
    assert page.evaluate("window.stillHere")
    with own.client() as client:
        (evaluation,) = client.get(f"submissions/{submission}").json()["evaluations"]
    assert evaluation["verdict"] == "accepted"


def test_offline_for_a_while(page: Page, own: LiveSite) -> None:
    submission = submit(own, "offline")
    open_live(page, f"/s/{submission}/")

    still_going_on(page)
    page.context.set_offline(True)
    own.until(lambda: done(own, submission), "it is judged", within_s=120)
    page.context.set_offline(False)

    expect(page.locator("#verdict h2")).to_have_text("Accepted", timeout=30_000)
    assert page.evaluate("window.stillHere")


def done(site: LiveSite, submission: str) -> bool:
    with site.client() as client:
        return all(evaluation["state"] == "done" for evaluation in client.get(f"submissions/{submission}").json()["evaluations"])
