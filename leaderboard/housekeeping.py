"""What the sweeper has done to boards once a minute, so that a lost message, a fault of a receiver or a new epoch leaves nothing undone."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable

import structlog
from django.db import transaction

from leaderboard import catalogue, challengers, competition_entries, competition_leaders, records
from leaderboard.receivers import refresh_and_tell
from submissions.cancel import take_back
from submissions.patience import AWAY

ROUND_S = 3.0
"""How long one round may take. The thread that keeps house also returns what dead workers held, and that must not wait for it."""

log = structlog.get_logger(__name__)


class House:
    """Goes on in the next round where time ran out in the last."""

    def __init__(self, round_s: float = ROUND_S) -> None:
        self.round_s = round_s
        self._left: list[Callable[[], object]] = []

    def keep(self) -> None:
        """Close records of earlier epochs, keep what workers said of their machines, take back runs that have become useless, and look
        again at every lead that lacks a run. A board that fails is written to the log and keeps no other from its turn. Raises what a
        database raises that has gone away.
        """
        until = time.monotonic() + self.round_s
        if closed := records.close_earlier_epochs():
            log.info("records_of_earlier_epochs_closed", count=closed)
        catalogue.remember_environments()
        if not self._left:
            self._left = [functools.partial(_tidy, *board) for board in challengers.boards_with_waiting_runs()]
            self._left += [functools.partial(_refresh, *board) for board in challengers.due()]
            self._left += [functools.partial(_refresh, *board) for board in competition_leaders.due()]
        while self._left and time.monotonic() < until:
            step = self._left.pop(0)
            try:
                step()
            except AWAY:
                raise
            except Exception:
                log.exception("board_not_kept", step=str(step))
        if self._left:
            log.info("housekeeping_goes_on_in_the_next_round", left=len(self._left))


def _tidy(op: str, device: str, competition_id: int | None = None) -> None:
    for run in challengers.useless(op, device, competition_id):
        take_back(run)


def _refresh(op: str, device: str, author_id: int, competition_id: int | None = None) -> None:
    with transaction.atomic():
        if competition_id is None:
            refresh_and_tell(op, device, author_id, in_interpreter=False)
        else:
            competition_entries.refresh_and_tell(competition_id, op, device, author_id, in_interpreter=False)


_house = House()


def keep_house(sender: object, **kwargs: object) -> None:
    """`House.keep`, for the sweeper's signal."""
    _house.keep()
