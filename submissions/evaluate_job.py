"""A device worker's job: judge the next evaluation that waits for this device and store what comes out."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

import structlog
from dramatiq.middleware import Interrupt

from evaluator.build import BuildReport
from evaluator.contract import Event, Outcome, Verdict, from_json
from evaluator.profiling.artefacts import Artefact, read
from evaluator.runners.local import DeviceBusyError, LocalRunner, OutOfServiceError, RunnerError
from submissions import station
from submissions.claim import claim
from submissions.failures import count_attempt, hand_back
from submissions.finish import finish
from submissions.holding import Holding
from submissions.jobs import device_queue
from submissions.lease import CANCELLED
from submissions.patience import persistently
from submissions.request import request_of
from submissions.states import Fenced
from submissions.station import Station

log = structlog.get_logger(__name__)


def evaluate_next(device: str) -> None:
    """Judge what is next in fair-share order. Afterwards the worker is ready for the next one, or out of service."""
    here = station.current()
    if here.stopping.is_set():
        return
    with here.judge.lock:
        runner = here.judge.open()
        if runner is None or (evaluation := claim(device_queue(device), here.name)) is None:
            return
        with here.hold(evaluation) as holding:
            _evaluate(here, runner, holding)
        if runner.out_of_service:
            here.judge.take_out(runner.out_of_service)


def _evaluate(here: Station, runner: LocalRunner, holding: Holding) -> None:
    with tempfile.TemporaryDirectory(prefix="kbweb-artefacts-") as folder:
        _judge_and_store(here, runner, holding, Path(folder))


def _judge_and_store(here: Station, runner: LocalRunner, holding: Holding, folder: Path) -> None:
    try:
        outcome = _judge(here, runner, holding, folder)
        artefacts = read(folder, outcome.profile.artefacts) if outcome.profile is not None else []
    except OutOfServiceError as error:
        here.judge.take_out(str(error))
        hand_back(holding, "The device failed its probe and is out of service.")
    except DeviceBusyError as busy:
        log.warning("device_busy", evaluation=holding.evaluation_id, why=str(busy))
        hand_back(holding, "Another program of this host kept the device for too long.")
    except RunnerError as error:
        log.warning("judge_lost", evaluation=holding.evaluation_id, error=str(error))
        here.judge.drop()
        count_attempt(holding, f"The judge failed ({error}).")
    except (Exception, Interrupt) as error:
        log.exception("evaluation_failed", evaluation=holding.evaluation_id)
        here.judge.drop()
        count_attempt(holding, f"The worker failed ({type(error).__name__}: {error}).")
    else:
        _store(here, holding, outcome, artefacts)


def _judge(here: Station, runner: LocalRunner, holding: Holding, folder: Path) -> Outcome:
    evaluation = holding.evaluation
    report = from_json(BuildReport, evaluation.build) if evaluation.build is not None else None

    def relay(event: Event) -> None:
        here.scribe.note(holding, event)

    outcome = runner.run(request_of(evaluation), report, relay, holding.stop, artefacts=folder)
    if outcome.verdict is Verdict.CANCELLED:
        return dataclasses.replace(outcome, reasons=(CANCELLED,))
    return outcome


def _store(here: Station, holding: Holding, outcome: Outcome, artefacts: list[Artefact]) -> None:
    """Write the outcome, over a database restart if need be. Lost leases drop it: another worker has the evaluation."""
    here.scribe.flush()
    if holding.dropped:
        log.info("outcome_dropped", evaluation=holding.evaluation_id)
        return
    try:
        persistently(
            lambda: finish(
                holding.evaluation_id,
                outcome,
                attempt=holding.attempt,
                worker=holding.worker,
                worker_s=holding.worker_s,
                artefacts=artefacts,
            ),
            give_up=holding.released.is_set,
        )
    except Fenced as fenced:
        log.info("outcome_dropped", evaluation=holding.evaluation_id, why=str(fenced))
    except Exception as error:
        log.exception("outcome_not_stored", evaluation=holding.evaluation_id)
        count_attempt(holding, f"The outcome could not be stored ({type(error).__name__}).")
