"""Pictures of every page, light and dark, 1280 and 360 px wide: `python -m tests.browser.screenshots [--out FOLDER]`.

Starts a site of its own, with the bundled examples judged, unless `--url` (and `--sign-in`, a one-time link) name a running one.
"""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import ARGUMENTS, executable
from tests.live_site import live_site

FIXED = {
    "home": "/",
    "ops": "/ops/",
    "op": "/ops/softmax/",
    "board": "/ops/softmax/cpu/",
    "board_empty": "/ops/mm/h100/",
    "results": "/results/",
    "submit": "/submit/?op=softmax&starter=triton",
    "status": "/status/",
    "rules": "/rules/",
    "sign_in": "/accounts/login/",
    "sign_up": "/accounts/signup/",
    "reset": "/accounts/password/reset/",
    "me": "/me/",
    "missing": "/nothing/",
    "api": "/api/docs/",
}
SIGNED_OUT = ("sign_in", "sign_up", "reset")
WIDTHS = (1280, 360)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=Path("test-results/screenshots"))
    options.add_argument("--url", default="")
    options.add_argument("--sign-in", default="")
    options.add_argument("--only", default="", help="regular expression of page names")
    given = options.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with running(given.url, given.sign_in) as (url, sign_in), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=ARGUMENTS)
        session = browser.new_context()
        page = session.new_page()
        page.goto(sign_in or url)
        pages = {name: path for name, path in (FIXED | results(page, url)).items() if re.search(given.only, name)}
        for theme in ("light", "dark"):
            for width in WIDTHS:
                take(browser, session.storage_state(), url, pages, theme, width, given.out)  # type: ignore[arg-type]
        browser.close()
    print(f"{len(pages) * 4} pictures in {given.out}")


@contextlib.contextmanager
def running(url: str, sign_in: str) -> Iterator[tuple[str, str]]:
    if url:
        yield url, sign_in
        return
    with live_site(KB_DEVICES="cpu", KB_EXAMPLES="on", KB_LIMITS="") as site:
        with site.client() as client:
            site.until(lambda: idle(client.get("status").json()), "the examples are judged", within_s=300)
        yield site.url, site.sign_in


def idle(status: dict[str, list[dict[str, int]]]) -> bool:
    """Queues exist, because workers serve them, and nothing is in them."""
    return bool(status["queues"]) and not any(queue["waiting"] or queue["running"] for queue in status["queues"])


def results(page: Page, url: str) -> dict[str, str]:
    """One result page per verdict or state that the home page and my page name."""
    found: dict[str, str] = {}
    for path in ("/me/", "/"):
        page.goto(url + path)
        for link in page.locator("a[href*='?evaluation=']").all():
            badge = link.locator("xpath=following-sibling::*[contains(@class,'badge')][1]")
            said = badge.inner_text() if badge.count() else ""
            found.setdefault(f"result_{said.lower().replace(' ', '_')}", link.get_attribute("href") or "")
    return {name: href for name, href in found.items() if href.startswith("/s/") and name != "result_"}


def take(browser: Browser, state: object, url: str, pages: dict[str, str], theme: str, width: int, out: Path) -> None:
    inside = browser.new_context(storage_state=state, viewport={"width": width, "height": 800}, color_scheme=theme)  # type: ignore[arg-type]
    outside = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=theme)  # type: ignore[arg-type]
    for name, path in pages.items():
        page = (outside if name in SIGNED_OUT else inside).new_page()
        page.goto(url + path, wait_until="load")
        if name == "api":
            page.locator(".opblock").first.wait_for()
        page.screenshot(path=out / f"{name}-{theme}-{width}.png", full_page=True)
        page.close()
    inside.close()
    outside.close()


if __name__ == "__main__":
    main()
