"""All measurements, one after the other, so that none is timed beside another."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable

from evaluator.bench import channel, checking, sequential, stages
from evaluator.bench.apart import apart
from evaluator.bench.repeatability import Repeatability
from evaluator.bench.results import Report
from evaluator.bench.settings import Settings
from evaluator.runners.local import LocalRunner


def bench(settings: Settings, progress: Callable[[str], None]) -> Report:
    """Measure. Raises `RunnerError`, `InfrastructureError` or `SandboxError` when something of ours fails."""
    began = time.monotonic()
    taken_at = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    cost = apart(channel.measure, settings)
    progress(f"channel: {cost.candidate_us.median:.0f} µs a round trip, a spare starts in {cost.spare_start_s.median:.2f} s")
    checked = checking.measure(settings, progress)
    others = sequential.measure(settings, progress)
    runner = LocalRunner(settings.device, gpu_index=settings.gpu_index, sandbox_mode=settings.sandbox_mode)
    try:
        runner.start()
        facts = runner.facts()
        repeated = Repeatability(settings)
        repeated.measure(runner, progress)
        splits = stages.measure(settings, runner, progress)
    finally:
        runner.close()
    return Report(
        taken_at=taken_at,
        figures_from=settings.torch_device,
        device=settings.device,
        device_name=str(facts["device_name"]),
        quick=settings.quick,
        repeats=settings.repeats,
        repeatability=repeated.cases(others),
        verdicts=repeated.verdicts(),
        stages=splits,
        channel=cost,
        checking=checked,
        seconds=time.monotonic() - began,
        environment=facts["environment"],
        sandbox=facts["sandbox"],
    )
