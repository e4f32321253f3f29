"""Pictures and badges for other sites: of public results alone, the same for everybody, not drawn twice."""

from __future__ import annotations

import io
from xml.etree import ElementTree as ET

import pytest
from django.contrib.auth.models import User
from django.test import Client
from PIL import Image

from evaluator.ops import registry
from leaderboard import catalogue
from leaderboard.share.badge import badge
from leaderboard.share.card import card
from submissions.models import Evaluation
from submissions.pages.headline import Headline
from tests.pages.cast import evaluation_of, finish, hand_in, person
from tests.pages.conftest import signed_in
from tests.pages.outcomes import accepted, wrong_result

SVG = "{http://www.w3.org/2000/svg}"
SHOWN = Headline("softmax", "h100", "NVIDIA H100", "alice", "triton", "Accepted", "good", False, 1.32, 1.31, 1.33)


@pytest.fixture(autouse=True)
def _catalogue(db: None) -> None:
    catalogue.load(registry.all_ops("smoke"))


@pytest.fixture
def author() -> User:
    return person("alice")


def accepted_by(author: User, **fields: object) -> Evaluation:
    return finish(evaluation_of(hand_in(author, **fields)), accepted(1.32))


def words(svg: bytes) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_the_card_is_a_picture_of_the_right_size_that_caches_may_keep(client: Client, author: User) -> None:
    evaluation = accepted_by(author)

    answer = client.get(f"/card/{evaluation.pk}.png")

    assert answer.headers["Content-Type"] == "image/png"
    assert answer.headers["Cache-Control"] == "public, max-age=3600"
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)
    again = client.get(f"/card/{evaluation.pk}.png", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_what_changes_the_picture_changes_its_tag(client: Client, author: User) -> None:
    evaluation = evaluation_of(hand_in(author))
    open_ = client.get(f"/card/{evaluation.pk}.png")

    finish(evaluation, wrong_result())

    done = client.get(f"/card/{evaluation.pk}.png", headers={"If-None-Match": open_.headers["ETag"]})
    assert done.status_code == 200
    assert open_.headers["Cache-Control"] == "public, max-age=15"


@pytest.mark.parametrize(
    "shown",
    [
        SHOWN,
        Headline("a/very/" + "long" * 60, "cpu", "CPU", "ж" * 150, "torch", "Wrong result", "bad"),
        Headline("x", "cpu", "CPU", "b", "triton", "Accepted", "good", True, 1e-9, 1e-9, 1e-9),
        Headline("x", "cpu", "CPU", "b", "triton", "Queued", "idle"),
    ],
)
def test_whatever_there_is_to_tell_fits_on_the_card(shown: Headline) -> None:
    picture = Image.open(io.BytesIO(card(shown)))

    edge = picture.crop((1140, 40, 1200, 630)).getcolors()
    assert edge is not None and len(edge) == 1, "something is written over the edge"


@pytest.mark.parametrize("path", ["/card/{0}.png", "/badge/{0}.svg"])
def test_what_is_private_has_neither_for_anybody(author: User, path: str) -> None:
    evaluation = accepted_by(author, visibility="private")

    for client in (Client(), signed_in(author), signed_in(person("charlie", is_staff=True))):
        assert client.get(path.format(evaluation.pk)).status_code == 404
        assert client.get(path.format("absent")).status_code == 404


def test_the_badge_of_a_result_says_the_speedup_or_the_verdict(client: Client, author: User) -> None:
    good = client.get(f"/badge/{accepted_by(author).pk}.svg")
    bad = client.get(f"/badge/{finish(evaluation_of(hand_in(author)), wrong_result()).pk}.svg")

    assert good.headers["Content-Type"] == "image/svg+xml"
    assert words(good.content) == ["softmax · cpu", "1.32× ± 1.0 %"]
    assert words(bad.content) == ["softmax · cpu", "wrong result"]


def test_the_badge_of_an_author_follows_the_board(client: Client, author: User) -> None:
    path = "/badge/softmax/cpu/alice.svg"
    assert words(client.get(path).content) == ["softmax · cpu", "no entry"]
    accepted_by(author, visibility="private")
    assert words(client.get(path).content) == ["softmax · cpu", "no entry"]

    accepted_by(author, visibility="result")

    first = client.get(path)
    assert words(first.content) == ["softmax · cpu", "#1 1.32× ± 1.0 %"]
    assert client.get(path, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    finish(evaluation_of(hand_in(person("bob"))), accepted(2.0))
    assert words(client.get(path).content) == ["softmax · cpu", "#2 1.32× ± 1.0 %"]
    assert client.get("/badge/nothing/cpu/alice.svg").status_code == 404
    assert words(client.get("/badge/softmax/cpu/nobody.svg").content) == ["softmax · cpu", "no entry"]


def test_a_badge_is_sound_whatever_it_says() -> None:
    svg = badge("<b>&\"'", "w" * 200, "warn", "<script>")

    root = ET.fromstring(svg)
    assert "<script>" not in svg
    assert all(len(word) <= 48 for word in words(svg.encode()))
    assert float(root.get("width") or 0) > 20


def test_the_page_names_card_and_badges_where_it_is_public(client: Client, author: User) -> None:
    shown = accepted_by(author)
    secret = accepted_by(author, visibility="private")

    page = client.get(f"/s/{shown.submission_id}/").content.decode()
    own = signed_in(author).get(f"/s/{secret.submission_id}/").content.decode()

    assert f'<meta property="og:image" content="http://127.0.0.1:8000/card/{shown.pk}.png">' in page
    assert 'content="Softmax on CPU: accepted, 1.32× torch eager (± 1.0 %), torch kernel by alice"' in page
    assert "(http://127.0.0.1:8000/badge/softmax/cpu/alice.svg)](http://127.0.0.1:8000/ops/softmax/cpu/)" in page
    for hint in ("og:", "/card/", "/badge/", "canonical"):
        assert hint not in own
    assert '<meta name="robots" content="noindex">' in own
