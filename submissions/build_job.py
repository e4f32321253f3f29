"""The build worker's job: build the next queued evaluation, and pass it on to its device or end it with the compiler's words."""

from __future__ import annotations

import functools
from pathlib import Path

import structlog
from django.conf import settings
from django.db import transaction

import evaluator
from evaluator.build import BuildReport, DirectoryStore, build
from evaluator.contract import JSON, KernelType, Mode, Outcome, State, to_json
from evaluator.sandbox import Sandbox
from submissions import events, station
from submissions.claim import claim
from submissions.failures import count_attempt
from submissions.finish import finish
from submissions.holding import Holding
from submissions.jobs import BUILD, device_queue, ring
from submissions.models import Evaluation
from submissions.patience import persistently
from submissions.request import request_of
from submissions.states import Fenced, advance
from submissions.storable import storable

log = structlog.get_logger(__name__)


def build_next() -> None:
    """Build what waits longest in fair-share order. Nothing waits: nothing happens. Never raises for a fault of a submission."""
    here = station.current()
    if here.stopping.is_set() or (evaluation := claim(BUILD, here.name)) is None:
        return
    with here.hold(evaluation) as holding:
        try:
            report = build(request_of(evaluation), sandbox=_sandbox(), store=_store())
        except Exception as error:
            log.exception("build_failed", evaluation=evaluation.pk)
            count_attempt(holding, f"The build failed on our side ({type(error).__name__}: {error}).")
            return
        try:
            persistently(lambda: _pass_on(holding, report), give_up=holding.released.is_set)
        except Fenced as fenced:
            log.info("build_dropped", evaluation=evaluation.pk, why=str(fenced))


def _pass_on(holding: Holding, report: BuildReport) -> None:
    evaluation = holding.evaluation
    if report.verdict is not None:
        outcome = _outcome(evaluation, report)
        finish(evaluation.pk, outcome, attempt=holding.attempt, worker=holding.worker, worker_s=holding.worker_s)
        return
    with transaction.atomic():
        notes: list[tuple[str, dict[str, JSON]]] = [("note", {"text": note}) for note in report.notes]
        if report.log:
            notes.append(("log", {"text": report.log}))
        events.append_all(events.evaluation_stream(evaluation.pk), notes)
        advance(
            evaluation.pk,
            State.WAITING,
            attempt=holding.attempt,
            worker=holding.worker,
            build=storable(to_json(report)),
            lease_expires_at=None,
            claimed_at=None,
            worker_seconds=evaluation.worker_seconds + holding.worker_s,
        )
        Evaluation.objects.filter(pk=evaluation.pk).update(worker="")
        ring(device_queue(evaluation.device))


def _outcome(evaluation: Evaluation, report: BuildReport) -> Outcome:
    assert report.verdict is not None
    return Outcome(
        verdict=report.verdict,
        stage=State.BUILDING,
        op=evaluation.op,
        device=evaluation.device,
        kernel_type=KernelType(evaluation.submission.kernel_type),
        mode=Mode(evaluation.mode),
        reasons=(report.reason,) if report.reason is not None else (),
        flags=report.flags,
        correctness_score=0.0,
        stage_seconds={State.BUILDING.value: report.seconds},
        log=report.log,
        evaluator_version=evaluator.__version__,
    )


@functools.cache
def _sandbox() -> Sandbox:
    return Sandbox(settings.SANDBOX)


@functools.cache
def _store() -> DirectoryStore:
    return DirectoryStore(Path(settings.DATA_DIR) / "artefacts")
