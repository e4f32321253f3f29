"""What the keyboard does on a page: where Tab goes, and whether it can be seen."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.axe import ALIKE

MOST_STEPS = 45
"""Presses of Tab a page; longer pages repeat what came before."""
PARTS = 7
"""Stops of Tab in one field for a date and a time: its numbers, and what opens the calendar."""
NOTE = "() => { window.visited = []; document.addEventListener('focusin', (event) => window.visited.push(event.target)); }"
JUDGE = """([steps, alike]) => {
    const stops = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [contenteditable=true], [tabindex]';
    const seen = (element) => element.checkVisibility({visibilityProperty: true}) && element.getClientRects().length > 0;
    const groups = new Set();
    const expected = [...document.querySelectorAll(stops)].filter((element) => {
        if (!seen(element) || element.disabled || element.tabIndex < 0 || element.closest('[inert]')) return false;
        if (element.type !== 'radio') return true;
        const group = `${element.form?.action} ${element.name}`;  // Tab stops once in a group of radio buttons
        return groups.has(group) ? false : groups.add(group);
    });
    const named = (element) => element.outerHTML.slice(0, 120);
    const wrong = expected.filter((element) => element.tabIndex > 0).map((element) => `tabindex above 0: ${named(element)}`);
    const visited = [];
    for (const element of window.visited) {
        if (visited.includes(element)) break;  // round once
        visited.push(element);
    }
    const places = visited.map((element) => expected.indexOf(element)).filter((place) => place >= 0);
    for (let step = 1; step < places.length; step += 1) {
        if (places[step] < places[step - 1]) wrong.push(`out of order: ${named(expected[places[step]])}`);
    }
    const wanted = Math.min(expected.length, steps);
    if (visited.length < wanted) wrong.push(`Tab reached ${visited.length} of ${wanted}, up to ${named(visited.at(-1) ?? document.body)}`);
    for (const element of expected.filter((element) => !element.closest(alike))) {
        element.focus({preventScroll: true});
        if (document.activeElement !== element) { wrong.push(`cannot be focused: ${named(element)}`); continue; }
        const style = getComputedStyle(element.closest('.cm-editor') ?? element);  // the ring of an editor is around its line numbers, too
        const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1;
        if (!outlined && style.boxShadow === 'none') wrong.push(`focus cannot be seen: ${named(element)}`);
    }
    return [...new Set(wrong)];
}"""


def keyboard_faults(page: Page) -> list[str]:
    """Press Tab through the page, then look at each stop with the focus, of rows alike at the first.

    A text in which Tab indents lets go after Escape.
    """
    page.evaluate(NOTE)
    stops = int(page.evaluate("document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]').length"))
    left = min(stops, MOST_STEPS) + PARTS * page.locator("input[type=datetime-local]").count()
    indents = page.locator("textarea, [contenteditable=true]").count() > 0
    while left > 0:
        page.keyboard.press("Tab")
        left -= 1
        if indents and page.evaluate("document.activeElement.matches('textarea, [contenteditable=true]')"):
            page.keyboard.press("Escape")
    return [f"{page.url}: {fault}" for fault in page.evaluate(JUDGE, [MOST_STEPS - 5, ", ".join(ALIKE)])]
