"""A moderator decides on an evaluation, and boards, records and confirming runs follow in the same transaction.

A decision changes the evaluation's verdict (`hide`: its submission's visibility), and everything else is derived from that as ever. What
the evaluator said stays in the outcome. Rows are locked in the order of `docs/architecture.md`: evaluations, their streams, boards, feed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q
from django.http import Http404
from django.utils import timezone

from evaluator.contract import EPOCH, JSON, Flag, Mode, State, Verdict
from leaderboard import competition_entries, entries
from leaderboard.locks import lock_board
from leaderboard.receivers import refresh_and_tell
from submissions import events
from submissions.access import is_staff
from submissions.decisions.models import Decision, Kind
from submissions.models import Evaluation, EvaluationQuerySet, Event, Submission, Visibility, new_id
from submissions.webhooks.documents import evaluation_data
from submissions.webhooks.models import Topic
from submissions.webhooks.outbox import tell

MAX_REASON = 2000
OPEN_TO: Mapping[Kind, frozenset[Verdict]] = {
    Kind.ACCEPT: frozenset({Verdict.SUSPECT}),
    Kind.REFUSE: frozenset({Verdict.SUSPECT, Verdict.ACCEPTED}),
    Kind.HIDE: frozenset(Verdict),
}
"""Which verdicts a decision may change. What is wrong stays wrong: nobody makes a wrong result right."""
BECOMES = {Kind.ACCEPT: Verdict.ACCEPTED, Kind.REFUSE: Verdict.REJECTED}
Board = tuple[str, str, int, bool, int, int]
"""Op, device, author, whether in the interpreter, epoch, and the competition's id, 0 on open boards."""


class DecisionError(Exception):
    """Nothing was decided. The text says why."""


def decide(actor: AbstractBaseUser, evaluation_id: str, kind: Kind, reason: str, *, every_run: bool) -> list[Decision]:
    """Decide on an evaluation, with `every_run` also on the other runs of its source by its author on its board.

    The first of the decisions is the one on the evaluation named. Raises `PermissionDenied`, `Http404`, `DecisionError`.
    """
    _must_be_staff(actor)
    reason = _checked(reason)
    named = Evaluation.objects.select_related("submission").filter(pk=evaluation_id).first()
    if named is None:
        raise Http404(f"There is no evaluation {evaluation_id[:20]!r}.")
    with transaction.atomic():
        rows = _locked(Q(pk=named.pk) | (same_source(named) if every_run and kind is not Kind.HIDE else Q(pk=named.pk)))
        rows.sort(key=lambda row: row.pk != named.pk)
        decided = set(Decision.objects.standing().filter(evaluation__in=rows).values_list("evaluation_id", flat=True))
        _must_be_open(rows[0], kind, decided)
        concerned = [row for row in rows if row.pk not in decided and row.state == State.DONE and row.verdict in OPEN_TO[kind]]
        batch = new_id()
        made = [_apply(row, kind, reason, actor, batch) for row in concerned]
        if kind is Kind.HIDE:
            _show(rows[0].submission_id, Visibility.PRIVATE, hidden_at=made[0].made_at)
        boards = _boards(concerned, kind)
        _follow(boards)
        if kind is Kind.HIDE:
            _forget(rows[0].submission_id, boards)
        _tell(concerned, made[0])
    return made


def withdraw(actor: AbstractBaseUser, decision_id: str, reason: str) -> list[Decision]:
    """Take a decision back, with all that were made in one go with it: verdicts and visibility are again what they were.

    Raises `PermissionDenied`, `Http404`, `DecisionError`.
    """
    _must_be_staff(actor)
    reason = _checked(reason)
    named = Decision.objects.filter(pk=decision_id).first()
    if named is None:
        raise Http404(f"There is no decision {decision_id[:20]!r}.")
    with transaction.atomic():
        rows = {row.pk: row for row in _locked(Q(decisions__batch=named.batch))}
        batch = list(Decision.objects.standing().filter(batch=named.batch, evaluation__in=rows).order_by("pk"))
        if not any(decision.pk == named.pk for decision in batch):
            raise DecisionError("This decision has been withdrawn already.")
        batch.sort(key=lambda decision: decision.pk != named.pk)
        for decision in batch:
            _take_back(rows[decision.evaluation_id], decision, actor, reason)
        _follow(_boards(rows.values(), Kind(named.kind)))
        _tell([rows[decision.evaluation_id] for decision in batch], batch[0])
    return batch


def same_source(evaluation: Evaluation) -> Q:
    """Condition: an evaluation of the same source by the same author on the same board, be it a competition's."""
    return Q(
        op=evaluation.op,
        device=evaluation.device,
        author_id=evaluation.author_id,
        submission__normalised_sha256=evaluation.submission.normalised_sha256,
        submission__competition=evaluation.submission.competition_id,
    )


def waiting() -> EvaluationQuerySet:
    """What is held and nobody has decided on, the longest waiting first."""
    decided = Decision.objects.standing().values("evaluation_id")
    return Evaluation.objects.filter(verdict=Verdict.SUSPECT).exclude(pk__in=decided).order_by("finished_at", "pk")


def _must_be_staff(actor: AbstractBaseUser) -> None:
    if not is_staff(actor):
        raise PermissionDenied("Only staff may moderate.")


