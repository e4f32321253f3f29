"""Take a submission in: check it, store it with its evaluations and their first events in one transaction, ring the builders."""

from __future__ import annotations

import math
from datetime import timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.db import connection, transaction
from django.utils import timezone

from evaluator.contract import JSON, Mode, Policy, State
from submissions import events
from submissions.hand_in import HandIn, check
from submissions.hashes import normalised_sha256, source_sha256
from submissions.intake_errors import IdempotencyError, IntakeError, QuotaError
from submissions.jobs import BUILD, ring
from submissions.limits import quota
from submissions.models import Evaluation, Submission, Visibility

__all__ = ["IdempotencyError", "IntakeError", "QuotaError", "submit"]

HOUR = timedelta(hours=1)


def submit(
    author: AbstractBaseUser,
    *,
    op: str,
    source: bytes,
    device: str | list[str],
    kernel_type: str | None = None,
    mode: str = Mode.RANKED,
    visibility: str = Visibility.PUBLIC,
    filename: str = "",
    agent: str = "",
    seed: int | None = None,
    policy: str = Policy.SCALED,
    idempotency_key: str | None = None,
) -> Submission:
    """Store a submission with one queued evaluation per device.

    The same idempotency key with the same content gives the first submission again. Raises `IntakeError` with the wrong fields,
    `QuotaError` when the author has too much going, `IdempotencyError` when the key stands for other content.
    """
    hand_in = check(
        op=op,
        source=source,
        device=device,
        kernel_type=kernel_type,
        mode=mode,
        visibility=visibility,
        filename=filename,
        agent=agent,
        seed=seed,
        policy=policy,
        idempotency_key=idempotency_key,
    )
    with transaction.atomic():
        _one_at_a_time(author)
        if (first := _earlier(author, hand_in)) is not None:
            return first
        _check_quota(author, len(hand_in.devices))
        return _store(author, hand_in)


def _one_at_a_time(author: AbstractBaseUser) -> None:
    """Hand-ins of one author wait for each other, so that two at once cannot pass a quota or an idempotency key twice."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('kb.intake'), %s)", [author.pk])


def _earlier(author: AbstractBaseUser, hand_in: HandIn) -> Submission | None:
    if hand_in.idempotency_key is None:
        return None
    first = Submission.objects.filter(author_id=author.pk, idempotency_key=hand_in.idempotency_key).first()
    if first is None:
        return None
    stored = (first.op, first.source, first.kernel_type, first.visibility, first.filename, first.agent)
    wanted = (hand_in.op, hand_in.source, hand_in.kernel_type, hand_in.visibility, hand_in.filename, hand_in.agent)
    runs = {(run.device, run.mode, run.seed, run.policy) for run in first.evaluations.all()}
    asked = {(device, hand_in.mode.value, hand_in.seed, hand_in.policy.value) for device in hand_in.devices}
    if stored != wanted or not runs >= asked:
        raise IdempotencyError(hand_in.idempotency_key)
    return first


def _check_quota(author: AbstractBaseUser, wanted: int) -> None:
    allowed = quota()
    going = Evaluation.objects.filter(author_id=author.pk).exclude(state=State.DONE).count()
    if going + wanted > allowed.open_evaluations:
        raise QuotaError(
            f"You have {going} evaluations that are not done; {allowed.open_evaluations} may be open at once. "
            "Wait for one to end, or cancel one.",
            retry_after_s=10,
        )
    recent = Submission.objects.filter(author_id=author.pk, created_at__gt=timezone.now() - HOUR).order_by("created_at")
    times = list(recent.values_list("created_at", flat=True))
    if len(times) >= allowed.submissions_per_hour:
        free_at = times[len(times) - allowed.submissions_per_hour] + HOUR
        seconds = max(1, math.ceil((free_at - timezone.now()).total_seconds()))
        raise QuotaError(
            f"You have handed in {len(times)} submissions within the last hour; {allowed.submissions_per_hour} are allowed. "
            f"The next one is taken at {free_at:%H:%M:%S} UTC, in {seconds} s.",
            retry_after_s=seconds,
        )


def _store(author: AbstractBaseUser, hand_in: HandIn) -> Submission:
    submission = Submission.objects.create(
        author_id=author.pk,
        op=hand_in.op,
        kernel_type=hand_in.kernel_type.value,
        filename=hand_in.filename,
        source=hand_in.source,
        source_sha256=source_sha256(hand_in.source.encode()),
        normalised_sha256=normalised_sha256(hand_in.source),
        visibility=hand_in.visibility.value,
        agent=hand_in.agent,
        idempotency_key=hand_in.idempotency_key,
    )
    add_evaluations(submission, hand_in.devices, hand_in.mode, hand_in.seed, hand_in.policy)
    return submission


def add_evaluations(
    submission: Submission, devices: tuple[str, ...], mode: Mode, seed: int | None, policy: Policy = Policy.SCALED
) -> list[Evaluation]:
    """Queue one evaluation of `submission` per device, with its first events, inside the caller's transaction."""
    made = Evaluation.objects.bulk_create(
        Evaluation(
            submission=submission,
            author_id=submission.author_id,
            op=submission.op,
            device=device,
            mode=mode.value,
            seed=seed,
            policy=policy.value,
        )
        for device in devices
    )
    for evaluation in made:
        data: dict[str, JSON] = {"state": State.QUEUED.value, "attempt": 1, "worker": ""}
        events.append(events.evaluation_stream(evaluation.pk), "state", data)
    if submission.visibility != Visibility.PRIVATE:
        events.append(
            events.FEED,
            "submitted",
            {
                "submission": submission.pk,
                "author": str(submission.author),
                "op": submission.op,
                "kernel_type": submission.kernel_type,
                "devices": [str(device) for device in devices],
                "evaluations": [str(evaluation.pk) for evaluation in made],
            },
        )
    ring(BUILD)
    return made
