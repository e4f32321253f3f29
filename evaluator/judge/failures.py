"""From what went wrong with a candidate to the verdict and the words for it."""

from __future__ import annotations

from evaluator.contract import EvaluationRequest, Mode, Reason, State, Verdict
from evaluator.judge.peer import PeerBrokeProtocol, PeerDied, PeerFailure, PeerOverMemory, PeerTimedOut
from evaluator.ops.definition import Op
from evaluator.ops.untimed import why_untimed
from evaluator.timers import why_unfit


class Ended(Exception):
    """The evaluation cannot go on; this is its verdict."""

    def __init__(self, verdict: Verdict, reason: Reason, stage: State) -> None:
        super().__init__(reason.message)
        self.verdict = verdict
        self.reason = reason
        self.stage = stage


def verdict_of(failure: PeerFailure, doing: str, *, importing: bool = False) -> tuple[Verdict, Reason]:
    """Verdict and reason for a candidate that failed while it was `doing` something ("checking case odd")."""
    if isinstance(failure, PeerTimedOut):
        verdict = Verdict.COMPILE_TIMEOUT if importing else Verdict.TIMEOUT
        hint = "Look for an endless loop, a dead-lock or a sleep; a kernel that is right but slow needs smaller launches."
        return verdict, Reason("time_limit", f"{doing}: {failure}", hint=hint)
    if isinstance(failure, PeerOverMemory):
        return Verdict.OUT_OF_MEMORY, Reason("memory_limit", f"{doing}: {failure}", hint="Free temporaries, or work in blocks.")
    if isinstance(failure, PeerDied):
        hint = "A segmentation fault points to an out-of-bounds access; an exit status to a call of exit in the source."
        return Verdict.CRASHED, Reason("process_ended", f"{doing}: the process ended before its work was done, it {failure}", hint=hint)
    if isinstance(failure, PeerBrokeProtocol):
        hint = "Do not write to file descriptors that you did not open."
        return Verdict.REJECTED, Reason("protocol_broken", f"{doing}: something wrote to the judge's channel: {failure}", hint=hint)
    raise TypeError(f"unknown failure {failure!r}")


def note_untimed(op: Op, request: EvaluationRequest) -> str:
    """Why a request for times gets a check only; "" when the op can be timed.

    Raises `Ended` for a ranked one, which is nothing without, and for a timer that cannot time so.
    """
    if unfit := why_unfit(request.timer, request.mode, request.device):
        raise Ended(Verdict.REJECTED, Reason("unfit_timer", unfit), State.BUILDING)
    why = why_untimed(op, request.device)
    if why and request.mode is Mode.RANKED:
        raise Ended(Verdict.REJECTED, Reason("no_performance_case", why), State.BUILDING)
    return why
