"""Outcomes as the evaluator writes them, for pages to show."""

from __future__ import annotations

import dataclasses
import random

from evaluator.contract import (
    CaseResult,
    CaseTiming,
    Flag,
    KernelType,
    Mismatch,
    Mode,
    Outcome,
    Reason,
    SampleStats,
    State,
    TimingSummary,
    Verdict,
)

SANDBOX = {"uid": "active", "namespaces": "active", "seccomp": "active", "landlock": "unavailable", "rlimits": "active"}
ENVIRONMENT = {"device_name": "Some CPU", "torch": "2.13.0+cpu", "triton": "3.7.1", "cpu": {"model": "x86-64", "cores": 2}}


def accepted(
    speedup: float = 1.32, *, half: float = 0.01, interpreted: bool = False, kernel_type: KernelType = KernelType.TORCH
) -> Outcome:
    """Two correctness cases, one of them hidden, and two timed ones around `speedup`."""
    timed = [timing(speedup * 1.1, half), timing(speedup / 1.1, half)]
    cases = (
        case("plain"),
        case("odd", hidden=True),
        case("128x4096", kind="performance", timing_of=timed[0]),
        case("32x50257", kind="performance", timing_of=timed[1]),
    )
    return Outcome(
        verdict=Verdict.ACCEPTED,
        stage=State.TIMING,
        op="softmax",
        device="cpu",
        kernel_type=kernel_type,
        mode=Mode.RANKED,
        flags=(Flag.INTERPRETED,) if interpreted else (),
        correctness_score=1.0,
        performance_score=speedup,
        cases=cases,
        timing=TimingSummary(speedup, speedup * (1 - half), speedup * (1 + half), 900.0, 900.0 * speedup, 2),
        environment=dict(ENVIRONMENT),
        sandbox=dict(SANDBOX),
        seed=7,
        evaluator_version="0.1.0",
    )


def wrong_result() -> Outcome:
    failed = CaseResult(
        name="plain",
        kind="correctness",
        passed=False,
        inputs="float32[64, 128], -1",
        verdict=Verdict.WRONG_RESULT,
        reason="relL2 0.13 is larger than 1e-05",
        max_abs=0.5,
        rel_l2=0.13,
        rel_l2_torch=1e-7,
        tolerance=1e-5,
        mismatch_share=0.25,
        mismatches=(Mismatch((0, 3), "0.0078125", "0.53", 7.1e7), Mismatch((0, 4), "0.01", "nan")),
        reproduce="python -m evaluator run softmax.py --op softmax --seed 7",
    )
    return Outcome(
        verdict=Verdict.WRONG_RESULT,
        stage=State.CHECKING,
        op="softmax",
        device="cpu",
        kernel_type=KernelType.TRITON,
        mode=Mode.RANKED,
        reasons=(Reason("wrong_result", "1 of 2 cases is wrong", "plain: 25 % of the elements", "Subtract the maximum first."),),
        correctness_score=0.5,
        cases=(case("odd", hidden=True), failed),
        environment=dict(ENVIRONMENT),
        sandbox=dict(SANDBOX),
    )


def broken() -> Outcome:
    detail = (
        'Traceback (most recent call last):\n  File "submission.py", line 5\n    return torch.softmax(x dim)\nSyntaxError: invalid syntax'
    )
    return Outcome(
        verdict=Verdict.COMPILE_ERROR,
        stage=State.BUILDING,
        op="softmax",
        device="cpu",
        kernel_type=KernelType.TORCH,
        mode=Mode.RANKED,
        reasons=(Reason("syntax_error", "The source is not Python: invalid syntax in line 5.", detail, "Look at line 5."),),
        sandbox=dict(SANDBOX),
        evaluator_version="0.1.0",
    )


def case(name: str, *, kind: str = "correctness", hidden: bool = False, timing_of: CaseTiming | None = None) -> CaseResult:
    return CaseResult(
        name=name,
        kind=kind,
        passed=True,
        inputs="float32[64, 128], -1",
        hidden=hidden,
        max_abs=1.2e-7,
        rel_l2=8.1e-8,
        rel_l2_torch=7.9e-8,
        tolerance=1e-5,
        mismatch_share=0.0,
        timing=timing_of,
    )


def timing(speedup: float, half: float) -> CaseTiming:
    spread = random.Random(5)
    ours = tuple(900.0 * spread.lognormvariate(0, 0.02) for _ in range(60))
    theirs = tuple(sample * speedup for sample in ours)
    return CaseTiming(
        method="wall",
        candidate=stats(ours),
        baseline=stats(theirs),
        speedup=speedup,
        low=speedup * (1 - half),
        high=speedup * (1 + half),
        quads=60,
        stop_reason="precise",
        gb_per_s=4.66,
        tflop_per_s=0.003,
        samples_us=ours,
        baseline_samples_us=theirs,
    )


def stats(samples: tuple[float, ...]) -> SampleStats:
    ordered = sorted(samples)
    n = len(ordered)
    middle = ordered[n // 2]
    return SampleStats(n, middle, sum(ordered) / n, ordered[n // 20], ordered[-n // 20], ordered[0], ordered[-1], middle * 0.013, 0.02)


def suspect(speedup: float = 2.0) -> Outcome:
    """By its own clock twice as fast as by the judge's."""
    outcome = accepted(speedup)
    cases = [
        dataclasses.replace(c, timing=dataclasses.replace(c.timing, audit_speedup=1.1, audit_low=1.05, audit_high=1.15)) if c.timing else c
        for c in outcome.cases
    ]
    reason = Reason("clocks_disagree", "Its clock says 2.0 times, the judge's 1.1 times.", detail="128x4096")
    return dataclasses.replace(outcome, verdict=Verdict.SUSPECT, reasons=(reason,), cases=tuple(cases), flags=(Flag.CLOCKS_DISAGREE,))
