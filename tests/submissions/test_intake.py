"""What is taken in, and what is refused with the field named."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from evaluator.contract import Policy, Timer
from submissions import events
from submissions.intake import IdempotencyError, IntakeError, submit
from submissions.models import Submission
from submissions.request import request_of
from tests.submissions.conftest import SOURCE

GOOD: dict[str, object] = {"op": "softmax", "source": SOURCE, "device": "cpu"}


def test_a_submission_has_one_queued_evaluation_per_device(alice: User) -> None:
    submission = submit(alice, **{**GOOD, "device": ["cpu", "h100", "cpu"]})

    runs = list(submission.evaluations.order_by("device"))
    assert [(run.device, run.state, run.mode, run.attempt) for run in runs] == [
        ("cpu", "queued", "ranked", 1),
        ("h100", "queued", "ranked", 1),
    ]
    assert submission.kernel_type == "torch"
    assert submission.filename == "submission.py"


def test_first_events_stand_with_the_rows(alice: User) -> None:
    submission = submit(alice, **GOOD)

    run = submission.evaluations.get()
    assert [(e.seq, e.kind, e.data["state"]) for e in events.read(events.evaluation_stream(run.pk), 0)] == [(1, "state", "queued")]
    (told,) = events.read(events.FEED, 0)
    assert (told.kind, told.data["submission"], told.data["author"]) == ("submitted", submission.pk, "alice")


def test_a_private_submission_is_not_in_the_feed(alice: User) -> None:
    submit(alice, **GOOD, visibility="private")

    assert events.read(events.FEED, 0) == []


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("source", b"", "empty"),
        ("source", b" \n\t ", "empty"),
        ("source", b"#" * (1024 * 1024 + 1), "1,048,576"),
        ("source", b"x = 1\n\xff\xfe", "offset 6"),
        ("source", b"x = 1\n\x00", "NUL byte at offset 6"),
        ("op", "sofmax", "Did you mean softmax"),
        ("op", "", "no op"),
        ("device", "h10", "h100"),
        ("device", [], "at least one"),
        ("device", ["cpu", "toaster"], "toaster"),
        ("kernel_type", "tritton", "Did you mean triton"),
        ("kernel_type", "cuda", "cannot build"),
        ("mode", "fast", "ranked"),
        pytest.param("op", "softmax" * 100_000, "There is no op", id="op too long to compare"),
        pytest.param("device", ["h100" * 100_000], "There are cpu", id="device too long to compare"),
        ("visibility", "hidden", "private"),
        ("filename", "../../etc/passwd", "no folders"),
        ("filename", "a" * 121, "120"),
        ("agent", "a" * 81, "80"),
        ("agent", "line\nbreak", "printable"),
        ("seed", -1, "2^63"),
        ("seed", 2**63, "2^63"),
        ("seed", 7, "ranked"),
        ("policy", "lenient", "scaled, backendbench"),
        ("policy", "backendbench", "cannot be ranked; use mode test or benchmark"),
        ("timer", "stopwatch", "abba, do_bench, cpu_bench"),
        ("timer", "cpu_bench", "cannot be ranked; use mode benchmark"),
        ("idempotency_key", "k" * 201, "200"),
        ("idempotency_key", "", "1 to 200"),
    ],
)
def test_refused_with_the_field_named(alice: User, field: str, value: object, says: str) -> None:
    with pytest.raises(IntakeError) as refused:
        submit(alice, **{**GOOD, field: value})

    assert list(refused.value.errors) == [field]
    assert says in " ".join(refused.value.errors[field])
    assert not Submission.objects.exists()


def test_all_that_is_wrong_is_said_at_once(alice: User) -> None:
    with pytest.raises(IntakeError) as refused:
        submit(alice, op="?", source=b"", device="?", mode="?")

    assert set(refused.value.errors) == {"op", "source", "device", "mode"}


def test_exactly_one_mebibyte_is_taken(alice: User) -> None:
    submission = submit(alice, **{**GOOD, "source": SOURCE + b"#" * (1024 * 1024 - len(SOURCE))})

    assert len(submission.source) == 1024 * 1024


def test_a_seed_is_taken_for_a_test(alice: User) -> None:
    submission = submit(alice, **GOOD, mode="test", seed=7)

    assert submission.evaluations.get().seed == 7


def test_a_policy_that_is_not_ranked_is_taken_for_a_test(alice: User) -> None:
    submission = submit(alice, **GOOD, mode="test", policy="backendbench")

    assert request_of(submission.evaluations.get()).policy is Policy.BACKENDBENCH
    assert request_of(submit(alice, **GOOD).evaluations.get()).policy is Policy.SCALED


def test_a_timer_of_other_tools_is_taken_for_a_benchmark(alice: User) -> None:
    submission = submit(alice, **GOOD, mode="benchmark", timer="cpu_bench")

    assert request_of(submission.evaluations.get()).timer is Timer.CPU_BENCH
    assert request_of(submit(alice, **GOOD).evaluations.get()).timer is Timer.ABBA


def test_a_timer_that_cannot_time_there_is_refused(alice: User) -> None:
    with pytest.raises(IntakeError) as refused:
        submit(alice, **{**GOOD, "device": ["cpu", "h100"]}, mode="benchmark", timer="do_bench")

    assert refused.value.errors == {"timer": ["Timer do_bench cannot time on cpu; use cpu_bench or abba."]}


def test_the_same_key_with_another_policy_is_other_content(alice: User) -> None:
    submit(alice, **GOOD, mode="test", idempotency_key="k")

    with pytest.raises(IdempotencyError):
        submit(alice, **GOOD, mode="test", policy="backendbench", idempotency_key="k")


def test_sources_that_differ_in_blanks_only_have_one_normalised_hash(alice: User) -> None:
    first = submit(alice, **GOOD)
    second = submit(alice, **{**GOOD, "source": SOURCE.replace(b"\n", b"  \r\n") + b"\n\n"})

    assert first.source_sha256 != second.source_sha256
    assert first.normalised_sha256 == second.normalised_sha256
