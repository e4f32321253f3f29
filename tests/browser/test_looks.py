"""Every page, both themes: no axe issue, no sideways scrolling at 360 px, keyboard reachable, theme kept."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import JUDGED_MS, NewPage, example, submit_by_rest
from tests.live_site import LiveSite

PAGES = (
    "/",
    "/ops/",
    "/ops/softmax/",
    "/ops/softmax/cpu/",
    "/ops/mm/h100/",
    "/results/",
    "/submit/?op=softmax&starter=triton",
    "/me/",
    "/status/",
    "/rules/",
    "/accounts/logout/",
    "/accounts/password/change/",
    "/nothing/",
)
VISITORS = ("/accounts/login/", "/accounts/signup/", "/accounts/password/reset/")
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def results(site: LiveSite) -> tuple[str, ...]:
    """Result pages of an accepted and a wrong kernel."""
    done = [submit_by_rest(site, example(name) + "\n# looked at\n", wait_s=60) for name in ("softmax_torch.py", "softmax_wrong.py")]
    return tuple(f"/s/{made['id']}/" for made in done)


def axe_issues(page: Page) -> list[str]:
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{page.url}: {issue['id']} ({issue['impact']}): {[node['html'][:120] for node in issue['nodes'][:3]]}"
        for issue in found
        if issue["impact"] in SERIOUS
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(new_page: NewPage, results: tuple[str, ...], theme: str) -> None:
    issues = []
    for paths, visitor in (((*PAGES, *results), False), (VISITORS, True)):
        page = new_page(visitor=visitor, color_scheme=theme)
        for path in paths:
            page.goto(path)
            issues += axe_issues(page)

    assert not issues, "\n".join(issues)


def test_axe_finds_nothing_serious_while_it_runs(new_page: NewPage, site: LiveSite) -> None:
    page = new_page()
    made = submit_by_rest(site, "import time\n\n\ndef softmax_kernel_impl(x, dim):\n    time.sleep(20)\n")
    page.goto(f"/s/{made['id']}/")
    expect(page.locator("[data-live-state=live]")).to_be_attached()

    issues = axe_issues(page)
    page.get_by_role("button", name="Cancel").click()

    assert not issues, "\n".join(issues)


@pytest.mark.parametrize("scripts", [True, False])
def test_no_page_scrolls_sideways_on_a_phone(new_page: NewPage, results: tuple[str, ...], scripts: bool) -> None:
    wide = []
    for paths, visitor in (((*PAGES, *results), False), (VISITORS, True)):
        page = new_page(visitor=visitor, viewport={"width": 360, "height": 740}, java_script_enabled=scripts)
        for path in paths:
            page.goto(path)
            if not scripts:
                width = page.locator("html").bounding_box()
                content = page.locator("main").bounding_box()
                if width and content and content["width"] > 360:
                    wide.append(path)
            elif (reached := page.evaluate("document.documentElement.scrollWidth")) > 360:
                wide.append(f"{path}: {reached}")

    assert not wide


def test_hand_in_by_keyboard_alone(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    go_to(page, "Submit")
    page.keyboard.press("Enter")
    page.wait_for_url("**/submit/")
    go_to_control(page, "id_source")
    page.keyboard.insert_text(example("softmax_torch.py") + "\n# by keyboard\n")
    page.keyboard.press("Escape")  # Tab indents inside the text until Escape
    go_to_control(page, "id_op")
    page.keyboard.type("softmax")
    go_to(page, "Hand it in")
    page.keyboard.press("Enter")

    expect(page.locator("#verdict h2")).to_have_text("Accepted", timeout=JUDGED_MS)


def test_ctrl_enter_hands_in(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/submit/?op=softmax")
    page.get_by_label("Source", exact=True).fill("x = 1\n")

    page.keyboard.press("Control+Enter")

    page.wait_for_url("**/s/*/")


def test_the_theme_is_kept_and_set_before_the_first_paint(new_page: NewPage) -> None:
    page = new_page(color_scheme="light")
    page.goto("/")
    page.get_by_role("button", name="Dark theme").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")

    page.add_init_script(
        "addEventListener('DOMContentLoaded', () => { window.atFirst = getComputedStyle(document.body).backgroundColor; })"
    )
    page.goto("/ops/")

    assert page.evaluate("window.atFirst") == dark
    expect(page.get_by_role("button", name="Dark theme")).to_have_attribute("aria-pressed", "true")


def test_the_api_page_draws_itself_under_the_policy(new_page: NewPage) -> None:
    page = new_page()

    page.goto("/api/docs/")

    expect(page.locator(".opblock").first).to_be_visible(timeout=30_000)
    expect(page.get_by_role("heading", level=1)).to_have_text("REST API")


def go_to(page: Page, name: str) -> None:
    """Press Tab until the control of that name has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == name:
            return
    raise AssertionError(f"{name} cannot be reached by Tab")


def go_to_control(page: Page, control: str) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == control:
            return
    raise AssertionError(f"{control} cannot be reached by Tab")
