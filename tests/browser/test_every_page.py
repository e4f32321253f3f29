"""Every page of `tests/site_pages.py` in a browser: axe in both themes, keyboard, phone, and nothing that the policy forbids."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from tests.browser.axe import axe_issues, contrast_issues
from tests.browser.conftest import NewPage
from tests.browser.focus import keyboard_faults
from tests.browser.samples import cancel, judged, under_way
from tests.live_site import LiveSite
from tests.site_pages import PAGES, Page, Samples

PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 800}
LOOKED_AT = sorted((page for page in PAGES if page.looked_at), key=lambda page: page.name == "running")
"""The one of what is under way last: it is handed in when its turn has come, and sleeps while it is looked at."""
FIRST_DOC = next(page for page in LOOKED_AT if page.pattern == "doc")


@pytest.fixture(scope="module")
def samples(site: LiveSite) -> Samples:
    return judged(site)


def test_every_page_in_both_themes_by_keyboard_and_on_a_phone(new_page: NewPage, site: LiveSite, samples: Samples) -> None:
    """One visit a page. `new_page` fails when a page breaks the policy, throws, or misses a file."""
    inside, outside = new_page(viewport=DESK), new_page(visitor=True, viewport=DESK)
    faults: list[str] = []

    for page in LOOKED_AT:
        tab = outside if page.who == "visitor" and page.path.startswith("/accounts/") else inside
        if page.name == "running":
            samples = {**samples, "running": under_way(site, until="checking")}
        faults += look(tab, page, samples)
    cancel(site, samples["running"])

    assert not faults, "\n".join(faults)


def look(tab: Tab, page: Page, samples: Samples) -> list[str]:
    tab.set_viewport_size(DESK)
    tab.emulate_media(color_scheme="light")
    tab.goto(page.at(samples))
    if page.name == "running":
        expect(tab.locator("[data-live-state=live]")).to_be_attached()
    faults = axe_issues(tab)
    tab.emulate_media(color_scheme="dark")
    faults += contrast_issues(tab)
    if page.pattern != "doc" or page is FIRST_DOC:  # what Tab finds in one page of the docs it finds in all
        faults += keyboard_faults(tab)
    tab.set_viewport_size(PHONE)
    if (reached := tab.evaluate("document.documentElement.scrollWidth")) > PHONE["width"]:
        faults.append(f"{tab.url}: {reached} px wide on a phone")
    return faults


def test_no_page_scrolls_sideways_on_a_phone_without_scripts(new_page: NewPage, samples: Samples) -> None:
    inside = new_page(viewport=PHONE, java_script_enabled=False)
    wide = []
    for page in {page.pattern: page for page in LOOKED_AT if page.name != "running"}.values():
        inside.goto(page.at(samples))
        content = inside.locator("main").bounding_box()
        if content and content["width"] > PHONE["width"]:
            wide.append(page.path)

    assert not wide


FAULTY = """<!DOCTYPE html><html lang="en"><title>Faults</title><main><h1>Faults</h1>
<style>#unseen:focus { outline: none }</style>
<p><a href="#a">first</a> <a id="unseen" href="#b">its focus cannot be seen</a> <button tabindex="2">jumps the queue</button></p>
<p><input aria-label="keeps the focus" onkeydown="if (event.key === 'Tab') event.preventDefault()"> <a href="#c">never reached</a></p>
<p style="color: #888; background: #999">cannot be read</p><img src="data:,"></main></html>"""


def test_such_faults_are_found(browser: Browser) -> None:
    context = browser.new_context(viewport=DESK)
    tab = context.new_page()
    tab.set_content(FAULTY)

    by_keyboard, by_axe, by_theme = keyboard_faults(tab), axe_issues(tab), contrast_issues(tab)

    context.close()
    for wanted, found in [
        ("focus cannot be seen", by_keyboard),
        ("tabindex above 0", by_keyboard),
        ("Tab reached 4 of 5", by_keyboard),
        ("image-alt", by_axe),
        ("color-contrast", by_axe),
    ]:
        assert any(f": {wanted}" in fault for fault in found), (wanted, found)
    assert len(by_theme) == 1