def _checked(reason: str) -> str:
    reason = reason.replace("\0", "").strip()
    if not reason:
        raise DecisionError("Say why: the author reads it, and so does whoever looks at this again.")
    if len(reason) > MAX_REASON:
        raise DecisionError(f"The reason has {len(reason):,} characters; at most {MAX_REASON:,} are kept.")
    return reason


def _must_be_open(row: Evaluation, kind: Kind, decided: set[str]) -> None:
    if row.state != State.DONE:
        raise DecisionError(f"The evaluation is {row.state}: it can be decided on when it is done.")
    if row.pk in decided:
        raise DecisionError("A decision on this evaluation stands already. Withdraw that one first.")
    if row.verdict not in OPEN_TO[kind]:
        able = " or ".join(sorted(OPEN_TO[kind]))
        raise DecisionError(f"The verdict is {row.verdict}; only {able} can be {kind.label}.")
    if kind is Kind.HIDE and not may_be_hidden(row.submission):
        raise DecisionError("The submission is private or hidden already.")


def may_be_hidden(submission: Submission) -> bool:
    """Whether others than its author and staff see it: one of a competition is private, and shared with whoever may see that."""
    return submission.hidden_at is None and (submission.visibility != Visibility.PRIVATE or submission.competition_id is not None)


def _locked(which: Q) -> list[Evaluation]:
    found = Evaluation.objects.filter(pk__in=Evaluation.objects.filter(which).values("pk")).order_by("pk")
    return list(found.select_for_update(of=("self",)).select_related("submission", "author"))


def _apply(row: Evaluation, kind: Kind, reason: str, actor: AbstractBaseUser, batch: str) -> Decision:
    made = Decision.objects.create(
        evaluation=row,
        kind=kind,
        reason=reason,
        batch=batch,
        verdict_before=row.verdict,
        visibility_before=row.submission.visibility,
        actor_id=actor.pk,
    )
    if kind in BECOMES:
        _set_verdict(row, BECOMES[kind])
    _note(row, made)
    return made


def _take_back(row: Evaluation, decision: Decision, actor: AbstractBaseUser, reason: str) -> None:
    decision.withdrawn_by_id, decision.withdrawn_at, decision.withdrawn_because = actor.pk, timezone.now(), reason
    decision.save(update_fields=["withdrawn_by", "withdrawn_at", "withdrawn_because"])
    if decision.kind == Kind.HIDE:
        _show(row.submission_id, Visibility(decision.visibility_before), hidden_at=None)
    else:
        _set_verdict(row, Verdict(decision.verdict_before))
    _note(row, decision)


def _set_verdict(row: Evaluation, verdict: Verdict) -> None:
    row.verdict = verdict.value
    row.save(update_fields=["verdict"])


def _show(submission_id: str, visibility: Visibility, *, hidden_at: dt.datetime | None) -> None:
    Submission.objects.filter(pk=submission_id).update(visibility=visibility, hidden_at=hidden_at)


def _forget(submission_id: str, boards: Iterable[Board]) -> None:
    """What streams that everybody reads say of a submission that is now hidden."""
    shared = [events.FEED, *{events.board_stream(op, device) for op, device, *_ in boards}]
    Event.objects.filter(stream__in=shared, data__submission=submission_id).delete()


def _note(row: Evaluation, decision: Decision) -> None:
    events.append(events.evaluation_stream(row.pk), "decision", decision_data(decision, row.verdict))


def decision_data(decision: Decision, verdict: str) -> dict[str, JSON]:
    """What streams say of it: not who and why, which are the author's and staff's to read."""
    return {"decision": str(decision.kind), "withdrawn": not decision.stands, "verdict": verdict}


def _boards(rows: Iterable[Evaluation], kind: Kind) -> set[Board]:
    """The boards on which something changes: of the evaluations, and of a hidden submission's others."""
    found = list(rows)
    if kind is Kind.HIDE:
        runs = Evaluation.objects.filter(submission__in={row.submission_id for row in found})
        found = list(runs.light().select_related("submission"))
    ranked = [row for row in found if row.mode == Mode.RANKED and row.state == State.DONE]
    return {
        (row.op, row.device, row.author_id, str(Flag.INTERPRETED) in row.flags, row.epoch, row.submission.competition_id or 0)
        for row in ranked
    }


def _follow(boards: set[Board]) -> None:
    """Entries, records and confirming runs as the evaluations now say. All boards are locked before the feed is written to."""
    for op, device in sorted({board[:2] for board in boards}):
        lock_board(op, device)
    for op, device, author_id, in_interpreter, epoch, competition_id in sorted(boards):
        if competition_id:
            competition_entries.refresh_and_tell(competition_id, op, device, author_id, in_interpreter=in_interpreter, epoch=epoch)
            continue
        if epoch == EPOCH:
            refresh_and_tell(op, device, author_id, in_interpreter=in_interpreter)
        else:
            entries.refresh(op, device, author_id, in_interpreter=in_interpreter, epoch=epoch)
        events.append(events.board_stream(op, device), "decision", {})


def _tell(rows: list[Evaluation], decision: Decision) -> None:
    """The author's webhooks, once for all runs."""
    row = rows[0]
    about: dict[str, JSON] = {
        "kind": str(decision.kind),
        "withdrawn": not decision.stands,
        "reason": decision.reason if decision.stands else decision.withdrawn_because,
        "evaluations": [str(each.pk) for each in rows],
    }
    key = f"decided:{decision.pk}" + ("" if decision.stands else ":withdrawn")
    tell(row.author_id, Topic.DECIDED, key, {**evaluation_data(row), "decision": about})
