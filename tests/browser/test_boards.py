"""Find the record of an op; compare two kernels, with scripts and without."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import JUDGED_MS, NewPage, submit_by_rest
from tests.browser.samples import hand_in_as, run_of
from tests.live_site import LiveSite

OP = "relu"
FAST = "import torch\n\n\ndef relu_kernel_impl(x):\n    return torch.clamp_min(x, 0)\n"
SLOW = "import torch\n\n\ndef relu_kernel_impl(x):\n    for _ in range(30):\n        y = torch.relu(x)\n    return y\n"


@pytest.fixture(scope="session")
def two(site: LiveSite) -> tuple[str, str]:
    """Accepted evaluations of two authors, of an op of no other journey. The first is clear of the second, so the site confirms it."""
    slow = run_of(site, hand_in_as(site, "walter", SLOW, OP), "accepted")
    return run_of(site, submit_by_rest(site, FAST, op=OP), "accepted"), slow


def test_what_is_typed_before_the_script_is_there_is_searched_for(new_page: NewPage, two: tuple[str, str]) -> None:
    page = new_page(visitor=True)
    held: list[Route] = []
    page.route("**/js/filter*.js", lambda route: held.append(route))
    with page.expect_request("**/js/filter*.js"):
        page.goto("/ops/", wait_until="commit")
    page.get_by_label("Search", exact=True).fill(OP)
    expect(page.locator(f"#ops tbody tr:not(#op-{OP})").first).to_be_attached()

    held[0].continue_()

    expect(page.locator("#ops tbody tr").first).to_have_attribute("id", f"op-{OP}")
    expect(page).to_have_url(re.compile(rf"\?q={OP}$"))


def test_find_who_leads_an_op(new_page: NewPage, two: tuple[str, str]) -> None:
    page = new_page(visitor=True)
    page.goto("/")
    page.get_by_role("link", name="Ops", exact=True).click()
    page.get_by_label("Search", exact=True).fill(OP)

    expect(page.locator("#ops tbody tr").first).to_have_attribute("id", f"op-{OP}")  # while typing: no button was pressed
    expect(page).to_have_url(re.compile(rf"\?q={OP}$"))
    page.locator(f"#op-{OP} a.best").first.click()

    leader = page.locator("#compiled tbody tr:not(.is-baseline)").first
    expect(leader.locator(".rank")).to_have_text("1")
    leader.get_by_role("link", name="admin", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("admin")
    expect(page.get_by_role("region", name="Bests").get_by_role("link", name=f"{OP} on cpu")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_compare_two(new_page: NewPage, two: tuple[str, str], scripts: bool) -> None:
    page = new_page(visitor=True, java_script_enabled=scripts)
    page.goto("/compare/")
    page.get_by_label("Evaluations").fill(f"{two[0]} {two[1]}")
    page.get_by_role("button", name="Compare").click()

    expect(page.get_by_role("heading", level=2).first).to_contain_text("against")
    verdicts = page.get_by_role("region", name="Cases of 2").locator("tbody tr")
    expect(verdicts.first).to_contain_text(re.compile("faster|slower|tied"))
    expect(page.get_by_role("region", name="Source of 2 against the first")).to_contain_text("clamp_min")


@pytest.mark.late
def test_find_the_record_of_an_op(new_page: NewPage, two: tuple[str, str]) -> None:
    """It comes to the open page when the site's three confirming runs are done."""
    page = new_page(visitor=True)
    page.goto(f"/ops/{OP}/cpu/")

    holder = page.get_by_role("region", name="Record history").locator("tbody tr").first
    expect(holder).to_contain_text("stands", timeout=JUDGED_MS)
    expect(holder.get_by_role("link", name="admin", exact=True)).to_be_visible()
    holder.get_by_role("link", name=re.compile("Record: .* by admin")).click()
    expect(page.locator("#verdict h2")).to_have_text("Accepted")


@pytest.mark.late
def test_tick_two_rows_of_a_board(new_page: NewPage, two: tuple[str, str]) -> None:
    """Behind the confirming runs: while they go on, a row may come to stand for another evaluation."""
    page = new_page(visitor=True)
    page.goto(f"/ops/{OP}/cpu/")
    expect(page.locator("[data-live-state=live]")).to_be_attached()
    ticks = page.locator("input[name=ids]")
    for number in (0, 1):
        ticks.nth(number).check()
    chosen = [str(ticks.nth(number).input_value()) for number in (0, 1)]
    page.get_by_role("button", name="Compare").click()

    expect(page).to_have_url(re.compile(f"/compare/.ids={chosen[0]}&ids={chosen[1]}$"))
    expect(page.get_by_role("list", name="Evaluations").get_by_role("listitem")).to_have_count(2)
    _no_sideways(page)


def _no_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
