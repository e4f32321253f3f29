"""A Markdown document as HTML for a strict CSP: raw HTML is text, no style attributes, links lead to the site's own pages."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import BashLexer, JsonLexer, PythonLexer

LEXERS: dict[str, type[Lexer]] = {"sh": BashLexer, "python": PythonLexer, "json": JsonLexer}
"""Languages of code blocks that have colours. Other blocks are shown as they are."""
ALIGNED = {"text-align:right": "n", "text-align:center": "c"}


class DocError(ValueError):
    """A document that cannot be shown: it has no title, or a link that leads nowhere."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading below the title. `anchor` is the id that GitHub gives it as well."""

    level: int
    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """`links` are the addresses that the body leads to, in order."""

    title: str
    body: SafeString
    headings: tuple[Heading, ...]
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Addresses:
    """How a document names other places.

    `of_link(target)` gives the address of a link, and raises `DocError` when there is no such place; `of_code(text)` the address of a
    document or a page that a piece of code names (`timing.md`, `/status/`), None for all other code.
    """

    of_link: Callable[[str], str]
    of_code: Callable[[str], str | None]


def render(text: str, addresses: Addresses) -> Rendered:
    """The document's title and body. Raises `DocError`."""
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=Html).enable("table")
    tokens = parser.parse(text)
    if len(tokens) < 3 or tokens[0].tag != "h1":
        raise DocError("a document begins with its title: # …")
    title, rest = _plain(tokens[1]), tokens[3:]
    headings = tuple(_anchored(rest))
    links = tuple(_linked(rest, addresses))
    body = mark_safe(parser.renderer.render(rest, parser.options, {}))  # raw HTML is off: the renderer escapes all text
    return Rendered(title, body, headings, links)


class Html(RendererHTML):
    """Our components for what a document is made of: tables in boxes that scroll, code blocks with a button, anchors at headings."""

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return str(format_html('<{} id="{}">', tokens[idx].tag, tokens[idx].meta["anchor"]))

    def heading_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        anchor, tag = tokens[idx - 2].meta["anchor"], tokens[idx].tag
        return str(format_html(' <a class="anchor" href="#{}" tabindex="-1" aria-hidden="true">#</a></{}>\n', anchor, tag))

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        headings = [token.meta["text"] for token in tokens[:idx] if token.type == "heading_open"]
        label = f"Table: {headings[-1]}" if headings else "Table"
        return str(format_html('<div class="scroll" tabindex="0" role="region" aria-label="{}"><table>\n', label))

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f'<th scope="col"{_alignment(tokens[idx])}>'

    def td_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<td{_alignment(tokens[idx])}>"

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        env["blocks"] = number = env.get("blocks", 0) + 1
        copy = f'<button class="needs-js small copy" type="button" data-copy="code-{number}">Copy</button>'
        block = '<div class="code-block" tabindex="0" role="region" aria-label="Code {0}"><pre><code id="code-{0}">{1}</code></pre></div>'
        return f'<div class="copyable">{format_html(block, number, _coloured(tokens[idx]))}{copy}</div>\n'

    code_block = fence

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        code = format_html("<code>{}</code>", tokens[idx].content)
        address = tokens[idx].meta.get("address")
        return str(format_html('<a href="{}">{}</a>', address, code) if address else code)


def _coloured(token: Token) -> SafeString:
    lexer = LEXERS.get(token.info.partition(" ")[0])
    if lexer is None:
        return escape(token.content)
    return mark_safe(highlight(token.content, lexer(), HtmlFormatter(nowrap=True)))  # Pygments escapes what it shows


def _alignment(token: Token) -> str:
    name = ALIGNED.get(str(token.attrGet("style")))
    return f' class="{name}"' if name else ""


def _anchored(tokens: Sequence[Token]) -> Iterator[Heading]:
    """Give every heading its anchor."""
    seen: Counter[str] = Counter()
    for opening, inside in itertools.pairwise(tokens):
        if opening.type != "heading_open":
            continue
        text = _plain(inside)
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        seen[anchor] += 1
        if seen[anchor] > 1:
            anchor = f"{anchor}-{seen[anchor] - 1}"
        opening.meta |= {"anchor": anchor, "text": text}
        yield Heading(int(opening.tag[1]), text, anchor)


def _linked(tokens: Sequence[Token], addresses: Addresses) -> Iterator[str]:
    """Turn links, and code that names a place outside of a link, into addresses of the site."""
    for token in tokens:
        inside_link = False
        for child in token.children or ():
            if child.type == "link_open":
                inside_link = True
                child.attrSet("href", addresses.of_link(str(child.attrGet("href"))))
                yield str(child.attrGet("href"))
            elif child.type == "link_close":
                inside_link = False
            elif child.type == "code_inline" and not inside_link and (address := addresses.of_code(child.content)):
                child.meta["address"] = address
                yield address


def _plain(inline: Token) -> str:
    words = ("\n" if child.type == "softbreak" else child.content for child in inline.children or ())
    return " ".join("".join(words).split())
