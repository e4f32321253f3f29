"""A device that fails its probe: the evaluation goes back untouched, the worker stops claiming, and tries the device again."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection

from evaluator.build import BuildReport
from evaluator.contract import EvaluationRequest, Event, Outcome, State, Verdict
from evaluator.runners.local import DeviceBusyError, LocalRunner, OutOfServiceError, RunnerError
from evaluator.sandbox import Mode, ProbeRow, ProbeTable
from submissions import judge_keeper, station
from submissions.evaluate_job import evaluate_next
from submissions.events import evaluation_stream, read
from submissions.judge_keeper import JudgeKeeper
from submissions.models import Evaluation, Worker
from submissions.queue_position import position
from submissions.station import Station
from submissions.worker import serve
from tests.submissions.conftest import HandIn, committed

pytestmark = committed
BROKEN = "GPU 0 failed its probe: it did not finish a trivial kernel within 30 s"
WITHIN_S = 30.0
ENFORCING = ProbeTable("best-effort", "enforcing", (), {"seccomp": "active"})
OPEN_DOOR = ProbeRow(
    "tcp_connect", "network_namespace", "cannot connect to a port of this host", False, "connected", "it could reach PostgreSQL"
)
DEGRADED = ProbeTable("strict", "degraded", (OPEN_DOOR,), {"network_namespace": "unavailable: not permitted"})


class Machine:
    """A device worker's machine by script: what each run does, and what the probes find."""

    def __init__(self, *runs: Outcome | Exception) -> None:
        self.runs = list(runs)
        self.broken_after = ""
        self.fault = ""
        self.table = ENFORCING
        self.starts, self.proofs, self.health_checks, self.running = 0, 0, 0, 0

    def healthy(self, gpu_index: int) -> tuple[bool, str]:
        self.health_checks += 1
        return not self.fault, self.fault or "a kernel ran"

    def prove(self, mode: Mode, gpu_index: int | None) -> ProbeTable:
        self.proofs += 1
        return dataclasses.replace(self.table, mode=mode)

    def keeper(self, here: Station, *, mode: Mode = "best-effort", retry_s: float = 60.0) -> JudgeKeeper:
        return JudgeKeeper(
            here.device,
            here.gpu_index,
            mode,
            here.register,
            make_runner=lambda: ScriptedRunner(self),
            healthy=self.healthy,
            prove=self.prove,
            retry_s=retry_s,
        )


class ScriptedRunner(LocalRunner):
    def __init__(self, machine: Machine) -> None:
        super().__init__("h100", gpu_index=0)
        self.machine = machine

    def start(self) -> None:
        self.machine.starts += 1
        self.machine.running += 1

    def facts(self) -> dict[str, object]:
        return {"device_name": "a GPU", "environment": {}, "sandbox": {"seccomp": "active"}}

    def run(
        self,
        request: EvaluationRequest,
        build: BuildReport | None = None,
        on_event: Callable[[Event], None] = lambda _event: None,
        cancelled: Callable[[], bool] = lambda: False,
        artefacts: Path | None = None,
    ) -> Outcome:
        result = self.machine.runs.pop(0)
        self.out_of_service = self.machine.broken_after
        if isinstance(result, Exception):
            raise result
        return result

    def close(self) -> None:
        self.machine.running -= 1


@pytest.fixture
def here() -> Iterator[Station]:
    """The station of a worker of `device.h100`, its thread of writes running."""
    here = Station("device.h100", 0)
    station.install(here)
    here.scribe.start()
    yield here
    here.scribe.end()
    station.install(None)


@pytest.fixture
def h100(accepted: Outcome) -> Outcome:
    return dataclasses.replace(accepted, device="h100")


def row(here: Station) -> Worker:
    return Worker.objects.get(name=here.name)


def test_the_evaluation_goes_back_at_once_with_its_attempt(here: Station, alice: User, hand_in: HandIn) -> None:
    machine = Machine(OutOfServiceError(BROKEN))
    here.judge = machine.keeper(here)
    run = hand_in(alice, state=State.WAITING, device="h100")

    evaluate_next("h100")

    run.refresh_from_db()
    assert (run.state, run.attempt, run.worker, run.worker_seconds) == ("waiting", 1, "", 0)
    assert "out of service" in str([event.data for event in read(evaluation_stream(run.pk), 0) if event.kind == "note"])
    assert (row(here).in_service, row(here).note) == (False, BROKEN)
    assert machine.running == 0


def test_out_of_service_nothing_is_claimed_and_no_wait_is_promised(here: Station, alice: User, hand_in: HandIn) -> None:
    machine = Machine(OutOfServiceError(BROKEN))
    here.judge = machine.keeper(here)
    run = hand_in(alice, state=State.WAITING, device="h100")
    evaluate_next("h100")

    evaluate_next("h100")
    here.judge.attend()

    run.refresh_from_db()
    assert run.state == "waiting"
    place = position(run)
    assert place is not None
    assert place.estimate_s is None
    assert (machine.starts, machine.health_checks) == (1, 0)


def test_an_outcome_that_broke_the_device_counts_and_the_device_goes_out_at_once(
    here: Station, alice: User, hand_in: HandIn, h100: Outcome
) -> None:
    machine = Machine(dataclasses.replace(h100, verdict=Verdict.TIMEOUT, timing=None, performance_score=None))
    machine.broken_after = BROKEN
    here.judge = machine.keeper(here)
    run = hand_in(alice, state=State.WAITING, device="h100")

    evaluate_next("h100")

    run.refresh_from_db()
    assert (run.state, run.verdict) == ("done", "timeout")
    assert (row(here).in_service, row(here).note) == (False, BROKEN)


