"""How much one author may have going, and the clocks of leases. The environment sets the former (`kbweb/settings.py`)."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Quota:
    """Per author: evaluations that are not done yet, and submissions within the last hour."""

    open_evaluations: int
    submissions_per_hour: int


def quota() -> Quota:
    return Quota(
        open_evaluations=settings.KB_OPEN_EVALUATIONS,
        submissions_per_hour=settings.KB_SUBMISSIONS_PER_HOUR,
    )


def artefact_bytes_per_author() -> int:
    """What profilers leave of one author's kernels takes at most so much room, packed; the oldest goes first."""
    return int(settings.KB_ARTEFACT_BYTES_PER_AUTHOR)


def house_patience_s() -> float:
    """How long the site's own evaluations wait behind everybody's. Then the site takes part in the fair order, as one author."""
    return float(settings.KB_HOUSE_PATIENCE_S)


def webhooks_per_user() -> int:
    return int(settings.KB_WEBHOOKS_PER_USER)


LEASE_S = 15.0
"""How long a claim holds without a sign of life from its worker."""
LOOK_S = 0.4
"""How often a worker looks whether what it holds was cancelled."""
RENEW_S = 3.0
"""How often a worker renews its lease and reports itself."""
WORKER_GONE_S = 30.0
"""After this long without a report, by the database's clock, a worker counts as gone."""
SWEEP_S = 2.0
ATTEMPTS = 3
_JOB_S = 20 * 60.0
_SLACK_S = 660.0


def time_limit_ms() -> int:
    """Dramatiq's own limit of one job: above the sum of the evaluator's stage limits (`KB_LIMITS`), which end a job long before."""
    limits = settings.LIMITS.for_confirming()
    stages_s = limits.build_s + limits.import_s + limits.check_s + limits.timing_s + limits.profile_s
    return int(1000 * max(_JOB_S, stages_s + _SLACK_S))
