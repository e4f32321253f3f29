"""Errors say what happened and what to do next, as pages for people and as problem documents for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from django.apps import apps
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import OperationalError, connection
from django.http import HttpResponse
from django.test import Client
from psycopg import errors as pg

from kbweb.errors.near import near
from kbweb.errors.outage import database_is_away
from tests.live_site import free_port
from tests.pages.cast import evaluation_of, hand_in
from tests.pages.conftest import signed_in
from tests.pages.markup import Markup, faults


def words(answer: HttpResponse) -> str:
    """The page as text that can be searched; its links stand in `Markup`."""
    assert not faults(answer.content.decode())
    return answer.content.decode()


def links(answer: HttpResponse) -> list[str]:
    return Markup(answer.content.decode()).links


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/ops/sofmax/", "/ops/softmax/"),
        ("/ops/SoftMax/", "/ops/softmax/"),
        ("/ops/softmax/h10/", "/ops/softmax/h100/"),
        ("/ops/sofmax/cpu/", "/ops/softmax/cpu/"),
        ("/ops/softmax/gpu/", "/ops/softmax/h100/"),
        ("/ops/softmax/starters/cuda.py", "/ops/softmax/"),
        ("/softmax", "/ops/softmax/"),
        ("/op/softmax/", "/ops/softmax/"),
        ("/leaderboard/softmax/", "/ops/softmax/"),
        ("/leaderboards/", "/ops/"),
        ("/sumbit/", "/submit/"),
        ("/login", "/accounts/login/"),
        ("/contests/", "/competitions/"),
        ("/teams/", "/groups/"),
        ("/docs/timings/", "/docs/timing/"),
        ("/timing.md", "/docs/timing/"),
    ],
)
def test_a_page_that_is_not_there_names_what_looks_like_it(client: Client, path: str, meant: str) -> None:
    answer = client.get(path, follow=True)

    assert answer.status_code == 404
    assert meant in links(answer)


@pytest.mark.parametrize("path", ["/%00/", "/ops/%00/", "/s/%2e%2e/", "/" + "x" * 5000 + "/", "/ops/" + "a/" * 200, "/ops//", "/%ff/"])
def test_any_address_is_answered(client: Client, path: str) -> None:
    assert client.get(path).status_code in (301, 404)


def test_a_submission_is_found_by_a_part_of_its_id_and_by_its_evaluations(client: Client, alice: User) -> None:
    submission = hand_in(alice)
    evaluation = evaluation_of(submission)

    cut = client.get(f"/s/{submission.pk[:7]}/")
    other = client.get(f"/s/{evaluation.pk}/")

    assert f"/s/{submission.pk}/" in links(cut)
    assert f"/s/{submission.pk}/?evaluation={evaluation.pk}" in links(other)


def test_what_one_may_not_see_is_not_named(client: Client, alice: User, as_bob: Client) -> None:
    submission = hand_in(alice, visibility="private")
    evaluation = evaluation_of(submission)

    for asked in (submission.pk[:7], evaluation.pk):
        assert submission.pk not in client.get(f"/s/{asked}/").content.decode().replace(f"/s/{asked}/", "")
        assert not near(f"/s/{asked}/", as_bob.get("/").wsgi_request.user)
    assert near(f"/s/{submission.pk[:7]}/", alice)


def test_a_reason_that_we_gave_is_told_and_django_s_own_is_not(client: Client) -> None:
    assert "There is no epoch" in words(client.get("/ops/softmax/cpu/?epoch=99"))
    assert "matches the given query" not in words(client.get("/ops/nothing-like-it/"))


def test_visitors_are_offered_to_sign_in_and_come_back(client: Client, as_alice: Client) -> None:
    assert "/accounts/login/?next=/s/k3v9/" in links(client.get("/s/k3v9/"))
    assert not [link for link in links(as_alice.get("/s/k3v9/")) if "login" in link]


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/nothing/"])
def test_programs_get_a_problem_document(client: Client, path: str) -> None:
    answer = client.get(path)

    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert json.loads(answer.content)["status"] == 404


def test_who_may_not_is_told_why(client: Client, settings: LazySettings) -> None:
    settings.ROOT_URLCONF = "tests.pages.broken_urls"

    page, document = client.get("/refuses/"), client.get("/api/refuses/")

    assert page.status_code == document.status_code == 403
    assert "Only its author may change &lt;this&gt;." in words(page)
    assert "Only its author" in json.loads(document.content)["detail"]


def test_our_fault_says_so_and_gives_nothing_away(settings: LazySettings) -> None:
    settings.ROOT_URLCONF = "tests.pages.broken_urls"
    client = Client(raise_request_exception=False)

    page, document = client.get("/fails/"), client.get("/api/fails/")

    assert page.status_code == document.status_code == 500
    assert "Something broke on our side" in words(page)
    assert "number of this request" in page.content.decode()
    assert "Request " in json.loads(document.content)["detail"]
    assert b"hunter2" not in page.content + document.content


def test_a_form_without_its_secret_is_refused_in_words(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)

    without_cookie = client.post("/me/tokens/", {"name": "x"})
    client.get("/me/")
    stale = client.post("/me/tokens/", {"name": "x", "csrfmiddlewaretoken": "0" * 32})

    assert without_cookie.status_code == stale.status_code == 403
    assert "Allow cookies" in words(without_cookie)
    assert "reload the page" in words(stale)


def test_a_form_that_is_too_large_names_the_limit(as_alice: Client) -> None:
    answer = as_alice.post("/submit/", {"source": "x" * (9 * 1024**2)})

    assert answer.status_code == 413
    assert "8 MiB" in words(answer)


def test_another_host_name_is_told_the_right_one(client: Client, settings: LazySettings) -> None:
    answer = client.get("/", headers={"host": "evil.example.org"})

    assert answer.status_code == 400
    assert settings.SITE_URL in words(answer)
    assert "evil" not in answer.content.decode()


@pytest.mark.parametrize(
    ("path", "sent_from", "back"),
    [
        ("/me/tokens/abc/revoke/", "http://testserver/me/tokens/?a=b", "/me/tokens/%3Fa%3Db"),
        ("/me/tokens/abc/revoke/", "https://elsewhere.example/me/tokens/", "/me/tokens/"),
        ("/me/webhooks/abc/delete/", "", "/me/webhooks/abc/"),
        ("/groups/lab/members/3/remove/", "", "/groups/lab/"),
        ("/groups/lab/leave/", "", "/groups/lab/"),
        ("/me/account/export/", "", "/me/account/"),
    ],
)
def test_whoever_sent_a_form_too_late_comes_back_to_its_page(client: Client, path: str, sent_from: str, back: str) -> None:
    answer = client.post(path, headers={"Referer": sent_from} if sent_from else {})

    assert answer.headers["Location"] == f"/accounts/login/?next={back}"


def test_the_address_of_a_form_says_where_the_form_is(as_alice: Client, client: Client) -> None:
    answer = as_alice.get("/me/tokens/abc/revoke/")

    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert "/me/tokens/" in links(answer)
    assert faults(answer.content.decode()) == []
    assert client.post("/feed/").status_code == 405
    assert client.post("/api/v1/ops").headers["Content-Type"] == "application/problem+json"


def test_guessing_passwords_ends_in_a_page_that_says_to_wait(client: Client, alice: User) -> None:
    cache.clear()
    try:
        answers = [client.post("/accounts/login/", {"login": "alice", "password": f"wrong {number}"}) for number in range(12)]
        answers += [
            client.post("/accounts/signup/", {"username": f"n{number}", "password1": "x", "password2": "y"}) for number in range(25)
        ]
    finally:
        cache.clear()

    last = answers[-1]
    assert last.status_code == 429
    assert int(last.headers["Retry-After"]) > 0
    assert "Wait some minutes" in words(last)


@pytest.fixture
def without_database() -> Iterator[None]:
    """The site's database at a port at which nobody answers."""
    connection.close()
    before = dict(connection.settings_dict)
    connection.settings_dict |= {"HOST": "127.0.0.1", "PORT": str(free_port())}
    yield
    connection.close()
    connection.settings_dict |= before


