"""Torch eager and torch.compile, judged by the same engine as submissions: checked, sandboxed, timed in quads beside torch eager."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from evaluator.baselines.figures import CaseFigures, Clock, Figures, Status, unavailable
from evaluator.baselines.names import TORCH_COMPILE, TORCH_EAGER
from evaluator.baselines.source import compiled_source, eager_source
from evaluator.contract import CaseTiming, EvaluationRequest, Event, KernelType, Limits, Mode, Outcome, SampleStats, TimingSummary, Verdict
from evaluator.ops.definition import Op
from evaluator.ops.recorded import to_document
from evaluator.runners.local import LocalRunner

_SOURCES: dict[str, Callable[[Op], str]] = {TORCH_EAGER: eager_source, TORCH_COMPILE: compiled_source}
COMPILE_CASE_S = 60.0
COMPILE_S = 1800.0
"""Every shape is compiled anew, for seconds each: torch.compile gets more time than a submission."""
MAX_DETAIL = 600


def judge(op: Op, device: str, name: str, runner: LocalRunner, limits: Limits, say: Callable[[str], None]) -> Outcome:
    """Have `torch_eager` or `torch_compile` judged. Raises `NotPortable`, and `RunnerError` when something of ours fails."""
    request = EvaluationRequest(
        op=op.slug,
        source=_SOURCES[name](op),
        kernel_type=KernelType.TORCH,
        device=device,
        mode=Mode.BENCHMARK,
        limits=more_time(limits) if name == TORCH_COMPILE else limits,
        filename=f"{name}.py",
        definition=to_document(op) if op.document is not None else None,
    )

    def relay(event: Event) -> None:
        if event.kind == "stage":
            say(f"{op.slug} {name}: {event.data['stage']}")

    return runner.run(request, on_event=relay)


def more_time(limits: Limits) -> Limits:
    """Limits under which compilers can work; longer ones stay."""
    return dataclasses.replace(
        limits,
        check_s=max(limits.check_s, COMPILE_S),
        timing_s=max(limits.timing_s, COMPILE_S),
        timing_case_s=max(limits.timing_case_s, COMPILE_CASE_S),
    )


def figures_of(outcome: Outcome, name: str) -> Figures:
    """What an outcome says of a baseline. Anything but `accepted` is `unavailable`: the speed of wrong answers means nothing."""
    if outcome.verdict is not Verdict.ACCEPTED or outcome.timing is None:
        why = why_not(outcome)
        return unavailable(outcome.op, outcome.device, name, Clock.INTERLEAVED, why, environment=outcome.environment)
    cases = tuple(
        dataclasses.replace(
            _case(case.name, case.inputs, case.timing, case.timing.candidate),
            speedup=case.timing.speedup,
            low=case.timing.low,
            high=case.timing.high,
            peak_memory_bytes=case.timing.peak_memory_bytes,
        )
        for case in outcome.cases
        if case.timing is not None
    )
    summary = outcome.timing
    figures = _figures(outcome, name, summary.candidate_us, cases, summary)
    return dataclasses.replace(
        figures, speedup=summary.speedup, low=summary.low, high=summary.high, flags=tuple(flag.value for flag in outcome.flags)
    )


def eager_of(outcome: Outcome) -> Figures | None:
    """`torch_eager` as it was timed beside another baseline; None where nothing was timed. Its speedup is 1 by definition."""
    if outcome.verdict is not Verdict.ACCEPTED or outcome.timing is None:
        return None
    cases = tuple(
        dataclasses.replace(_case(case.name, case.inputs, case.timing, case.timing.baseline), speedup=1.0)
        for case in outcome.cases
        if case.timing is not None
    )
    figures = _figures(outcome, TORCH_EAGER, outcome.timing.baseline_us, cases, outcome.timing)
    return dataclasses.replace(figures, speedup=1.0)


def why_not(outcome: Outcome) -> str:
    """The verdict and what it was for, in a line."""
    if outcome.verdict is Verdict.ACCEPTED:
        return "the op has no case that is timed on this device"
    if not outcome.reasons:
        return outcome.verdict.value
    first = outcome.reasons[0]
    last_words = first.detail.strip().rpartition("\n")[2][:MAX_DETAIL]
    return f"{outcome.verdict.value}: {first.message}" + (f" ({last_words})" if last_words and last_words not in first.message else "")


def _case(name: str, inputs: str, timing: CaseTiming, own: SampleStats) -> CaseFigures:
    times = CaseFigures(name, inputs, own.median_us, own.mean_us, own.p95_us, own.min_us, own.max_us)
    return dataclasses.replace(times, eager_us=timing.baseline.median_us)


def _figures(outcome: Outcome, name: str, time_us: float, cases: tuple[CaseFigures, ...], summary: TimingSummary) -> Figures:
    return Figures(
        op=outcome.op,
        device=outcome.device,
        name=name,
        status=Status.OK,
        clock=Clock.INTERLEAVED,
        time_us=time_us,
        eager_us=summary.baseline_us,
        cases=cases,
        environment=outcome.environment,
    )