def test_a_lost_judge_costs_an_attempt_and_the_gpu_is_asked_before_the_next(here: Station, alice: User, hand_in: HandIn) -> None:
    machine = Machine(RunnerError("the judge process ended"))
    machine.fault = "GPU 0: a memory row waits to be remapped; reset the GPU"
    here.judge = machine.keeper(here)
    run = hand_in(alice, state=State.WAITING, device="h100")
    evaluate_next("h100")

    here.judge.attend()

    run.refresh_from_db()
    assert (run.state, run.attempt) == ("waiting", 2)
    assert row(here).note == f"The GPU failed its probe: {machine.fault}"
    assert machine.starts == 1


def test_a_device_that_another_program_keeps_costs_no_attempt_and_no_judge(
    here: Station, alice: User, hand_in: HandIn, h100: Outcome
) -> None:
    machine = Machine(*[DeviceBusyError("GPU-1 is in use by process 7 of uid 0: measuring tvm on softmax; waited 600 s")] * 3, h100)
    here.judge = machine.keeper(here)
    run = hand_in(alice, state=State.WAITING, device="h100")
    for _ in range(3):
        evaluate_next("h100")
        run.refresh_from_db()
        assert (run.state, run.attempt, run.worker) == ("waiting", 1, "")

    evaluate_next("h100")

    run.refresh_from_db()
    assert (run.verdict, run.attempt, machine.starts) == ("accepted", 1, 1)
    notes = [event.data["text"] for event in read(evaluation_stream(run.pk), 0) if event.kind == "note"]
    assert notes == ["Another program of this host kept the device for too long. Back to the queue."] * 3


def test_the_device_is_tried_again_and_comes_back(here: Station, alice: User, hand_in: HandIn, h100: Outcome) -> None:
    machine = Machine(OutOfServiceError(BROKEN), h100)
    machine.fault = "still broken"
    here.judge = machine.keeper(here, retry_s=0.0)
    run = hand_in(alice, state=State.WAITING, device="h100")
    evaluate_next("h100")

    here.judge.attend()
    assert "still broken" in row(here).note
    machine.fault = ""
    here.judge.attend()

    assert (row(here).in_service, row(here).note) == (True, "")
    evaluate_next("h100")
    run.refresh_from_db()
    assert (run.state, run.verdict, run.attempt) == ("done", "accepted", 1)


def test_a_whole_worker_leaves_the_service_and_returns_to_what_waits(here: Station, alice: User, hand_in: HandIn, h100: Outcome) -> None:
    machine = Machine(OutOfServiceError(BROKEN), h100)
    machine.fault = "still broken"
    here.judge = machine.keeper(here, retry_s=0.2)
    run = hand_in(alice, state=State.WAITING, device="h100")
    here.scribe = type(here.scribe)()

    def work() -> None:
        try:
            serve(here)
        finally:
            connection.close()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        until(lambda: machine.health_checks >= 2, "it was tried twice")
        assert (row(here).in_service, state(run)) == (False, "waiting")
        machine.fault = ""
        until(lambda: state(run) == "done", "it is judged")
        assert row(here).in_service
    finally:
        here.stopping.set()
        worker.join(WITHIN_S)
    assert not Worker.objects.filter(name=here.name).exists()
    assert machine.running == 0


def test_strict_serves_only_behind_a_proven_sandbox(here: Station) -> None:
    machine = Machine()
    machine.table = DEGRADED
    here.judge = machine.keeper(here, mode="strict", retry_s=0.0)

    here.judge.attend()

    assert machine.starts == 0
    assert not row(here).in_service
    assert "KB_SANDBOX=strict" in row(here).note
    assert "cannot connect to a port of this host (connected)" in row(here).note
    machine.table = ENFORCING
    here.judge.attend()
    assert (row(here).in_service, row(here).note) == (True, "")
    assert row(here).sandbox["probe"]["overall"] == "enforcing"


def test_best_effort_serves_and_says_what_is_missing(here: Station) -> None:
    machine = Machine()
    machine.table = DEGRADED
    here.judge = machine.keeper(here)

    here.judge.attend()

    found = row(here)
    assert found.in_service
    assert found.sandbox["seccomp"] == "active"
    assert found.sandbox["probe"]["overall"] == "degraded"
    assert found.sandbox["probe"]["failures"][0]["consequence"] == "it could reach PostgreSQL"


def test_the_sandbox_is_proven_anew_when_the_proof_is_old_and_nothing_is_judged(here: Station, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine()
    here.judge = machine.keeper(here)
    here.judge.attend()
    here.judge.attend()
    assert machine.proofs == 1
    monkeypatch.setattr(judge_keeper, "FACTS_S", 0.0)

    with here.judge.lock:
        other = threading.Thread(target=here.judge.attend)
        other.start()
        other.join(WITHIN_S)
    assert machine.proofs == 1
    here.judge.attend()

    assert (machine.proofs, machine.starts, machine.running) == (2, 2, 1)


def state(run: Evaluation) -> str:
    return str(Evaluation.objects.values_list("state", flat=True).get(pk=run.pk))


def until(condition: Callable[[], bool], what: str) -> None:
    deadline, pause = time.monotonic() + WITHIN_S, threading.Event()
    while not condition():
        assert time.monotonic() < deadline, f"waited until {what}"
        pause.wait(0.05)
