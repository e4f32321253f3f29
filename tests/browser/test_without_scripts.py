"""Scripts off: hand in, watch by reload, read the board."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import JUDGED_MS, NewPage, example
from tests.browser.test_hand_in import hand_in


def test_hand_in_and_watch_by_reload(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)

    # An op that the same author hands in nowhere else: a board shows an author's best source, not the latest.
    submission = hand_in(page, example("layer_norm_torch.py") + "\n# without scripts\n", op="layer_norm", editor=False)

    expect(page.locator("#verdict h2")).to_have_text("Accepted", timeout=JUDGED_MS)  # the page reloads itself
    page.goto("/ops/layer_norm/cpu/")
    expect(page.locator(f"a[href*='/s/{submission}/']")).to_be_visible()


def test_starters_and_filters_are_links_and_forms(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    page.goto("/ops/softmax/")
    page.get_by_role("link", name="Open it in the submit form").last.click()
    assert "triton" in page.get_by_label("Source", exact=True).input_value()

    page.goto("/ops/")
    page.get_by_label("Search", exact=True).fill("softmax")
    page.get_by_role("button", name="Filter").click()

    expect(page.locator("#op-softmax")).to_be_visible()
    expect(page.locator("#op-relu")).to_have_count(0)
