"""What every page must be, read from its HTML by a parser."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Markup(HTMLParser):
    """Collects headings, landmarks, links, ids, labels and whatever a strict CSP forbids. `wrong` holds faults."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.labelled: set[str] = set()
        self.controls: list[dict[str, str]] = []
        self.title = ""
        self.wrong: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        if self._open:
            self.wrong.append(f"not closed: {self._open}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        if tag not in VOID:
            self._open.append(tag)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "label":
            self.labelled.add(given.get("for", ""))
        if tag in ("input", "select", "textarea") and given.get("type") not in ("hidden", "submit"):
            self.controls.append(given)
        if tag == "style" or "style" in given:
            self.wrong.append(f"inline style in {self.get_starttag_text()}")
        if tag == "script" and "src" not in given:
            self.wrong.append("inline script")
        self.wrong += [f"inline handler {name}" for name in given if re.match(r"on[a-z]+$", name)]
        if given.get("href", "").startswith("javascript:"):
            self.wrong.append("javascript: link")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.wrong.append(f"</{tag}> closes something else")

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "title" and "svg" not in self._open:
            self.title += data


def faults(text: str) -> list[str]:
    """What is wrong with a whole page."""
    page = Markup(text)
    wrong = list(page.wrong)
    if page.tags.count("h1") != 1:
        wrong.append(f"{page.tags.count('h1')} h1")
    if not page.title.replace("· kbweb", "").strip():
        wrong.append("no title")
    wrong += [f"no <{tag}>" for tag in ("main", "header", "footer", "nav") if tag not in page.tags]
    if "#main" not in page.links:
        wrong.append("no skip link")
    doubled = {name for name in page.ids if page.ids.count(name) > 1}
    if doubled:
        wrong.append(f"ids used twice: {sorted(doubled)}")
    wrong += [f"no label for {c}" for c in page.controls if c.get("id") not in page.labelled and not c.get("aria-label")]
    return wrong
