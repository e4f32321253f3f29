"""The REST door: what a bot sends and gets."""

from __future__ import annotations

from base64 import b64encode

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from rest_framework.test import APIClient

from evaluator.contract import Outcome
from submissions import events
from submissions.models import Evaluation
from tests.pages.outcomes import wrong_result
from tests.submissions.conftest import SUBMISSION, SUBMISSIONS, HandIn, client_of, finished


def test_feedback_is_markdown_for_a_language_model(bot: APIClient, hand_in: HandIn, alice: User) -> None:
    run = hand_in(alice)
    early = bot.get(f"/api/v1/evaluations/{run.pk}/feedback")
    finished(run, wrong_result())

    answer = bot.get(f"/api/v1/evaluations/{run.pk}/feedback", headers={"Accept": "text/markdown"})
    stranger = APIClient().get(f"/api/v1/evaluations/{run.pk}/feedback").content.decode()

    assert early.status_code == 409 and "wait=60" in early.json()["detail"]
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
    text = answer.content.decode()
    assert "# softmax on cpu: wrong_result" in text and "| [0, 3] | 0.0078125 | 0.53 | 7.1e+07 |" in text
    assert "plain: 25 % of the elements" in text and "plain: 25 % of the elements" in stranger


def test_feedback_on_what_another_evaluator_wrote_is_the_verdict(bot: APIClient, hand_in: HandIn, alice: User) -> None:
    run = finished(hand_in(alice), wrong_result())
    Evaluation.objects.filter(pk=run.pk).update(outcome={**run.outcome, "stage": "dreaming"})

    answer = bot.get(f"/api/v1/evaluations/{run.pk}/feedback")

    assert answer.status_code == 200
    assert answer.content.decode().startswith("# softmax on cpu: wrong_result\n\nAnother version of the evaluator")


def test_a_profile_is_asked_for_over_rest(bot: APIClient, hand_in: HandIn, alice: User, bob: User, accepted: Outcome) -> None:
    run = hand_in(alice)
    url = f"/api/v1/evaluations/{run.pk}/profile"
    early = bot.post(url)
    finished(run, accepted)

    made, again = bot.post(url), bot.post(url)

    assert (early.status_code, list(early.json()["errors"])) == (400, ["evaluation"])
    assert (made.status_code, made.json()["mode"], made.json()["submission"]) == (201, "profile", run.submission_id)
    assert again.json()["id"] == made.json()["id"]
    assert client_of(bob).post(url).status_code == 403
    assert client_of(alice, "read").post(url).status_code == 403


def test_private_ones_do_not_exist_for_others(alice: User, bob: User, hand_in: HandIn) -> None:
    run = hand_in(alice, visibility="private")

    for path in (f"submissions/{run.submission_id}", *(f"evaluations/{run.pk}{rest}" for rest in ("", "/events", "/log"))):
        assert client_of(bob).get(f"/api/v1/{path}").status_code == 404
        assert APIClient().get(f"/api/v1/{path}").status_code == 404
        assert client_of(alice).get(f"/api/v1/{path}").status_code == 200
    assert client_of(bob).get(SUBMISSIONS).json()["results"] == []
    assert len(client_of(alice).get(SUBMISSIONS).json()["results"]) == 1


@pytest.mark.parametrize("path", ["submissions", "runs"])
@pytest.mark.parametrize("place", ["p=garbage", "p=%00", "p=0001-01-01 00:00:00+23:59", "p=2026-01-01", "p=9", "o=x"])
def test_a_cursor_that_nobody_gave_is_not_found(db: None, path: str, place: str) -> None:
    answer = APIClient().get(f"/api/v1/{path}", {"cursor": b64encode(place.encode()).decode()})

    assert answer.status_code == 404


def test_the_cursor_that_was_given_leads_on(alice: User, hand_in: HandIn) -> None:
    made = [hand_in(alice).submission_id for _ in range(3)]

    page = APIClient().get(SUBMISSIONS, {"limit": 2}).json()
    rest = APIClient().get(page["next"]).json()

    assert [row["id"] for row in (*page["results"], *rest["results"])] == made[::-1]


def test_result_only_hides_source_log_and_tracebacks(alice: User, bob: User, hand_in: HandIn, wrong: Outcome) -> None:
    run = finished(hand_in(alice, visibility="result"), wrong)
    events.append(events.evaluation_stream(run.pk), "log", {"text": "secret output"})
    stranger, author = client_of(bob), client_of(alice)

    seen = [stranger.get(f"/api/v1/{path}").content.decode() for path in (f"submissions/{run.submission_id}", f"evaluations/{run.pk}")]
    told = stranger.get(f"/api/v1/evaluations/{run.pk}/events").content.decode()

    assert not any("secret" in text or "torch.softmax" in text for text in (*seen, told))
    assert stranger.get(f"/api/v1/evaluations/{run.pk}/log").status_code == 403
    assert "secret line" in author.get(f"/api/v1/evaluations/{run.pk}").content.decode()
    assert "secret output" in author.get(f"/api/v1/evaluations/{run.pk}/events").content.decode()


