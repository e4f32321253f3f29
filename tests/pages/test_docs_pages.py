"""The documents as pages: safe HTML, links to the site, anchors, colours, Markdown for programs."""

from __future__ import annotations

import re

import pytest
from django.conf import LazySettings
from django.test import Client

from kbweb.docs.markdown import Addresses, DocError, render
from kbweb.docs.shelf import DOCS, FOLDER, address_of_code, address_of_link

NOWHERE = Addresses(lambda target: target, lambda text: None)


def test_every_document_is_on_the_shelf() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(DOCS)


def test_markup_in_a_document_is_text() -> None:
    page = render("# T\n\n<script>alert(1)</script> and <b onclick=x>\n\n[a](javascript:alert(1))\n", NOWHERE)

    assert "<script" not in page.body
    assert "<b" not in page.body
    assert 'href="javascript' not in page.body


def test_headings_have_the_anchors_that_github_gives_them() -> None:
    page = render("# T\n\n## What is `not` believed?\n\n## A/A: torch\n\n## A/A: torch\n", NOWHERE)

    assert [heading.anchor for heading in page.headings] == ["what-is-not-believed", "aa-torch", "aa-torch-1"]
    assert '<h2 id="what-is-not-believed">' in page.body


def test_tables_stand_in_boxes_and_align_by_class() -> None:
    page = render("# T\n\n## Figures\n\n| a | b |\n| --- | ---: |\n| x | 1 |\n", NOWHERE)

    assert 'aria-label="Table: Figures"' in page.body
    assert '<td class="n">1</td>' in page.body
    assert "style=" not in page.body


@pytest.mark.parametrize(
    ("word", "sign"), [("python", '<span class="k">def</span>'), ("sh", '<span class="nv">'), ("json", '<span class="nt">')]
)
def test_code_has_colours_and_stays_text(word: str, sign: str) -> None:
    block = {"python": "def f(): return '<b>'", "sh": 'X="<b>" curl $X', "json": '{"a": "<b>"}'}[word]

    page = render(f"# T\n\n```{word}\n{block}\n```\n", NOWHERE)

    assert sign in page.body
    assert "<b>" not in page.body


def test_links_between_documents_lead_to_pages() -> None:
    assert address_of_link("timing.md") == "/docs/timing/"
    assert address_of_link("glossary.md#flags") == "/docs/glossary/#flags"
    assert address_of_link("rules.md") == "/rules/"
    assert address_of_link("https://example.org/x") == "https://example.org/x"
    assert address_of_code("timing.md") == "/docs/timing/"
    assert address_of_code("/status/") == "/status/"
    assert address_of_code("/ops/<slug>/") is None
    assert address_of_code("/no/such/page/") is None


@pytest.mark.parametrize("target", ["nothing.md", "../README.md", "evaluator/contract.py"])
def test_a_link_to_nowhere_is_an_error(target: str) -> None:
    with pytest.raises(DocError, match=re.escape(target)):
        address_of_link(target)


@pytest.mark.parametrize("name", DOCS)
def test_a_document_is_shown_and_given_as_it_is_written(client: Client, name: str) -> None:
    page = client.get(DOCS[name].address)
    source = client.get(f"/docs/{name}.md")

    text = (FOLDER / f"{name}.md").read_text()
    assert text.partition("\n")[0].removeprefix("# ") in page.content.decode()
    assert source.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert len(source.content.decode().splitlines()) == len(text.splitlines())
    assert client.get(f"/docs/{name}.md", headers={"If-None-Match": source.headers["ETag"]}).status_code == 304


def test_the_sites_own_address_stands_in_examples(client: Client, settings: LazySettings) -> None:
    settings.SITE_URL = "https://kernels.example.org"

    page = client.get("/docs/api-guide.md").content.decode()

    assert "export KB_URL=https://kernels.example.org" in page
    assert "127.0.0.1" not in page


def test_rules_have_one_address(client: Client) -> None:
    assert client.get("/docs/rules/").headers["Location"] == "/rules/"


def test_an_unknown_document_says_where_all_are(client: Client) -> None:
    answer = client.get("/docs/timeing/")

    assert answer.status_code == 404
    assert 'href="/docs/timing/"' in answer.content.decode()


def test_programs_read_everything_in_one_text(client: Client) -> None:
    answer = client.get("/llms.txt")
    text = answer.content.decode()

    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    assert "# API guide" in text
    assert "# Formats" in text
    listed = re.findall(r"\]\(https?://[^/)]+(/docs/[\w-]+\.md)\)", text)
    assert len(listed) == len(DOCS)
    assert all(client.get(path).status_code == 200 for path in listed)


def test_the_reference_shows_every_endpoint_and_shape(client: Client) -> None:
    page = client.get("/api/docs/").content.decode()

    assert 'id="submissions_create"' in page
    assert "/api/v1/evaluations/{evaluation_id}/events" in page
    assert 'href="#shape-EvaluationShape"' in page
    assert 'id="shape-EvaluationShape"' in page
    assert "The same key with the same content hands in once." in page
    assert "<script" not in page.partition("</head>")[2]
