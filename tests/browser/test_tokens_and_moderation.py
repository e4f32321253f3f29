"""Make a token and use it; find what is held, look at the evidence and decide."""

from __future__ import annotations

import httpx
from playwright.sync_api import Page, expect

from tests.browser.axe import axe_issues
from tests.browser.conftest import NewPage, example, submit_by_rest
from tests.live_site import LiveSite

CODE = example("softmax_torch.py") + "\n# by a bot of mine\n"
OP, MODERATED = "tanh", "import torch\n\n\ndef tanh_kernel_impl(x):\n    return torch.tanh(x)\n"
"""An op that no other journey hands in: a board shows an author's best source, and refusing one holds it again whoever hands it in."""


def test_a_token_made_on_the_page_hands_in_and_cannot_do_more(new_page: NewPage, site: LiveSite) -> None:
    page = new_page()
    page.goto("/me/")
    page.get_by_role("link", name="API tokens").click()
    page.get_by_label("Name").fill("from the browser")
    page.get_by_label("Agent label").fill("tuner/1")
    page.get_by_role("button", name="Make the token").click()
    page.get_by_role("button", name="Copy").click()
    token = page.evaluate("navigator.clipboard.readText()")
    assert token == page.locator("#new-token").inner_text()

    with httpx.Client(base_url=f"{site.url}/api/v1/", headers={"Authorization": f"Bearer {token}"}, timeout=60) as bot:
        made = bot.post("submissions", json={"op": "softmax", "device": "cpu", "source": CODE, "mode": "test"})
        more = bot.post("tokens", json={"name": "another"})
        page.goto("/me/tokens/")
        row = page.get_by_role("row").filter(has_text="from the browser")
        expect(row).to_contain_text("just now")
        row.get_by_role("button", name="Revoke").click()
        question = page.get_by_role("dialog", name="Revoke the token “from the browser”?")
        question.get_by_role("button", name="Keep it as it is").click()
        expect(question).to_have_count(0)
        assert bot.get("me").status_code == 200
        row.get_by_role("button", name="Revoke").click()
        question.get_by_role("button", name="Revoke").click()
        expect(page.get_by_role("status").first).to_contain_text("does not work any more")
        refused = bot.get("me")

    assert (made.status_code, made.json()["agent"]) == (201, "tuner/1")
    assert (more.status_code, more.json()["scope"]) == (403, "manage")
    assert refused.status_code == 401


def test_a_moderator_refuses_it_is_held_again_and_then_accepted(new_page: NewPage, site: LiveSite) -> None:
    first = submit_by_rest(site, MODERATED, op=OP, visibility="result", wait_s=60)
    page = new_page()
    page.goto(f"/s/{first['id']}/")
    page.get_by_role("link", name="Moderate this").click()
    page.get_by_label("Refuse").check()
    page.get_by_label("Reason").fill("Looks copied.")
    page.get_by_role("button", name="Decide").click()
    decided(page, "Refused by admin")
    page.goto(f"/s/{first['id']}/")
    expect(page.locator("#verdict h2")).to_have_text("Rejected")
    expect(page.locator("#decisions")).to_contain_text("Looks copied.")

    again = submit_by_rest(site, MODERATED, op=OP, wait_s=60)
    evaluation = again["evaluations"][0]  # type: ignore[index]
    assert evaluation["verdict"] == "suspect"
    page.goto("/moderation/")
    page.locator(f"a[href='/moderation/{evaluation['id']}/']").click()
    assert not axe_issues(page)
    page.get_by_role("link", name="difference").first.click()
    expect(page.locator("#difference")).to_be_visible()
    accept(page)

    page.goto(f"/ops/{OP}/cpu/")
    expect(page.locator(f"a[href*='/s/{again['id']}/']")).to_be_visible()


def accept(page: Page) -> None:
    page.get_by_label("Accept as it is").check()
    page.get_by_label("Reason").fill("It is their own.")
    page.get_by_role("button", name="Decide").click()
    decided(page, "Accepted as it is by admin")


def decided(page: Page, words: str) -> None:
    """One decision covers all runs of the source: a run by which the site was to confirm it may have ended meanwhile."""
    expect(page.get_by_text(words).first).to_be_visible()