@pytest.mark.django_db(transaction=True, available_apps=[app.name for app in apps.get_app_configs()])
def test_while_the_database_is_away_pages_and_programs_are_told_to_come_back(without_database: None) -> None:
    client = signed_in_with_cookie()

    page, sent, document = client.get("/ops/"), client.post("/submit/"), client.get("/api/v1/ops")

    assert page.status_code == sent.status_code == document.status_code == 503
    assert page.headers["Retry-After"] == document.headers["Retry-After"]
    assert 'http-equiv="refresh"' in words(page)
    assert "was not taken" in words(sent)
    assert "Nothing is lost" in json.loads(document.content)["detail"]
    assert client.get("/healthz").status_code == 200


def signed_in_with_cookie() -> Client:
    """A browser that has a session: looking it up is the first that fails."""
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = "x" * 32
    return client


def caused(error: pg.Error | None) -> OperationalError:
    wrapped = OperationalError("it failed")
    wrapped.__cause__ = error
    return wrapped


@pytest.mark.parametrize(
    ("error", "away"),
    [
        (caused(pg.OperationalError("connection refused")), True),
        (caused(pg.AdminShutdown()), True),
        (caused(pg.CannotConnectNow()), True),
        (caused(pg.TooManyConnections()), True),
        (caused(pg.QueryCanceled()), False),
        (caused(pg.DeadlockDetected()), False),
        (ValueError("no"), False),
        (None, False),
    ],
)
def test_only_a_connection_that_is_gone_counts_as_away(error: BaseException | None, away: bool) -> None:
    assert database_is_away(error) is away


def test_moderation_is_named_to_staff_alone(alice: User) -> None:
    path = "/moderate/"
    offered = [one.address for one in near(path, signed_in(alice).get("/").wsgi_request.user)]
    User.objects.filter(pk=alice.pk).update(is_staff=True)

    assert "/moderation/" not in offered
    assert "/moderation/" in [one.address for one in near(path, User.objects.get(pk=alice.pk))]


def test_near_matches_are_few(alice: User) -> None:
    assert len(near("/ops/s/", signed_in(alice).get("/").wsgi_request.user)) <= 5
