"""The page of a result in a browser: the log held still, rows that do not jump, a line that dies unseen, tabs by keyboard, samples."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, WebSocketRoute, expect

from tests.browser.axe import axe_issues
from tests.browser.conftest import JUDGED_MS, NewPage, example, submit_by_rest
from tests.live_site import LiveSite

TALKS = """
import time

import torch


def softmax_kernel_impl(x, dim):
    print("called with", tuple(x.shape))
    time.sleep(0.05)
    return torch.softmax(x, dim)
"""
SHIFTS = """() => {
    window.shifted = 0;
    new PerformanceObserver((list) => {
        if (document.querySelector('[data-final]')) return;
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
}"""


@pytest.fixture(scope="module")
def profiled(site: LiveSite) -> str:
    """The page of a profile: timed, then looked at by torch's profiler."""
    made = submit_by_rest(site, example("softmax_torch.py") + "\n# profiled\n", mode="profile")
    with site.client() as client:

        def done() -> bool:
            (evaluation,) = client.get(f"submissions/{made['id']}", params={"wait": 20}).json()["evaluations"]
            return bool(evaluation["verdict"])

        site.until(done, "it is profiled", within_s=JUDGED_MS / 1000)
    return f"/s/{made['id']}/"


@pytest.fixture
def waiting(site: LiveSite) -> str:
    """The page of an evaluation whose device nobody serves."""
    return f"/s/{submit_by_rest(site, example('softmax_torch.py'), device='h100')['id']}/"


def newest(log: Locator) -> str:
    return log.inner_text().rstrip().rpartition("\n")[2]


def test_the_log_is_held_and_let_go_while_rows_fill_in_without_a_jump(new_page: NewPage, site: LiveSite) -> None:
    made = submit_by_rest(site, TALKS, mode="test")
    page = new_page()
    page.goto(f"/s/{made['id']}/")
    page.evaluate(SHIFTS)
    log, button = page.locator("#log-text"), page.locator("[data-log-pause]")
    expect(log).to_contain_text("called with", timeout=JUDGED_MS)

    button.click()
    held = log.inner_text()
    expect(button).to_have_text(re.compile(r"Follow \(\d+ more lines?\)"))
    assert log.inner_text() == held
    assert button.get_attribute("aria-pressed") == "true"
    button.click()

    expect(button).to_have_text("Pause")
    assert newest(log) != held.rstrip().rpartition("\n")[2] or len(log.inner_text()) > len(held)
    assert page.evaluate("document.querySelector('#log-text').scrollTop") == 0, "it follows the newest line"
    expect(page.locator("#verdict h2")).to_have_text("Accepted", timeout=JUDGED_MS)
    assert page.title().startswith("Accepted: softmax")
    assert page.evaluate("window.shifted") < 0.02


def test_whoever_closes_the_tab_finds_it_going_on(new_page: NewPage, site: LiveSite) -> None:
    page = new_page()
    made = submit_by_rest(site, TALKS + "\n# closed\n", mode="test")
    page.goto(f"/s/{made['id']}/")
    expect(page.locator("[data-live-state=live]")).to_be_attached()
    page.close()

    again = new_page()
    again.goto(f"/s/{made['id']}/")

    expect(again.locator("#verdict h2")).to_have_text("Accepted", timeout=JUDGED_MS)


def test_a_line_that_fell_silent_is_replaced(new_page: NewPage, waiting: str) -> None:
    """As after a laptop's sleep: the browser still thinks that the socket is open."""
    page = new_page()
    lines: list[WebSocketRoute] = []

    def dead_at_first(line: WebSocketRoute) -> None:
        lines.append(line)
        if len(lines) > 1:
            line.connect_to_server()

    page.route_web_socket(re.compile(r"/ws/evaluations/"), dead_at_first)
    page.clock.install()
    page.goto(waiting)
    expect(page.locator("[data-live-state=live]")).to_be_attached()
    assert len(lines) == 1

    page.clock.fast_forward(46_000)

    expect(page.locator("[data-live-state=live]")).to_be_attached()
    page.wait_for_function("() => document.querySelector('[data-live-lamp]').textContent === 'live'")
    assert len(lines) == 2
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#verdict h2")).to_have_text("Cancelled")


def test_a_stream_of_messages_does_not_keep_the_page_from_following(new_page: NewPage, waiting: str) -> None:
    page = new_page()
    lines: list[WebSocketRoute] = []
    page.route_web_socket(re.compile(r"/ws/evaluations/"), lambda line: lines.append(line))
    page.clock.install()
    page.goto(waiting)
    expect(page.locator("[data-live-state=live]")).to_be_attached()
    page.clock.pause_at(page.evaluate("Date.now() + 500") / 1000)

    with page.expect_request(lambda request: "hx-request" in request.headers):
        for number in range(1, 6):
            lines[0].send(f'{{"seq": {number}, "kind": "log"}}')
            page.evaluate("0")  # the message is there
            page.clock.run_for(50)


@pytest.mark.parametrize("refused", ["fragment", "socket"])
def test_what_may_not_be_seen_any_more_says_so_and_stops(new_page: NewPage, waiting: str, refused: str) -> None:
    page = new_page()
    lines: list[WebSocketRoute] = []
    page.route_web_socket(re.compile(r"/ws/evaluations/"), lambda line: lines.append(line))
    page.goto(waiting)
    expect(page.locator("[data-live-state=live]")).to_be_attached()

    if refused == "fragment":
        page.route("**/s/**", lambda route: route.fulfill(status=404))
        lines[0].send('{"seq": 1, "kind": "log"}')
    else:
        lines[0].close(code=4404)

    expect(page.get_by_role("alert")).to_contain_text("You cannot see this any more")
    expect(page.locator("[data-live-state=refused]")).to_be_attached()
    expect(page.locator("[data-live-lamp]")).to_have_text("stopped")


def test_who_waits_is_told_why_with_and_without_scripts(new_page: NewPage, waiting: str) -> None:
    for scripts in (False, True):
        page = new_page(java_script_enabled=scripts)
        page.goto(waiting)

        expect(page.locator("#queue")).to_contain_text("No worker of this device is in service")
        expect(page.locator("#cases tbody tr")).not_to_have_count(0)
        expect(page.locator("[data-log-pause]")).to_be_visible(visible=scripts)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#verdict h2")).to_have_text("Cancelled")


def test_tabs_of_a_profile_by_keyboard(new_page: NewPage, profiled: str) -> None:
    page = new_page()
    page.goto(profiled)
    tabs = page.get_by_role("tab")
    expect(tabs.first).to_have_attribute("aria-selected", "true")
    names = tabs.all_inner_texts()
    assert "Operators" in names and len(names) >= 2

    tabs.first.focus()
    page.keyboard.press("End")

    expect(tabs.last).to_be_focused()
    expect(page.get_by_role("tabpanel")).to_have_count(1)
    expect(page.get_by_role("tabpanel", name=names[-1])).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(tabs.first).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("tabpanel", name=names[0])).to_be_focused()
    assert not axe_issues(page)


def test_without_scripts_the_parts_of_a_profile_are_sections(new_page: NewPage, profiled: str) -> None:
    page = new_page(java_script_enabled=False)

    page.goto(profiled)

    expect(page.locator("[role=tab]")).to_have_count(0)
    expect(page.get_by_role("heading", name="Operators", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Files", exact=True)).to_be_visible()
    expect(page.locator("#samples details")).to_be_hidden()


def test_raw_samples_are_drawn_when_somebody_asks(new_page: NewPage, profiled: str) -> None:
    page = new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(profiled)
    assert not [url for url in asked if "uplot" in url.lower() or "samples.js" in url]

    page.get_by_text("Look at single calls").click()

    expect(page.locator("#samples canvas")).to_be_visible()
    expect(page.locator("[data-plot-said]")).to_contain_text("calls of the kernel")
    cases = page.get_by_label("Case", exact=True)
    cases.select_option(index=1)
    expect(page.locator("[data-plot-said]")).to_contain_text(cases.locator("option").nth(1).inner_text())
    assert not axe_issues(page)


def test_commands_and_badges_are_copied_and_the_card_is_shown(new_page: NewPage, profiled: str) -> None:
    page = new_page()
    page.goto(profiled)

    page.locator("[data-copy=reproduce-whole]").click()
    assert "python -m evaluator run" in page.evaluate("navigator.clipboard.readText()")
    page.locator("[data-copy=badge-result]").click()
    assert page.evaluate("navigator.clipboard.readText()").startswith("[![softmax on CPU")

    page.locator(".share-card").scroll_into_view_if_needed()
    page.wait_for_function("() => document.querySelector('.share-card').naturalWidth === 1200")
