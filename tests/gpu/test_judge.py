"""On a GPU: starters are accepted and timed, bad kernels get the verdict they deserve, and the next kernel is judged as ever."""

from __future__ import annotations

import pytest

from evaluator.contract import EvaluationRequest, KernelType, Limits, Mode, Outcome, Verdict
from evaluator.judge.judge import Judge
from evaluator.ops.registry import all_ops, get

RELU = "import torch\n\ndef relu_kernel_impl(x):\n    "
SPIN = """
import torch, triton, triton.language as tl

@triton.jit
def spin(x):
    while tl.load(x, volatile=True) < 1e30:
        pass

def relu_kernel_impl(x):
    out = torch.empty_like(x)
    spin[(1,)](torch.zeros(1, device="cuda"))
    return out
"""
WILD = """
import torch, triton, triton.language as tl

@triton.jit
def wild(x):
    tl.store(x + (1 << 40) + tl.arange(0, 128), 1.0)

def relu_kernel_impl(x):
    wild[(1,)](x)
    return torch.relu(x)
"""
SIDE_STREAM = """
import torch
side = torch.cuda.Stream()

def softmax_kernel_impl(x, dim):
    side.wait_stream(torch.cuda.current_stream())
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    x.record_stream(side)
    with torch.cuda.stream(side):
        for _ in range(3):
            out.copy_(torch.softmax(x, dim))
    return out
"""


def evaluate(judge: Judge, op: str, source: str, kind: str = "torch", mode: Mode = Mode.BENCHMARK, limits: Limits | None = None) -> Outcome:
    return judge.evaluate(EvaluationRequest(op, source, KernelType(kind), judge.device, mode, limits=limits or Limits()))


SMOKE = [op.slug for op in all_ops("smoke")]


@pytest.mark.parametrize("op", [op.slug for op in all_ops() if op.slug not in SMOKE])
def test_triton_starters_are_right(judge: Judge, op: str) -> None:
    outcome = evaluate(judge, op, get(op).starters["triton"], "triton", Mode.TEST)

    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.log)


@pytest.mark.alone
@pytest.mark.parametrize("kind", ["torch", "triton"])
@pytest.mark.parametrize("op", SMOKE)
def test_starters_are_accepted_and_timed(judge: Judge, op: str, kind: str) -> None:
    outcome = evaluate(judge, op, get(op).starters[kind], kind, limits=Limits(timing_case_s=0.5))

    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.log)
    assert outcome.timing is not None
    timed = [case.timing for case in outcome.cases if case.timing is not None]
    assert len(timed) == len(get(op).performance_cases(judge.device))
    assert all(t.method in ("event", "graph") and t.low <= t.speedup <= t.high for t in timed)
    assert outcome.environment["device_name"]
    print(
        op,
        kind,
        outcome.flags,
        outcome.stage_seconds,
        [(t.candidate.median_us, t.baseline.median_us, t.speedup, t.audit_speedup) for t in timed],
    )


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("return torch.relu(x).cpu()", Verdict.WRONG_DEVICE),
        ("return torch.relu(x).double()", Verdict.WRONG_DTYPE),
        ("return x", Verdict.ALIASED_OUTPUT),
        ("torch.relu_(x); return x.clone()", Verdict.INPUT_MUTATED),
        ("return torch.empty_like(x)", Verdict.WRONG_RESULT),
        ("return torch.empty(1 << 40, device='cuda')", Verdict.OUT_OF_MEMORY),
        ("raise KeyError('no')", Verdict.RUNTIME_ERROR),
        ("import os; os._exit(0)", Verdict.CRASHED),
    ],
)
def test_bad_kernels(judge: Judge, body: str, verdict: Verdict) -> None:
    outcome = evaluate(judge, "relu", RELU + body, mode=Mode.TEST)

    assert outcome.verdict is verdict, outcome.reasons
    assert evaluate(judge, "relu", get("relu").starters["torch"], mode=Mode.TEST).verdict is Verdict.ACCEPTED


@pytest.mark.alone
def test_illegal_access_leaves_nothing_behind(judge: Judge) -> None:
    outcome = evaluate(judge, "relu", WILD, "triton", Mode.TEST)

    assert outcome.verdict in (Verdict.RUNTIME_ERROR, Verdict.CRASHED), outcome.reasons
    assert evaluate(judge, "relu", get("relu").starters["triton"], "triton", Mode.TEST).verdict is Verdict.ACCEPTED


@pytest.mark.alone
def test_endless_kernel_times_out(judge: Judge) -> None:
    outcome = evaluate(judge, "relu", SPIN, "triton", Mode.TEST, Limits(check_s=5))

    assert outcome.verdict is Verdict.TIMEOUT, outcome.reasons
    assert evaluate(judge, "relu", get("relu").starters["triton"], "triton", Mode.TEST).verdict is Verdict.ACCEPTED


@pytest.mark.alone
def test_work_on_a_stream_that_is_not_joined_gains_nothing(judge: Judge) -> None:
    outcome = evaluate(judge, "softmax", SIDE_STREAM)

    assert outcome.verdict in (Verdict.WRONG_RESULT, Verdict.SUSPECT) or (outcome.timing is not None and outcome.timing.speedup < 1), (
        outcome
    )
