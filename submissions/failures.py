"""When something of ours fails: the evaluation goes back to its queue, with its attempt counted unless it was never tried."""

from __future__ import annotations

import structlog

from submissions.holding import Holding
from submissions.lease import give_back
from submissions.patience import persistently
from submissions.states import Fenced

log = structlog.get_logger(__name__)


def count_attempt(holding: Holding, reason: str) -> None:
    """Give the evaluation back after a fault of ours; after the last attempt it ends as `infra_error` with `reason`."""
    _return(holding, reason, burn=True)


def hand_back(holding: Holding, reason: str) -> None:
    """Give the evaluation back as if it had never been tried: what failed has nothing to do with it."""
    _return(holding, reason, burn=False)


def _return(holding: Holding, reason: str, *, burn: bool) -> None:
    if holding.dropped:
        return
    try:
        persistently(
            lambda: give_back(holding.evaluation_id, attempt=holding.attempt, worker=holding.worker, reason=reason, burn=burn),
            give_up=holding.released.is_set,
        )
    except Fenced as fenced:
        log.info("dropped", evaluation=holding.evaluation_id, why=str(fenced))
