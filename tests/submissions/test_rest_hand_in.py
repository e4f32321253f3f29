"""Handing in over REST: what is taken, what is refused, and by which field."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from rest_framework.test import APIClient

from evaluator.contract import Outcome
from submissions.claim import claim
from submissions.finish import finish
from submissions.models import Submission
from tests.submissions.conftest import SOURCE, SUBMISSION, SUBMISSIONS, client_of, committed


def test_hand_in_json(bot: APIClient) -> None:
    answer = bot.post(SUBMISSIONS, {**SUBMISSION, "device": ["cpu", "h100"], "agent": "my-bot"})

    body = answer.json()
    assert answer.status_code == 201
    assert (body["op"], body["kernel_type"], body["author"], body["agent"]) == ("softmax", "torch", "alice", "my-bot")
    assert body["source"] == SOURCE.decode()
    assert body["url"].endswith(f"/s/{body['id']}/")
    first = body["evaluations"][0]
    assert (first["state"], first["verdict"], first["outcome"], first["policy"]) == ("queued", "", None, "scaled")
    assert first["queue"] == {"ahead": 0, "estimate_s": None}
    assert first["url"].endswith(f"?evaluation={first['id']}")


def test_hand_in_a_file(bot: APIClient) -> None:
    form = {**SUBMISSION, "source": SimpleUploadedFile("fast.py", SOURCE), "device": ["cpu", "h100"]}

    answer = bot.post(SUBMISSIONS, form, format="multipart")

    assert answer.status_code == 201
    assert answer.json()["filename"] == "fast.py"
    assert len(answer.json()["evaluations"]) == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("source", ""),
        ("source", "#" * (1024 * 1024 + 1)),
        ("source", "x = '\x00'"),
        ("source", 7),
        ("source", None),
        ("op", "sofmax"),
        ("op", "a\x00b"),
        ("op", 10**30),
        ("device", "toaster"),
        ("device", []),
        ("device", {"cpu": 1}),
        ("device", [1]),
        ("device", ["cpu"] * 17),
        ("kernel_type", "fortran"),
        ("kernel_type", "cuda"),
        ("mode", "fast"),
        ("visibility", "hidden"),
        ("filename", "a/b.py"),
        ("agent", "x" * 200),
        ("policy", "lenient"),
        ("policy", "backendbench"),
        ("seed", "seven"),
        ("seed", 7),
        ("seed", -1),
        ("idempotency_key", "k" * 300),
    ],
)
def test_refused_with_the_field_named(bot: APIClient, field: str, value: object) -> None:
    answer = bot.post(SUBMISSIONS, {**SUBMISSION, field: value})

    assert answer.status_code == 400
    assert answer["Content-Type"].startswith("application/problem+json")
    assert list(answer.json()["errors"]) == [field]
    assert not Submission.objects.exists()


@pytest.mark.parametrize("source", [b"", b"x = 1\xff", b"\x00", b"#" * (1024 * 1024 + 1)])
def test_a_bad_file_is_refused_with_the_field_named(bot: APIClient, source: bytes) -> None:
    answer = bot.post(SUBMISSIONS, {**SUBMISSION, "source": SimpleUploadedFile("k.py", source)}, format="multipart")

    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == ["source"]


def test_surrogates_in_json_are_not_utf8(bot: APIClient) -> None:
    answer = bot.generic(
        "POST", SUBMISSIONS, b'{"op": "softmax", "device": "cpu", "source": "x = \\"\\ud800\\""}', content_type="application/json"
    )

    assert answer.status_code == 400
    assert "not UTF-8" in answer.json()["errors"]["source"][0]


@pytest.mark.parametrize("body", [b"{", b"[]", b"7", b"\xff"])
def test_what_is_no_object_is_refused(bot: APIClient, body: bytes) -> None:
    answer = bot.generic("POST", SUBMISSIONS, body, content_type="application/json")

    assert answer.status_code == 400
    assert answer["Content-Type"].startswith("application/problem+json")


def test_all_missing_fields_are_named(bot: APIClient) -> None:
    assert set(bot.post(SUBMISSIONS, {}).json()["errors"]) == {"op", "source", "device"}


def test_the_idempotency_key_of_the_header(bot: APIClient) -> None:
    first = bot.post(SUBMISSIONS, SUBMISSION, headers={"Idempotency-Key": "k1"})
    again = bot.post(SUBMISSIONS, SUBMISSION, headers={"Idempotency-Key": "k1"})
    other = bot.post(SUBMISSIONS, {**SUBMISSION, "mode": "test"}, headers={"Idempotency-Key": "k1"})

    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 409)
    assert first.json()["id"] == again.json()["id"]
    assert list(other.json()["errors"]) == ["idempotency_key"]
    assert Submission.objects.count() == 1


def test_a_used_up_quota_says_when(bot: APIClient, settings: LazySettings) -> None:
    settings.KB_SUBMISSIONS_PER_HOUR = 1
    bot.post(SUBMISSIONS, SUBMISSION)

    answer = bot.post(SUBMISSIONS, SUBMISSION)

    assert answer.status_code == 429
    assert 3590 <= int(answer["Retry-After"]) <= 3600
    assert "UTC" in answer.json()["detail"]


def test_nobody_and_readers_may_not_hand_in(alice: User) -> None:
    assert APIClient().post(SUBMISSIONS, SUBMISSION).status_code == 401
    assert client_of(alice, "read").post(SUBMISSIONS, SUBMISSION).status_code == 403
    wrong = APIClient()
    wrong.credentials(HTTP_AUTHORIZATION="Bearer kb_nothing")
    assert wrong.post(SUBMISSIONS, SUBMISSION).status_code == 401
    assert not Submission.objects.exists()


@pytest.mark.parametrize("wait", ["x", "-1", "61"])
def test_a_wrong_wait_is_named(bot: APIClient, wait: str) -> None:
    assert list(bot.post(f"{SUBMISSIONS}?wait={wait}", SUBMISSION).json()["errors"]) == ["wait"]
    assert not Submission.objects.exists()


@committed
def test_waiting_ends_with_the_verdict(alice: User, accepted: Outcome) -> None:
    bot = client_of(alice)
    handed_in = threading.Event()

    def judge() -> None:
        while (run := claim("build", "b1")) is None:
            handed_in.wait(0.01)
        finish(run.pk, accepted, attempt=1, worker="b1", worker_s=1.0)
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        judging = pool.submit(judge)
        body = bot.post(f"{SUBMISSIONS}?wait=30", SUBMISSION).json()
        judging.result()

    assert body["evaluations"][0]["verdict"] == "accepted"


@committed
def test_waiting_ends_when_time_is_up(alice: User) -> None:
    answer = client_of(alice).post(f"{SUBMISSIONS}?wait=1", SUBMISSION)

    assert answer.status_code == 201
    assert answer.json()["evaluations"][0]["state"] == "queued"
