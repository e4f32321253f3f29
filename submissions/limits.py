"""How much one author may have going, and the clocks of leases. Each can be set in Django's settings under the same name."""

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
        open_evaluations=getattr(settings, "KB_OPEN_EVALUATIONS", 200),
        submissions_per_hour=getattr(settings, "KB_SUBMISSIONS_PER_HOUR", 600),
    )


LEASE_S = 15.0
"""How long a claim holds without a sign of life from its worker."""
LOOK_S = 0.4
"""How often a worker looks whether what it holds was cancelled."""
RENEW_S = 3.0
"""How often a worker renews its lease and reports itself."""
WORKER_GONE_S = 20.0
"""After this long without a report a worker counts as gone."""
SWEEP_S = 2.0
ATTEMPTS = 3
_JOB_S = 20 * 60.0
_SLACK_S = 660.0


def time_limit_ms() -> int:
    """Dramatiq's own limit of one job: above the sum of the evaluator's stage limits (`KB_LIMITS`), which end a job long before."""
    limits = settings.LIMITS
    stages_s = limits.build_s + limits.import_s + limits.check_s + limits.timing_s + limits.profile_s
    return int(1000 * max(_JOB_S, stages_s + _SLACK_S))
