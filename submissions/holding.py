"""An evaluation in a worker's hands: who holds which attempt, and whether to go on with it."""

from __future__ import annotations

import threading
import time

from submissions.models import Evaluation


class Holding:
    """One claimed evaluation. `cancelled`, `lost` and `released` are set by other threads than the one that works on it."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.evaluation_id = evaluation.pk
        self.attempt = evaluation.attempt
        self.worker = evaluation.worker
        self.since = time.monotonic()
        self.cancelled = threading.Event()
        self.lost = threading.Event()
        self.released = threading.Event()

    def stop(self) -> bool:
        """Whether to stop working on it: cancelled, the lease is lost, or given back at shutdown."""
        return self.cancelled.is_set() or self.dropped

    @property
    def dropped(self) -> bool:
        """Whether whatever comes out of it must be dropped."""
        return self.lost.is_set() or self.released.is_set()

    @property
    def worker_s(self) -> float:
        return time.monotonic() - self.since
