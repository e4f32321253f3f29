"""Hold a competition and join one: a group, a link, a newcomer who signs up and hands in, the board that both see, the terminal."""

from __future__ import annotations

import datetime as dt
import json

from playwright.sync_api import Page, expect

from tests.browser.conftest import JUDGED_MS, NewPage, example, write_source
from tests.browser.test_hand_in import SUBMISSION
from tests.live_site import LiveSite

MINUTE = "%Y-%m-%dT%H:%M"
TITLE = "An afternoon of layer norms"


def hold(page: Page) -> str:
    """Make a group and an open competition in it; gives the competition's slug."""
    page.goto("/groups/")
    page.get_by_label("Name").fill("The browser's group")
    page.get_by_role("button", name="Make the group").click()
    page.get_by_role("link", name="New competition").click()
    now = dt.datetime.now(dt.UTC)
    page.get_by_label("Title").fill(TITLE)
    page.get_by_label("By invitation").check()
    page.get_by_label("Ops", exact=True).fill("layer_norm")
    page.get_by_label("CPU").check()
    page.get_by_label("Opens (UTC)").fill(f"{now - dt.timedelta(minutes=2):{MINUTE}}")
    page.get_by_label("Closes (UTC)").fill(f"{now + dt.timedelta(hours=3):{MINUTE}}")
    page.get_by_label("Rules").fill("# Prizes\n\nA **cake**.")
    page.get_by_role("button", name="Make the competition").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(TITLE)
    expect(page.locator(".rules-text strong").first).to_have_text("cake")
    return page.url.rstrip("/").rpartition("/")[2]


def invitation(page: Page) -> str:
    """A link to the competition, made on the group's page."""
    page.locator(".crumbs").get_by_role("link", name="The browser's group").click()
    page.get_by_label("Leads to").select_option(label=TITLE)
    page.get_by_role("button", name="Make a link").click()
    return page.locator("#link-1").inner_text()


def test_join_by_a_link_hand_in_and_see_the_board(new_page: NewPage, site: LiveSite) -> None:
    owner, newcomer, stranger = new_page(), new_page(visitor=True), new_page(visitor=True, java_script_enabled=False)
    slug = hold(owner)
    link = invitation(owner)
    board = f"/ops/layer_norm/cpu/?competition={slug}"
    owner.goto(board)
    expect(owner.locator("[data-live-state=live]")).to_be_attached()

    newcomer.goto(link)
    newcomer.get_by_role("main").get_by_role("link", name="Sign up").click()
    newcomer.get_by_label("User name").fill("newcomer")
    newcomer.get_by_label("Password", exact=True).fill("a long enough password")
    newcomer.get_by_label("Password, once more").fill("a long enough password")
    newcomer.get_by_role("button", name="Create the account").click()
    newcomer.get_by_role("button", name="Join as newcomer").click()
    expect(newcomer.get_by_role("heading", level=1)).to_have_text(TITLE)
    expect(newcomer.locator("[data-countdown]")).to_contain_text("in 02:5")
    newcomer.get_by_role("link", name="Hand in a kernel").click()
    expect(newcomer.get_by_label("Competition")).to_have_value(slug)
    write_source(newcomer, example("layer_norm_torch.py") + "\n# for the cake\n")
    newcomer.get_by_role("button", name="Hand it in").click()
    newcomer.wait_for_url(SUBMISSION)

    expect(newcomer.locator("#verdict h2")).to_have_text("Accepted", timeout=JUDGED_MS)
    expect(owner.locator("#compiled a", has_text="newcomer")).to_be_visible()  # without a reload
    result = newcomer.url
    newcomer.goto(f"/competitions/{slug}/")
    expect(newcomer.locator("#standing-newcomer")).to_contain_text("1 / 1")
    for path in (f"/competitions/{slug}/", board, result):
        assert (answer := stranger.goto(path)) is not None
        assert answer.status == 404
    stranger.goto("/competitions/")
    expect(stranger.get_by_text(TITLE)).to_have_count(0)

    shown = site.kb("competitions", "show", slug, "--json")
    rows = json.loads(site.kb("board", "layer_norm", "cpu", "--competition", slug, "--json").stdout)["rows"]
    assert [row["author"] for row in json.loads(shown.stdout)["standings"]] == ["newcomer"]
    assert [row["author"] for row in rows] == ["newcomer"]
    assert TITLE in site.kb("competitions", "list", "--phase", "open").stdout
