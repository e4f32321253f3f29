"""A submission over REST: bounded however often it was run, and asked for in a fixed number of queries; evaluations as a list."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from evaluator.contract import Mode, Outcome, State, Verdict, to_json
from submissions.api.shapes import MOST_RUNS
from submissions.decisions.models import Decision, Kind
from submissions.models import Evaluation, Purpose, Submission
from tests.submissions.conftest import HandIn, client_of

LARGE = re.compile(r'"submissions_evaluation"\."(log|build)"')


def run_again(submission: Submission, outcome: Outcome, times: int) -> list[Evaluation]:
    """Runs that have ended, runs that wait, and the site's own, on two devices, each a second later than the one before."""
    begun = timezone.now() - dt.timedelta(hours=1)
    kinds = (Purpose.RERUN, Purpose.CONFIRMING, Purpose.RERUN)
    made = []
    for number in range(times):
        done = number % 3 != 2
        told = (
            {"state": State.DONE, "verdict": Verdict.ACCEPTED, "outcome": to_json(replace(outcome, log="")), "speedup": 1.25}
            if done
            else {}
        )
        made.append(
            Evaluation(
                submission=submission,
                author=submission.author,
                op=submission.op,
                device=("cpu", "h100")[number % 2],
                mode=Mode.RANKED,
                purpose=kinds[number % 3],
                queued_at=begun + dt.timedelta(seconds=number),
                log="x" * 100,
                **told,
            )
        )
    return Evaluation.objects.bulk_create(made)


def asked(client: APIClient, path: str) -> tuple[dict[str, list[dict[str, object]]], list[str]]:
    with CaptureQueriesContext(connection) as seen:
        answer = client.get(path)
    assert answer.status_code == 200, answer.content
    return answer.json(), [query["sql"] for query in seen.captured_queries]


@pytest.mark.parametrize("reader", ["alice", "nobody"])
def test_a_submission_that_was_run_for_ever_costs_as_much_as_another(alice: User, hand_in: HandIn, accepted: Outcome, reader: str) -> None:
    submission = hand_in(alice, device=["cpu", "h100"]).submission
    client = client_of(alice) if reader == "alice" else APIClient()
    path = f"/api/v1/submissions/{submission.pk}"
    run_again(submission, accepted, 3)
    asked(client, path)
    _, few = asked(client, path)
    run_again(submission, accepted, 2 * MOST_RUNS)

    shown, many = asked(client, path)

    assert len(many) <= len(few) + 1, "\n".join(many)  # the count of all, where not all are shown
    assert len(shown["evaluations"]) == MOST_RUNS
    assert shown["evaluations_count"] == 2 * MOST_RUNS + 5
    assert sum('"submissions_submission"."source"' in sql for sql in many) == 1
    assert not [sql for sql in many if LARGE.search(sql)]


def test_the_newest_are_shown_oldest_first_with_what_each_has(alice: User, hand_in: HandIn, accepted: Outcome, charlie: User) -> None:
    submission = hand_in(alice, device=["cpu", "h100"]).submission
    Evaluation.objects.filter(submission=submission).update(queued_at=timezone.now() - dt.timedelta(hours=2))
    made = run_again(submission, accepted, MOST_RUNS)
    decided = made[0]
    told = {"reason": "Looked at.", "batch": "b", "verdict_before": "suspect", "visibility_before": "public"}
    Decision.objects.create(evaluation=decided, kind=Kind.ACCEPT, actor=charlie, **told)

    shown = client_of(alice).get(f"/api/v1/submissions/{submission.pk}").json()
    public = APIClient().get(f"/api/v1/submissions/{submission.pk}").json()

    assert [run["id"] for run in shown["evaluations"]] == [run.pk for run in made]
    assert shown["evaluations_count"] == MOST_RUNS + 2
    by_id = {run["id"]: run for run in shown["evaluations"]}
    alone = client_of(alice)
    for one in (made[0], made[1], made[2], made[5]):
        assert by_id[one.pk] == alone.get(f"/api/v1/evaluations/{one.pk}").json()
    assert by_id[decided.pk]["decision"]["reason"] == "Looked at."
    assert by_id[decided.pk]["confirming"]["counted"] > 0
    assert by_id[made[2].pk]["queue"] is not None
    assert {run["decision"] for run in public["evaluations"]} == {None}


def test_the_rest_is_a_list_in_pages(alice: User, bob: User, hand_in: HandIn, accepted: Outcome) -> None:
    submission = hand_in(alice, agent="a bot").submission
    run_again(submission, accepted, 30)
    hand_in(bob)
    secret = hand_in(bob, visibility="private")
    client = APIClient()

    path: str | None = client.get(f"/api/v1/submissions/{submission.pk}").json()["evaluations_url"] + "&limit=20"
    found: list[str] = []
    while path:
        page, queries = asked(client, path)
        assert len(queries) == 1
        assert not LARGE.search(queries[0]) and '"outcome"' not in queries[0] and '"source"' not in queries[0]
        found += [str(row["id"]) for row in page["results"]]
        path = page["next"]  # type: ignore[assignment]

    assert found == list(submission.evaluations.order_by("-queued_at").values_list("pk", flat=True))
    everything = {row["id"] for row in client.get("/api/v1/evaluations?limit=200").json()["results"]}
    assert len(everything) == 32 and secret.pk not in everything


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("author=alice", 2),
        ("author=bob", 1),
        ("agent=a+bot", 1),
        ("agent=nobody", 0),
        ("op=softmax&device=cpu", 3),
        ("device=h100", 0),
        ("state=queued&mode=ranked", 3),
    ],
)
def test_lists_are_narrowed_by_the_names_of_their_rows(alice: User, bob: User, hand_in: HandIn, query: str, count: int) -> None:
    hand_in(alice, agent="a bot")
    hand_in(alice)
    hand_in(bob)

    assert len(APIClient().get(f"/api/v1/evaluations?{query}").json()["results"]) == count
    if "device" not in query and "state" not in query:
        assert len(APIClient().get(f"/api/v1/submissions?{query}").json()["results"]) == count


@pytest.mark.parametrize("query", ["verdict=splendid", "mode=fast", "agent=%00"])
def test_a_value_that_is_none_is_named(alice: User, query: str) -> None:
    answer = APIClient().get(f"/api/v1/evaluations?{query}")

    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == [query.partition("=")[0]]
