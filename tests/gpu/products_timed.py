"""Have one of the bench's products timed."""

from __future__ import annotations

from evaluator.bench import products
from evaluator.contract import CaseTiming, EvaluationRequest, KernelType, Limits, Mode, Outcome, Timer
from evaluator.judge.judge import Judge


def evaluate(
    judge: Judge, source: str, *, length_us: float = 5.0, timer: Timer = Timer.ABBA, max_memory_mb: int = 0
) -> tuple[Outcome, CaseTiming | None]:
    """Lengths from 1 ms on are matrix products."""
    op = products.matrix_op(judge.device, (length_us,)) if length_us >= products.LONG_US else products.op(judge.device, (length_us,))
    request = EvaluationRequest(
        op.slug,
        source,
        KernelType.TORCH,
        judge.device,
        Mode.BENCHMARK,
        timer=timer,
        limits=Limits(max_memory_mb=max_memory_mb),
        definition=products.definition(op),
    )
    outcome = judge.evaluate(request)
    return outcome, next((case.timing for case in outcome.cases if case.timing is not None), None)
