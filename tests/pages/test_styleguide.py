"""The styleguide shows the real components in both themes, to staff; its colours can be read."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from kbweb.styleguide.tokens import THEMES, Colour, colours, contrast
from tests.pages.conftest import signed_in
from tests.pages.markup import faults
from tests.site_pages import Samples

CSS = Path(__file__).parents[2] / "static" / "css"
PAPERS = ("paper", "surface", "sunken", "raised")
WORDS = ("ink", "ink-2", "accent", "good", "bad", "warn")
ON_SOFT = [(word, f"{word}-soft") for word in ("accent", "good", "bad", "warn")]


def test_only_staff_see_it(client: Client, as_alice: Client, charlie: User) -> None:
    assert client.get("/styleguide/").status_code == 404
    assert as_alice.get("/styleguide/").status_code == 404
    assert signed_in(charlie).get("/styleguide/").status_code == 200


def test_every_component_is_drawn_in_both_themes_by_the_fragments_of_pages(charlie: User, full_site: Samples) -> None:
    page = signed_in(charlie).get("/styleguide/").content.decode()

    assert not faults(page)
    assert page.count('data-theme="light"') == page.count('data-theme="dark"') > 15
    for fragment in ("leaderboard/_rows.html", "submissions/_rail.html", "kbweb/specimens/form.html"):
        assert fragment in page
    assert 'id="light-rail-rail"' in page
    assert page.count('class="whisker"') >= 4
    assert "This field is required." in page


def test_a_fresh_site_has_a_styleguide_too(charlie: User) -> None:
    page = signed_in(charlie).get("/styleguide/").content.decode()

    assert "Nothing was judged on this site yet" in page


def colour(name: str) -> Colour:
    return next(one for one in colours() if one.name == name)


@pytest.mark.parametrize("theme", THEMES)
def test_words_can_be_read_on_every_paper(theme: str) -> None:
    pairs = [*itertools.product(WORDS, PAPERS), *ON_SOFT, ("ink", "accent-soft"), ("ink-2", "idle-soft"), ("accent-ink", "accent")]
    poor = {pair: found for pair in pairs if (found := contrast(colour(pair[0]).of(theme), colour(pair[1]).of(theme))) < 4.5}

    assert not poor


@pytest.mark.parametrize("theme", THEMES)
def test_code_can_be_read(theme: str) -> None:
    code = [one for one in colours() if one.name.startswith("code-")]
    poor = {one.name: found for one in code if (found := contrast(one.of(theme), colour("sunken").of(theme))) < 4.5}

    assert len(code) >= 6
    assert not poor


def test_colours_are_named_in_one_file_alone() -> None:
    """Everything else uses the names, so that both themes and every mode come from the same lines."""
    wrong = [
        f"{path.name}: {found}"
        for path in CSS.glob("*.css")
        if path.name != "tokens.css"
        for found in re.findall(
            r"#[0-9a-fA-F]{3,8}\b|rgba?\([^)]*\)|hsla?\([^)]*\)", re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
        )
    ]

    assert not wrong


def test_every_token_that_is_used_exists() -> None:
    defined = set(re.findall(r"^\s*--([\w-]+):", (CSS / "tokens.css").read_text(), re.MULTILINE))
    used = {name for path in CSS.glob("*.css") for name in re.findall(r"var\(--([\w-]+)", path.read_text())}

    assert not used - defined
