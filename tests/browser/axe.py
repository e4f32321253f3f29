"""axe on a page: what it calls serious or critical."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = ("serious", "critical")
CONTRAST = ("color-contrast", "link-in-text-block")
"""The rules that a theme can break; all others see the same in both."""
ALIKE = ("tbody > tr:nth-of-type(n+13)", ".endpoint:nth-of-type(n+5)", ".code-block .ln:nth-of-type(n+31)", ".doc-nav li:nth-of-type(n+4)")
"""Rows of long tables, lines of long listings and their like: axe would spend most of its time on more of the same."""
RUN = """async ([alike, rules]) => {
    const context = {include: [['html']], exclude: alike.map((one) => [one])};
    const options = {resultTypes: ['violations'], preload: false, selectors: false, ...(rules.length ? {runOnly: rules} : {})};
    const found = await axe.run(context, options);
    return found.violations.map(({id, impact, nodes}) => ({id, impact, nodes: nodes.slice(0, 3).map((node) => node.html.slice(0, 120))}));
}"""
"""Gives no more than is told of: all that axe finds of a long page is megabytes."""


def axe_issues(page: Page) -> list[str]:
    return _issues(page, ())


def contrast_issues(page: Page) -> list[str]:
    return _issues(page, CONTRAST)


def _issues(page: Page, rules: tuple[str, ...]) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    found = page.evaluate(RUN, [ALIKE, rules])
    return [f"{page.url}: {issue['id']} ({issue['impact']}): {issue['nodes']}" for issue in found if issue["impact"] in SERIOUS]
