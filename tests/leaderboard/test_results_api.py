"""Suites and their figures over REST."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluator.contract import Flag, KernelType
from leaderboard.suites import Suite
from submissions.models import Visibility
from tests.leaderboard.trial import OPS, ended, make_trial

RESULTS = "/api/v1/results?suite=trial&device=h100"


@pytest.fixture(autouse=True)
def trial(db: None) -> Suite:
    return make_trial()


def get(client: Client, path: str, **headers: str) -> Any:
    return client.get(path, headers=headers)


def test_suites_have_a_title_a_sentence_and_a_size(client: Client) -> None:
    assert get(client, "/api/v1/suites").json() == [{"slug": "trial", "title": "trial", "description": "Ops imported as trial.", "ops": 4}]


def test_the_figures_of_everybody(client: Client, alice: User, bob: User) -> None:
    fastest = ended(alice, OPS[0], 1.6)
    ended(bob, OPS[0], 1.2)
    ended(bob, OPS[1], score=0.5)

    answer = get(client, RESULTS).json()

    (row,) = answer["rows"]
    assert (answer["suite"], answer["device"], answer["by"], answer["interpreted"]) == ("trial", "h100", "", [])
    assert (row["author"], row["figures"]["accepted"], row["figures"]["correctness_rate"]) == ("", 1, 0.25)
    assert row["figures"]["fast_p"][2] == {"p": 1.5, "ops": 1, "of_suite": 0.25, "of_attempted": 0.5}
    assert [result["op"] for result in row["per_op"]] == list(OPS)
    assert row["per_op"][0]["speed"]["evaluation"] == fastest.pk
    assert row["per_op"][1]["attempt"]["verdict"] == "wrong_result"
    assert row["per_op"][3]["attempt"] is None


def test_a_row_per_author_or_label_best_first(client: Client, alice: User, bob: User) -> None:
    ended(alice, OPS[0], 0.9, agent="one")
    ended(bob, OPS[0], 1.2, agent="two")

    by_author, by_agent = (get(client, f"{RESULTS}&by={by}").json() for by in ("author", "agent"))

    assert [(row["author"], row["agent"]) for row in by_author["rows"]] == [("bob", ""), ("alice", "")]
    assert [(row["author"], row["agent"]) for row in by_agent["rows"]] == [("", "two"), ("", "one")]
    assert by_author["rows"][0]["per_op"] == []
    assert get(client, f"{RESULTS}&by=author&agent=one").json()["rows"][0]["author"] == "alice"


def test_what_was_interpreted_is_apart(client: Client, alice: User) -> None:
    ended(alice, OPS[0], 0.01, device="cpu", kernel_type=KernelType.TRITON, flags=(Flag.INTERPRETED,))

    answer = get(client, "/api/v1/results?suite=trial&device=cpu").json()

    assert answer["rows"] == []
    assert [(row["interpreted"], row["figures"]["accepted"]) for row in answer["interpreted"]] == [(True, 1)]


def test_nothing_yet_is_a_row_of_nothing(client: Client) -> None:
    (row,) = get(client, RESULTS).json()["rows"]

    assert (row["figures"]["ops"], row["figures"]["attempted"], row["figures"]["correctness_score"]) == (4, 0, None)


@pytest.mark.parametrize(
    ("query", "field", "said"),
    [
        ("device=h100", "suite", "required"),
        ("suite=trial", "device", "required"),
        ("suite=trail&device=h100", "suite", "Did you mean trial?"),
        ("suite=trial&device=h10", "device", "Did you mean h100?"),
        ("suite=trial&device=abacus", "device", "There are cpu, h100."),
        ("suite=trial&device=h100&by=cat", "by", "not a valid choice"),
        ("suite=trial&device=h100&author=nobody", "author", "nobody"),
        ("suite=trial&device=h100&agent=none", "agent", "none"),
        ("suite=trial&device=h100&author=a%00b", "author", "Null"),
        ("suite=trial&device=h100&agent=" + "x" * 81, "agent", "80"),
    ],
)
def test_a_wrong_parameter_names_its_field(client: Client, query: str, field: str, said: str) -> None:
    answer = get(client, f"/api/v1/results?{query}")

    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert list(answer.json()["errors"]) == [field]
    assert said in answer.json()["errors"][field][0]


def test_all_wrong_names_are_told_at_once(client: Client) -> None:
    assert set(get(client, "/api/v1/results?suite=x&device=y").json()["errors"]) == {"suite", "device"}


def test_a_name_known_from_private_submissions_alone_is_not_known(client: Client, alice: User, bob: User) -> None:
    ended(alice, OPS[0], visibility=Visibility.PRIVATE, agent="secret-agent")
    theirs, own = Client(), Client()
    theirs.force_login(bob)
    own.force_login(alice)

    for query in ("author=alice", "agent=secret-agent"):
        stranger, author = get(theirs, f"{RESULTS}&{query}"), get(own, f"{RESULTS}&{query}")
        assert stranger.status_code == 400
        assert author.json()["rows"][0]["figures"]["accepted"] == 1
    assert "alice" not in get(theirs, f"{RESULTS}&by=author").content.decode()


def test_an_author_who_did_nothing_here_has_attempted_nothing(client: Client, alice: User) -> None:
    ended(alice, OPS[0], device="cpu")

    (row,) = get(client, f"{RESULTS}&author=alice").json()["rows"]

    assert (row["author"], row["figures"]["attempted"]) == ("alice", 0)


@pytest.mark.parametrize(("path", "headers"), [(f"{RESULTS}&by=agent&format=csv", {}), (f"{RESULTS}&by=agent", {"accept": "text/csv"})])
def test_figures_as_csv(client: Client, alice: User, path: str, headers: dict[str, str]) -> None:
    ended(alice, OPS[0], 1.6, agent="=1+1")
    ended(alice, OPS[1], score=0.5, agent="=1+1")

    answer = get(client, path, **headers)

    (row,) = csv.DictReader(io.StringIO(answer.content.decode()))
    assert answer["Content-Type"].startswith("text/csv")
    assert "trial_h100.csv" in answer["Content-Disposition"]
    assert (row["suite"], row["device"], row["agent"], row["ops"], row["accepted"]) == ("trial", "h100", "'=1+1", "4", "1")
    assert (row["fast_0.8"], row["fast_1"], row["fast_2"], row["fast_1.5_of_attempted"]) == ("0.25", "0.25", "0.0", "0.5")
    assert float(row["geomean_speedup"]) == 1.6
    assert row["interpreted"] == "false"


def test_an_error_in_csv_names_the_field(client: Client) -> None:
    answer = get(client, "/api/v1/results?suite=trail&device=h100&format=csv")

    assert answer.status_code == 400
    assert answer.json()["errors"]["suite"][0].startswith("There is no suite 'trail'")


def test_figures_that_did_not_change_are_not_sent_again(client: Client, alice: User) -> None:
    etag = get(client, RESULTS)["ETag"]

    assert get(client, RESULTS, if_none_match=etag).status_code == 304
    ended(alice, OPS[0])
    assert get(client, RESULTS, if_none_match=etag).status_code == 200


def test_queries_do_not_grow(client: Client, alice: User, bob: User, django_assert_num_queries: Any) -> None:
    for op in OPS:
        ended(alice, op, agent="one")
        ended(bob, op, agent="two")

    for query in ("", "&by=author", "&by=agent", "&author=alice&agent=one"):
        with django_assert_num_queries(5 if "agent" in query else 4):
            assert get(client, RESULTS + query).status_code == 200
