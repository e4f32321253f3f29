"""All measurements, one after the other, so that none is timed beside another."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable
from dataclasses import replace

from evaluator.bench import agreement, channel, checking, products, resolution, sequential, stages
from evaluator.bench.apart import apart
from evaluator.bench.repeatability import Repeatability, Subject, of_torch
from evaluator.bench.results import Report
from evaluator.bench.settings import Settings
from evaluator.runners.local import LocalRunner


def bench(settings: Settings, progress: Callable[[str], None], keep: Callable[[Report], None] = lambda _: None) -> Report:
    """Measure. `keep` gets what there is after each part: should a later one fail, the hour before it is not lost.

    Raises `RunnerError`, `InfrastructureError` or `SandboxError` when something of ours fails.
    """
    began = time.monotonic()
    taken_at = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    cost = apart(channel.measure, settings) if "channel" in settings.parts else None
    if cost is not None:
        progress(f"channel: {cost.candidate_us.median:.0f} µs a round trip, a spare starts in {cost.spare_start_s.median:.2f} s")
    checked = checking.measure(settings, progress) if "checking" in settings.parts else ()
    torchs = of_torch(settings) if "ops" in settings.parts else []
    lengths = products.ops(settings.device, settings.lengths_us) if "lengths" in settings.parts else {}
    product = [Subject(op.slug, source, definition=products.definition(op)) for source, op in lengths.items()]
    others = sequential.measure(settings, torchs, settings.repeats, progress)
    others |= sequential.measure(settings, product, settings.fresh, progress)
    runner = LocalRunner(settings.device, gpu_index=settings.gpu_index, sandbox_mode=settings.sandbox_mode)
    long, repeated = Repeatability(settings, product, settings.fresh), Repeatability(settings, torchs, settings.repeats)

    def kept(report: Report) -> Report:
        report = replace(report, seconds=time.monotonic() - began)
        keep(report)
        return report

    try:
        runner.start()
        facts = runner.facts()
        long.measure(runner, progress)
        report = Report(
            taken_at=taken_at,
            figures_from=settings.torch_device,
            device=settings.device,
            device_name=str(facts["device_name"]),
            quick=settings.quick,
            repeats=settings.repeats,
            lengths=long.cases(others),
            verdicts=Repeatability(settings, (), 0, long.runs).verdicts(),
            channel=cost,
            checking=checked,
            environment=facts["environment"],
            sandbox=facts["sandbox"],
        )
        report = kept(report)
        if "planted" in settings.parts:
            report = kept(replace(report, resolution=resolution.measure(settings, runner, progress)))
        if "agreement" in settings.parts:
            report = kept(replace(report, agreement=agreement.measure(settings, runner, progress)))
        if "stages" in settings.parts:
            report = kept(replace(report, stages=stages.measure(settings, runner, progress)))
        repeated.measure(runner, progress)
        verdicts = Repeatability(settings, (), 0, [*repeated.runs, *long.runs]).verdicts()
        return kept(replace(report, repeatability=repeated.cases(others), verdicts=verdicts))
    finally:
        runner.close()
