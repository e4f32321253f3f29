"""The judge of a worker's device: kept while the device is in service, and tried again on a slow schedule while it is not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

import structlog
from django.utils import timezone

from evaluator.contract import JSON
from evaluator.runners.local import LocalRunner, RunnerError
from evaluator.sandbox import Mode, ProbeTable, gpu_healthy, probe
from submissions.proof import in_words, proof

RETRY_S = 60.0
"""How often a device that is out of service is tried."""
FIRST_PAUSE_S = 1.0
FACTS_S = 3600.0
"""How often the sandbox is proven, and a judge asked about its device, anew."""

log = structlog.get_logger(__name__)


class Report(Protocol):
    """Tells the site whether this device is in service, and why not."""

    def __call__(self, *, in_service: bool, note: str = "") -> None: ...


class JudgeKeeper:
    """One per device worker. Whoever uses the judge holds `lock`, but for `close` at the end of the process.

    `healthy(gpu_index)` and `prove(mode, gpu_index)` are the evaluator's probes of the GPU and of the sandbox.
    """

    def __init__(
        self,
        device: str,
        gpu_index: int | None,
        mode: Mode,
        report: Report,
        *,
        make_runner: Callable[[], LocalRunner] | None = None,
        healthy: Callable[[int], tuple[bool, str]] = gpu_healthy,
        prove: Callable[[Mode, int | None], ProbeTable] = probe,
        retry_s: float = RETRY_S,
    ) -> None:
        self.lock = threading.RLock()
        self.facts: dict[str, object] = {}
        self.layers: dict[str, JSON] = {}
        self.proof: dict[str, JSON] = {}
        self.fault = ""
        """Why the device is out of service."""
        self._gpu_index = None if device == "cpu" else gpu_index or 0
        self._mode: Mode = mode
        self._report = report
        self._make_runner = make_runner or (lambda: LocalRunner(device, gpu_index=gpu_index, sandbox_mode=mode))
        self._healthy, self._prove = healthy, prove
        self._retry_s = retry_s
        self._pause_s = min(FIRST_PAUSE_S, retry_s)
        self._try_at = 0.0
        self._proven_at: float | None = None
        self._unproven = ""
        self._suspect = False
        self._runner: LocalRunner | None = None

    def open(self) -> LocalRunner | None:
        """The judge, started when there is none. None while the device is out of service: it is tried only when its time has come."""
        if self._runner is not None:
            return self._runner
        if self.fault and time.monotonic() < self._try_at:
            return None
        try:
            if why := self._what_is_wrong():
                self.take_out(why)
                return None
            runner = self._make_runner()
            try:
                runner.start()
                self.facts = runner.facts()
            except BaseException:
                runner.close()
                raise
        except RunnerError as error:
            self.take_out(f"The judge does not start: {error}", again_in_s=self._pause_s)
            self._pause_s = min(self._pause_s * 2, self._retry_s)
            return None
        if self.fault:
            log.info("device_back_in_service", was=self.fault)
        self._runner, self.fault, self._suspect, self._pause_s = runner, "", False, min(FIRST_PAUSE_S, self._retry_s)
        self._report(in_service=True)
        return runner

    def take_out(self, why: str, *, again_in_s: float | None = None) -> None:
        """Out of service from now on: no more claims, and the next try after the pause."""
        pause_s = self._retry_s if again_in_s is None else again_in_s
        log.error("device_out_of_service", why=why, again_in_s=pause_s)
        self.fault, self._try_at = why, time.monotonic() + pause_s
        self._report(in_service=False, note=why)
        self.close()

    def drop(self) -> None:
        """Close the judge after it failed. The next one starts only on a GPU that passes its probe."""
        self._suspect = True
        self.close()

    def attend(self) -> None:
        """What is due now: try a device that is out of service, prove the sandbox anew. Leaves a judge at work alone."""
        if not self.lock.acquire(blocking=False):
            return
        try:
            if self._runner is not None and self._proof_is_old():
                self.close()
            if self._runner is None:
                self.open()
        finally:
            self.lock.release()

    def close(self) -> None:
        """End the judge; the next job gets a new one."""
        runner, self._runner = self._runner, None
        if runner is not None:
            try:
                runner.close()
            except Exception:
                log.exception("judge_does_not_close")

    def _proof_is_old(self) -> bool:
        return self._proven_at is None or time.monotonic() - self._proven_at > FACTS_S

    def _what_is_wrong(self) -> str:
        """What keeps a judge from being started here, "" when nothing does. A device that was out of service is asked everything."""
        if self._gpu_index is not None and (self._suspect or self.fault):
            works, detail = self._healthy(self._gpu_index)
            if not works:
                return f"The GPU failed its probe: {detail}"
        if self.fault or self._proof_is_old():
            table = self._prove(self._mode, self._gpu_index)
            self._proven_at = time.monotonic()
            self.proof, self.layers = proof(table, timezone.now()), dict(table.layers)
            self._unproven = in_words(table)
            log.info("sandbox_proven", overall=table.overall, mode=self._mode, seconds=round(table.seconds, 2), why=self._unproven)
        if self._mode == "strict" and self.proof.get("overall") != "enforcing":
            return f"KB_SANDBOX=strict, but the sandbox does not enforce it: {self._unproven}"
        return ""
