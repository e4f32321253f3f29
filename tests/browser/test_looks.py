"""Handing in by keyboard alone, and the theme that is kept."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import JUDGED_MS, NewPage, write_source
from tests.browser.samples import SLEEPS
from tests.browser.test_hand_in import SUBMISSION


def test_hand_in_by_keyboard_alone(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    go_to(page, "Submit")
    page.keyboard.press("Enter")
    page.wait_for_url("**/submit/")
    expect(page.locator("#source-editor")).to_be_visible()
    go_to_control(page, "source-editor")
    page.keyboard.insert_text(SLEEPS.format(seconds=600))
    page.keyboard.press("Escape")  # Tab indents inside the text until Escape
    go_to_control(page, "id_op")  # and so out of the editor; the op is told by the source
    expect(page.get_by_label("Op", exact=True)).to_have_value("softmax")
    go_to(page, "Hand it in")
    page.keyboard.press("Enter")

    page.wait_for_url(SUBMISSION)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#verdict h2")).to_have_text("Cancelled", timeout=JUDGED_MS)


def test_ctrl_enter_hands_in(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/submit/?op=softmax")
    write_source(page, "x = 1\n")

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
