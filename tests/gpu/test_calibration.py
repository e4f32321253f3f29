"""On a GPU: the calibration fills every group, lies near the table, becomes the judge's second ceiling, and suspects nobody honest."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from evaluator.calibration import store
from evaluator.calibration.calibrate import calibrate
from evaluator.calibration.record import Calibration
from evaluator.cli import resolve_device
from evaluator.contract import EvaluationRequest, KernelType, Mode, Verdict
from evaluator.devices import DEVICES, device_class
from evaluator.judge.judge import Judge
from evaluator.ops.registry import get

pytestmark = pytest.mark.alone
FEW_PERCENT = 1.03
SPLIT = """
import torch, triton, triton.language as tl

@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        inside = start + k
        x = tl.load(a + m[:, None] * K + inside[None, :], (m[:, None] < M) & (inside[None, :] < K), 0.0)
        y = tl.load(b + inside[:, None] * N + n[None, :], (inside[:, None] < K) & (n[None, :] < N), 0.0)
        total = tl.dot(x, y, total, input_precision="tf32x3")
    tl.store(c + m[:, None] * N + n[None, :], total, (m[:, None] < M) & (n[None, :] < N))

def mm_kernel_impl(a, b):
    if a.dtype != torch.float32:
        return torch.mm(a, b)
    a, b = a.contiguous(), b.contiguous()
    c = torch.empty((a.shape[0], b.shape[1]), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(a.shape[0], 128), triton.cdiv(b.shape[1], 128))
    product[grid](a, b, c, a.shape[0], b.shape[1], a.shape[1], 128, 128, 32, num_warps=8)
    return c
"""
"""float32 products out of three TF32 ones: honest, and past the float32 peak on an H100 where it is tuned."""


@pytest.fixture(scope="module")
def measured() -> tuple[str, int | None, Calibration]:
    device, index = resolve_device("cuda")
    started = time.monotonic()
    found = calibrate(device, index)
    print(found, f"{time.monotonic() - started:.1f} s")
    assert time.monotonic() - started < 60
    return device, index, found


def test_every_group_is_measured(measured: tuple[str, int | None, Calibration]) -> None:
    device, _, found = measured

    assert set(found.bytes_per_s) == {"copy", "read", "write", "triad"}
    assert all(len(figures) >= 2 for figures in found.bytes_per_s.values())
    assert set(found.launch_us) == {"graph", "event"}
    assert found.launch_floor_us is not None and 0.3 < found.launch_floor_us < 10
    wanted = set(DEVICES[device].flops_per_s) if device in DEVICES else {"ieee_fp32", "fp16"}
    assert wanted <= set(found.flops_per_s), found.absent
    assert found.l2_bytes > 0


def test_no_figure_is_above_the_table_by_more_than_the_clock_errs(measured: tuple[str, int | None, Calibration]) -> None:
    device, _, found = measured
    if device not in DEVICES:
        pytest.skip(f"{device} has no table")
    table = DEVICES[device]

    assert found.bandwidth is not None and table.dram_bytes_per_s is not None
    assert 0.5 * table.dram_bytes_per_s < found.bandwidth < FEW_PERCENT * table.dram_bytes_per_s
    for precision, peak in table.flops_per_s.items():
        assert found.peaks[precision] < FEW_PERCENT * peak, precision
    assert found.peaks["fp16"] > 3 * found.peaks["ieee_fp32"]


@pytest.mark.parametrize(("source", "kernel_type"), [(get("mm").starters["torch"], "torch"), (SPLIT, "triton")], ids=["torch", "tf32x3"])
def test_the_judge_holds_cases_against_it_and_suspects_nobody_honest(
    measured: tuple[str, int | None, Calibration], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, kernel_type: str
) -> None:
    device, index, found = measured
    monkeypatch.setenv("KB_CALIBRATION_DIR", str(tmp_path))
    store.save(found, store.name_of(device, found.fingerprint, index), tmp_path)
    judge = Judge(device, gpu_index=index)

    try:
        outcome = judge.evaluate(EvaluationRequest("mm", source, KernelType(kernel_type), device, Mode.BENCHMARK))
    finally:
        judge.close()

    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.log)
    for case in outcome.cases:
        if case.timing is not None:
            limit = case.timing.limit
            assert limit is not None and limit.calibrated is not None, limit
            assert (limit.table is not None) == bool(device_class(device).dram_bytes_per_s)
            assert limit.uncapped_speedup is None
            print(case.name, limit.table and limit.table.share, limit.calibrated.share, limit.least_us, case.timing.candidate.median_us)
