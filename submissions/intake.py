"""Take a submission in: check it, store it with its evaluations and their first events in one transaction, ring the builders."""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from evaluator.contract import JSON, Mode, Policy, State, Timer
from submissions import events
from submissions.competitions.entering import check_open, wanted_competition
from submissions.competitions.models import Competition
from submissions.hand_in import HandIn, check
from submissions.hashes import Hashes
from submissions.intake_errors import IdempotencyError, IntakeError, QuotaError
from submissions.jobs import BUILD, ring
from submissions.models import HOUSE, Evaluation, Purpose, Submission, Visibility
from submissions.quota import check_quota, one_at_a_time
from submissions.terms import Terms

__all__ = ["IdempotencyError", "IntakeError", "QuotaError", "submit"]


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
    timer: str = Timer.ABBA,
    parent: str = "",
    idempotency_key: str | None = None,
    competition: str | None = None,
) -> Submission:
    """Store a submission with one queued evaluation per device. One for a competition (its slug) is private, whatever `visibility` says.

    The same idempotency key with the same content gives the first submission again. Raises `IntakeError` with the wrong fields,
    `QuotaError` when the author has too much going, `IdempotencyError` when the key stands for other content.
    """
    entered: Competition | None = None
    refused: dict[str, list[str]] = {}
    if competition:
        devices = [device] if isinstance(device, str) else device
        entered, refused = wanted_competition(author, competition, op=op, devices=devices, mode=mode)
        visibility = Visibility.PRIVATE
    hand_in = check(
        author,
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
        timer=timer,
        parent=parent,
        idempotency_key=idempotency_key,
        also_wrong=refused,
    )
    hashes = Hashes.of(hand_in.source, hand_in.kernel_type)
    with transaction.atomic():
        one_at_a_time(author)
        if (first := _earlier(author, hand_in, entered)) is not None:
            return first
        if entered is not None:
            check_open(entered, timezone.now())
        check_quota(author, len(hand_in.devices))
        return _store(author, hand_in, hashes, entered)


def _earlier(author: AbstractBaseUser, hand_in: HandIn, competition: Competition | None) -> Submission | None:
    if hand_in.idempotency_key is None:
        return None
    first = Submission.objects.filter(author_id=author.pk, idempotency_key=hand_in.idempotency_key).first()
    if first is None:
        return None
    entered = competition.pk if competition else None
    stored = (first.op, first.source, first.kernel_type, first.visibility, first.filename, first.agent, first.parent_id)
    wanted = (hand_in.op, hand_in.source, hand_in.kernel_type, hand_in.visibility, hand_in.filename, hand_in.agent, hand_in.parent)
    runs = {(run.device, run.terms) for run in first.evaluations.all()}
    asked = {(device, hand_in.terms) for device in hand_in.devices}
    if stored != wanted or first.competition_id != entered or not runs >= asked:
        raise IdempotencyError(hand_in.idempotency_key)
    return first


def _store(author: AbstractBaseUser, hand_in: HandIn, hashes: Hashes, competition: Competition | None) -> Submission:
    submission = Submission.objects.create(
        author_id=author.pk,
        op=hand_in.op,
        kernel_type=hand_in.kernel_type.value,
        filename=hand_in.filename,
        source=hand_in.source,
        source_sha256=hashes.source,
        normalised_sha256=hashes.normalised,
        visibility=hand_in.visibility.value,
        competition=competition,
        agent=hand_in.agent,
        parent_id=hand_in.parent,
        idempotency_key=hand_in.idempotency_key,
    )
    add_evaluations(submission, hand_in.devices, hand_in.terms)
    return submission


def add_evaluations(submission: Submission, devices: tuple[str, ...], terms: Terms, purpose: Purpose = Purpose.HAND_IN) -> list[Evaluation]:
    """Queue one evaluation of `submission` per device, with its first events, inside the caller's transaction.

    The feed hears of what people hand in, not of the house's own evaluations.
    """
    made = Evaluation.objects.bulk_create(
        Evaluation(
            submission=submission,
            author_id=submission.author_id,
            op=submission.op,
            device=device,
            mode=terms.mode.value,
            seed=terms.seed,
            policy=terms.policy.value,
            timer=terms.timer.value,
            purpose=purpose.value,
        )
        for device in devices
    )
    for evaluation in made:
        data: dict[str, JSON] = {"state": State.QUEUED.value, "attempt": 1, "worker": ""}
        events.append(events.evaluation_stream(evaluation.pk), "state", data)
    if submission.visibility != Visibility.PRIVATE and purpose not in HOUSE:
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