def test_a_finished_evaluation(bot: APIClient, alice: User, hand_in: HandIn, accepted: Outcome) -> None:
    run = finished(hand_in(alice), accepted)

    body = bot.get(f"/api/v1/evaluations/{run.pk}").json()

    assert (body["verdict"], body["stage"], body["performance_score"], body["time_us"], body["queue"]) == (
        "accepted",
        "timing",
        1.25,
        80.0,
        None,
    )
    assert body["outcome"]["timing"]["cases"] == 3
    log = bot.get(f"/api/v1/evaluations/{run.pk}/log")
    assert log["Content-Type"].startswith("text/plain")
    assert log.content.decode() == "hello\ufffd world"


def test_events_go_on_after_the_last_one_seen(bot: APIClient, alice: User, hand_in: HandIn, accepted: Outcome) -> None:
    run = finished(hand_in(alice), accepted)
    url = f"/api/v1/evaluations/{run.pk}/events"

    first = bot.get(url, {"limit": 2}).json()
    rest = bot.get(url, {"after": first["last_seq"]}).json()

    assert [event["seq"] for event in (*first["events"], *rest["events"])] == [1, 2, 3, 4]
    assert (first["done"], rest["done"]) == (False, True)
    assert rest["events"][-1]["kind"] == "verdict"
    assert list(bot.get(url, {"after": -1}).json()["errors"]) == ["after"]


def test_cancel(bot: APIClient, bob: User, alice: User, hand_in: HandIn) -> None:
    run = hand_in(alice)
    url = f"/api/v1/evaluations/{run.pk}/cancel"

    assert client_of(bob).post(url).status_code == 403
    assert client_of(alice, "read").post(url).status_code == 403
    assert APIClient().post(url).status_code == 401
    assert bot.post(url).json()["verdict"] == "cancelled"
    assert bot.post(url).json()["verdict"] == "cancelled"


def test_tokens(bot: APIClient, alice: User, bob: User) -> None:
    made = bot.post("/api/v1/tokens", {"name": "laptop", "scopes": ["read"], "expires_in_days": 7})
    secret, token_id = made.json()["token"], made.json()["id"]
    reader = APIClient()
    reader.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")

    assert made.status_code == 201
    assert reader.get("/api/v1/me").json()["scopes"] == ["read"]
    assert reader.post(SUBMISSIONS, SUBMISSION).status_code == 403
    assert reader.post("/api/v1/tokens", {"name": "more"}).status_code == 403
    assert secret not in bot.get("/api/v1/tokens").content.decode()
    assert [row["name"] for row in bot.get("/api/v1/tokens").json()] == ["laptop", "test"]
    assert client_of(bob).delete(f"/api/v1/tokens/{token_id}").status_code == 404
    assert bot.delete(f"/api/v1/tokens/{token_id}").status_code == 204
    assert reader.get("/api/v1/me").status_code == 401


@pytest.mark.parametrize(
    ("field", "value"), [("name", ""), ("name", "x" * 81), ("scopes", ["root"]), ("scopes", []), ("expires_in_days", 0)]
)
def test_a_wrong_token_wish_names_the_field(bot: APIClient, field: str, value: object) -> None:
    answer = bot.post("/api/v1/tokens", {"name": "laptop", field: value})

    assert answer.status_code == 400
    assert next(iter(answer.json()["errors"])).partition(".")[0] == field


def test_me(bot: APIClient, alice: User, hand_in: HandIn) -> None:
    hand_in(alice)

    body = bot.get("/api/v1/me").json()

    assert body["username"] == "alice"
    assert (body["quota"]["open_evaluations"], body["quota"]["submissions_this_hour"]) == (1, 1)
    assert APIClient().get("/api/v1/me").status_code == 401


def test_the_list_takes_a_fixed_number_of_queries(bot: APIClient, alice: User, hand_in: HandIn, django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    for _ in range(20):
        hand_in(alice)

    with django_assert_max_num_queries(5):
        assert len(bot.get(SUBMISSIONS).json()["results"]) == 20


def test_the_description_has_no_warnings() -> None:
    call_command("spectacular", validate=True, fail_on_warn=True, file="/dev/null")
