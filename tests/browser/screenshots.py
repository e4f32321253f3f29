"""Pictures of every page of `tests/site_pages.py`, light and dark, 1280 and 360 px wide, and those of the README: `make screenshots`.

Starts a site of its own, with the bundled examples, kernels of three people and one that does not compile judged, and one that runs.
`--url` and `--sign-in` (a one-time link) name a running site instead; the README's pictures are then left alone.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser import samples
from tests.browser.chromium import ARGUMENTS, executable
from tests.live_site import ROOT, LiveSite, live_site
from tests.site_pages import PAGES, Samples

OUT = ROOT / "test-results" / "screenshots"
README = ROOT / "docs" / "images"
WIDTHS = (1280, 360)
THEMES = ("light", "dark")
DOES_NOT_COMPILE = "import torch\n\n\ndef softmax_kernel_impl(x, dim)\n    return torch.softmax(x, dim)\n"


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture of the README: the upper part of a page."""

    file: str
    page: str
    theme: str
    height: int


SHOTS = (
    Shot("result.png", "result_accepted", "light", 900),
    Shot("board.png", "board", "dark", 760),
    Shot("op.png", "op_h100", "light", 900),
)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=OUT)
    options.add_argument("--url", default="")
    options.add_argument("--sign-in", default="")
    options.add_argument("--only", default="", help="regular expression of page names")
    given = options.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with running(given.url, given.sign_in) as (url, sign_in, ids), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=ARGUMENTS)
        session = browser.new_context()
        session.new_page().goto(sign_in or url)
        state = session.storage_state()
        taken = take_all(browser, state, url, ids, given.only, given.out)
        if not given.url and not given.only:
            for shot in SHOTS:
                take_for_readme(browser, state, url, ids, shot)
        browser.close()
    print(f"{taken} pictures in {given.out}")
    return 0


@contextlib.contextmanager
def running(url: str, sign_in: str) -> Iterator[tuple[str, str, Samples]]:
    """Address, sign-in link and ids of a site. Of one that is given, the ids are not known: pages of results are left out."""
    if url:
        yield url, sign_in, {}
        return
    with live_site(KB_DEVICES="cpu", KB_EXAMPLES="on", KB_LIMITS="check_s=300") as site:
        handed = samples.fill_board(site)
        ids = samples.judged(site) | {"accepted": handed["alice"], "broken": refused(site), "author": "alice"}
        ids["running"] = samples.under_way(site, seconds=240, until="checking")
        yield site.url, site.sign_in, ids
        samples.cancel(site, ids["running"])


def refused(site: LiveSite) -> str:
    with site.client() as client:
        body = {"op": "softmax", "device": "cpu", "source": DOES_NOT_COMPILE}
        return str(client.post("submissions?wait=60", json=body).json()["id"])


def take_all(browser: Browser, state: object, url: str, ids: Samples, only: str, out: Path) -> int:
    """Each page four times, as who looks at it. The page of what runs comes first, while it runs."""
    taken = 0
    contexts = {
        (signed_in, theme, width): context(browser, state if signed_in else None, theme, width)
        for signed_in in (True, False)
        for theme in THEMES
        for width in WIDTHS
    }
    for page in PAGES:
        if not page.looked_at or not re.search(only, page.name) or ("{" in page.path and not ids):
            continue
        signed_in = page.who != "visitor" or not page.path.startswith("/accounts/")
        for theme in THEMES:
            for width in WIDTHS:
                tab = contexts[signed_in, theme, width].new_page()
                tab.goto(url + page.at(ids), wait_until="load")
                settle(tab)
                tab.screenshot(path=out / f"{page.name}-{theme}-{width}.png", full_page=True)
                tab.close()
                taken += 1
    for one in contexts.values():
        one.close()
    return taken


def take_for_readme(browser: Browser, state: object, url: str, ids: Samples, shot: Shot) -> None:
    shown = next(page for page in PAGES if page.name == shot.page)
    inside = context(browser, state, shot.theme, 1280)
    tab = inside.new_page()
    tab.goto(url + shown.at(ids))
    settle(tab)
    tab.screenshot(path=README / shot.file, clip={"x": 0, "y": 0, "width": 1280, "height": shot.height}, full_page=True)
    inside.close()


def settle(tab: Page) -> None:
    """Fonts are there, and a page that is live has connected."""
    tab.evaluate("document.fonts.ready")
    if tab.locator("[data-live]").count():
        with contextlib.suppress(Exception):
            tab.locator("[data-live-state]").first.wait_for(state="attached", timeout=3000)


def context(browser: Browser, state: object, theme: str, width: int) -> BrowserContext:
    kept = {"storage_state": state} if state else {}
    return browser.new_context(viewport={"width": width, "height": 800}, color_scheme=theme, reduced_motion="reduce", **kept)  # type: ignore[arg-type]


if __name__ == "__main__":
    sys.exit(main())
