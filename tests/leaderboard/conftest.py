"""Alice, Bob and Charlie hand in kernels; `finish` ends one of their evaluations as a worker does."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from typing import Protocol

import dramatiq
import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evaluator.contract import (
    CaseResult,
    CaseTiming,
    Flag,
    KernelType,
    Mode,
    Outcome,
    Policy,
    SampleStats,
    State,
    TimingSummary,
    Verdict,
    to_json,
)
from leaderboard.models import Entry
from leaderboard.ranking import board
from submissions.models import Evaluation, Purpose, Submission, Visibility
from submissions.signals import evaluation_done

numbers = itertools.count(1)


@pytest.fixture(scope="session", autouse=True)
def _broker_lets_the_database_go(django_db_setup: None) -> Iterator[None]:
    yield
    dramatiq.get_broker().close()


class Finish(Protocol):
    def __call__(self, author: User, speedup: float = ..., **options: object) -> Evaluation: ...


@pytest.fixture
def loaded(smoke_ops: None) -> None:
    pass


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def charlie(db: None) -> User:
    return User.objects.create_user("charlie")


@pytest.fixture
def mod(db: None) -> User:
    return User.objects.create_user("moderator", is_staff=True)


@pytest.fixture
def finish(loaded: None) -> Iterator[Finish]:
    yield finish_evaluation


def finish_evaluation(
    author: User,
    speedup: float = 1.5,
    *,
    op: str = "softmax",
    device: str = "cpu",
    source: str | None = None,
    error: float = 0.01,
    kernel_type: KernelType = KernelType.TORCH,
    verdict: Verdict = Verdict.ACCEPTED,
    mode: Mode = Mode.RANKED,
    visibility: Visibility = Visibility.PUBLIC,
    flags: tuple[Flag, ...] = (),
    seed: int | None = None,
    agent: str = "",
    audited: bool = True,
    policy: Policy = Policy.SCALED,
) -> Evaluation:
    """Make a submission whose evaluation is done, in one transaction with the signal. `error`: relative half-width of the interval."""
    evaluation = unfinished(author, op, device, source, kernel_type, mode, visibility, seed, agent, policy)
    with transaction.atomic():
        complete(evaluation, speedup, error, verdict, flags, audited)
    return evaluation


def unfinished(
    author: User,
    op: str = "softmax",
    device: str = "cpu",
    source: str | None = None,
    kernel_type: KernelType = KernelType.TORCH,
    mode: Mode = Mode.RANKED,
    visibility: Visibility = Visibility.PUBLIC,
    seed: int | None = None,
    agent: str = "",
    policy: Policy = Policy.SCALED,
) -> Evaluation:
    text = source if source is not None else f"# kernel {next(numbers)}"
    sha = hashlib.sha256(text.encode()).hexdigest()
    submission = Submission.objects.create(
        author=author,
        op=op,
        kernel_type=kernel_type.value,
        source=text,
        source_sha256=sha,
        normalised_sha256=sha,
        visibility=visibility,
        agent=agent,
    )
    return Evaluation.objects.create(
        submission=submission, author=author, op=op, device=device, mode=mode.value, state=State.TIMING.value, seed=seed, policy=policy
    )


def complete(
    evaluation: Evaluation,
    speedup: float,
    error: float = 0.01,
    verdict: Verdict = Verdict.ACCEPTED,
    flags: tuple[Flag, ...] = (),
    audited: bool = True,
) -> None:
    """What a worker writes at the end, and the signal it sends, inside the caller's transaction."""
    outcome = outcome_of(evaluation, speedup, error, verdict, flags, audited)
    timing = outcome.timing
    evaluation.state = State.DONE.value
    evaluation.verdict = verdict.value
    evaluation.flags = [flag.value for flag in flags]
    evaluation.finished_at = timezone.now()
    evaluation.outcome = to_json(outcome)
    evaluation.epoch = outcome.epoch
    if timing is not None:
        evaluation.speedup, evaluation.speedup_low, evaluation.speedup_high = timing.speedup, timing.low, timing.high
        evaluation.time_us = timing.candidate_us
    evaluation.save()
    evaluation_done.send(Evaluation, evaluation=evaluation)


def open_confirming_runs() -> list[Evaluation]:
    """What the site has handed in by itself to confirm a lead, and nobody has ended yet."""
    return list(Evaluation.objects.filter(purpose=Purpose.CONFIRMING).exclude(state=State.DONE).order_by("queued_at", "pk"))


def confirm(*speedups: float, verdict: Verdict = Verdict.ACCEPTED, error: float = 0.01, flags: tuple[Flag, ...] = ()) -> list[Evaluation]:
    """End the confirming runs that the site hands in one after the other with these speedups, as a worker does."""
    ended = []
    for speedup in speedups:
        (run,) = open_confirming_runs()
        with transaction.atomic():
            complete(run, speedup, error, verdict, flags)
        ended.append(run)
    return ended


def outcome_of(evaluation: Evaluation, speedup: float, error: float, verdict: Verdict, flags: tuple[Flag, ...], audited: bool) -> Outcome:
    accepted = verdict is Verdict.ACCEPTED
    low, high = speedup * (1 - error), speedup * (1 + error)
    timing = CaseTiming(
        "wall", stats(1000 / speedup), stats(1000), speedup, low, high, 20, "interval", audit_speedup=speedup if audited else None
    )
    case = CaseResult("128x4096", "performance", accepted, "float32[128, 4096], -1", timing=timing)
    return Outcome(
        verdict=verdict,
        stage=State.TIMING,
        op=evaluation.op,
        device=evaluation.device,
        kernel_type=KernelType(evaluation.submission.kernel_type),
        mode=Mode(evaluation.mode),
        flags=flags,
        cases=(case,),
        timing=TimingSummary(speedup, low, high, 1000 / speedup, 1000, 1) if accepted else None,
        performance_score=speedup if accepted else None,
    )


def stats(median_us: float) -> SampleStats:
    return SampleStats(
        100, median_us, median_us, median_us * 0.98, median_us * 1.02, median_us * 0.97, median_us * 1.1, median_us * 0.01, 0.01
    )


def confirmation() -> str:
    """Of the only entry."""
    return Entry.objects.get().confirmation


def standing() -> list[tuple[str, float]]:
    return [(row.author, row.speedup) for row in board("softmax", "cpu").rows]
