"""Where the seconds between hand-in and outcome go, with a judge that runs already and a warm spare."""

from __future__ import annotations

import time
from collections.abc import Callable

from evaluator.bench.results import Distribution, StageSplit
from evaluator.bench.settings import Settings
from evaluator.contract import EvaluationRequest, KernelType, Mode, Outcome
from evaluator.ops import registry
from evaluator.runners.local import LocalRunner

OP = "softmax"
TYPES = (KernelType.TORCH, KernelType.TRITON)


def measure(settings: Settings, runner: LocalRunner, progress: Callable[[str], None]) -> tuple[StageSplit, ...]:
    """The op's starter sources, as somebody would hand them in. Raises `RunnerError`."""
    return tuple(_split(settings, runner, kernel_type, progress) for kernel_type in TYPES)


def _split(settings: Settings, runner: LocalRunner, kernel_type: KernelType, progress: Callable[[str], None]) -> StageSplit:
    interpreted = settings.interprets_triton and kernel_type is KernelType.TRITON
    source = registry.get(OP).starters[kernel_type.value]
    short = settings.quick and interpreted
    mode, repeats = (Mode.TEST, 1) if short else (Mode.BENCHMARK, settings.repeats)
    request = EvaluationRequest(OP, source, kernel_type, settings.device, mode, limits=settings.limits)
    outcomes: list[Outcome] = []
    totals: list[float] = []
    for number in range(repeats):
        runner.facts()  # answered once the next spare is warm
        handed_in = time.monotonic()
        outcomes.append(runner.run(request))
        totals.append(time.monotonic() - handed_in)
        progress(f"stages {number + 1}/{repeats} {OP} {kernel_type}: {outcomes[-1].verdict} in {totals[-1]:.2f} s")
    reached = [name for name in outcomes[0].stage_seconds if all(name in outcome.stage_seconds for outcome in outcomes)]
    return StageSplit(
        op=OP,
        kernel_type=kernel_type.value,
        interpreted=interpreted,
        total_s=Distribution.of(totals),
        stages_s={name: Distribution.of([outcome.stage_seconds[name] for outcome in outcomes]) for name in reached},
        verdicts=tuple(outcome.verdict.value for outcome in outcomes),
    )
