"""What an author has going and has handed in lately, and whether more is taken. The house's own evaluations cost nobody anything."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db import connection
from django.utils import timezone

from evaluator.contract import State
from submissions.intake_errors import QuotaError
from submissions.limits import Quota, quota
from submissions.models import HOUSE, Evaluation, Purpose, Submission

HOUR = dt.timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Used:
    """Evaluations that are not done, and when each submission or rerun of the last hour was handed in, oldest first."""

    open_evaluations: int
    this_hour: tuple[dt.datetime, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """What an author may still have going, and hand in within the hour."""

    evaluations: int
    submissions: int
    allowed: Quota


def used(author: AbstractBaseUser) -> Used:
    since = timezone.now() - HOUR
    own = Evaluation.objects.filter(author_id=author.pk).exclude(purpose__in=HOUSE)
    submitted = Submission.objects.filter(author_id=author.pk, created_at__gt=since).values_list("created_at", flat=True)
    reruns = own.filter(purpose=Purpose.RERUN, queued_at__gt=since).values_list("queued_at", flat=True)
    return Used(own.exclude(state=State.DONE).count(), tuple(sorted([*submitted, *reruns])))


def left(author: AbstractBaseUser) -> Left:
    allowed, going = quota(), used(author)
    return Left(
        evaluations=max(0, allowed.open_evaluations - going.open_evaluations),
        submissions=max(0, allowed.submissions_per_hour - len(going.this_hour)),
        allowed=allowed,
    )


def one_at_a_time(author: AbstractBaseUser) -> None:
    """Hand-ins of one author wait for each other, so that two at once cannot pass a quota or an idempotency key twice."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('kb.intake'), %s)", [author.pk])


def check_quota(author: AbstractBaseUser, wanted: int) -> None:
    """Raises `QuotaError` when `author` may not have `wanted` evaluations more. The caller holds `one_at_a_time`."""
    allowed, going = quota(), used(author)
    if going.open_evaluations + wanted > allowed.open_evaluations:
        raise QuotaError(
            f"You have {going.open_evaluations} evaluations that are not done; {allowed.open_evaluations} may be open at once. "
            "Wait for one to end, or cancel one.",
            retry_after_s=10,
        )
    times = going.this_hour
    if len(times) >= allowed.submissions_per_hour:
        free_at = times[len(times) - allowed.submissions_per_hour] + HOUR
        seconds = max(1, math.ceil((free_at - timezone.now()).total_seconds()))
        raise QuotaError(
            f"You have handed in {len(times)} submissions and reruns within the last hour; {allowed.submissions_per_hour} are allowed. "
            f"The next one is taken at {free_at:%H:%M:%S} UTC, in {seconds} s.",
            retry_after_s=seconds,
        )
