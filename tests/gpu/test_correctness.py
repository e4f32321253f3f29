"""On a GPU: the comparison's kernels find what torch's operations find, in little memory; writes beside an argument are seen."""

from __future__ import annotations

import math

import pytest
import torch

from evaluator.contract import EvaluationRequest, KernelType, Mode, Verdict
from evaluator.correctness import Comparison, compare_outputs, fused
from evaluator.judge.judge import Judge
from evaluator.ops.definition import Case, TensorSpec
from evaluator.ops.registry import get

CASE = Case("made_up", "correctness", (TensorSpec((1,)),))
SHAPES = [(4096, 4096), (1 << 24,), (1 << 20, 16), (5, 1000, 1031)]


def compare(right: torch.Tensor, got: torch.Tensor, same: torch.Tensor) -> Comparison:
    return compare_outputs(get("softmax"), CASE, expected=[right], torch_same_dtype=[same], got=[got])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_kernels_find_what_torch_finds(shape: tuple[int, ...], dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    right = torch.randn(shape, dtype=torch.float64, device="cuda")
    same = right.to(dtype)
    got = (right * (1 + torch.finfo(dtype).eps / 4)).to(dtype)
    assert fused.usable(right, same, got)

    by_kernels = compare(right, got, same)
    monkeypatch.setattr(fused, "usable", lambda *tensors: False)
    by_torch = compare(right, got, same)

    assert by_kernels.passed and by_torch.passed
    for name in ("max_abs", "max_rel", "rel_l2", "rel_l2_torch", "tolerance", "bias"):
        assert math.isclose(getattr(by_kernels, name), getattr(by_torch, name), rel_tol=1e-9, abs_tol=1e-12), name


@pytest.mark.parametrize("place", [0, 12_345_678])
@pytest.mark.parametrize("value", [9.0, math.nan, math.inf])
def test_one_wrong_element_of_many_is_found(place: int, value: float) -> None:
    right = torch.randn(4096, 4096, dtype=torch.float64, device="cuda")
    same = right.float()
    got = same.clone()
    got.view(-1)[place] = value

    (wrong,) = compare(right, got, same).mismatches

    assert wrong.index == divmod(place, 4096)


@pytest.mark.parametrize("special", [False, True], ids=["by kernels", "by torch, with a NaN"])
def test_little_memory_is_needed(special: bool) -> None:
    right = torch.randn(4096, 4096, dtype=torch.float64, device="cuda")
    if special:
        right[3, 3] = math.nan
    same, got = right.float(), right.float()
    compare(right, got, same)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()

    assert compare(right, got, same).passed

    assert torch.cuda.max_memory_allocated() - before <= 2 * got.numel() * got.element_size()


def test_a_triton_kernel_without_masks_writes_beside_its_argument(judge: Judge) -> None:
    masked = get("sgd_momentum_step").starters["triton"]
    unmasked = masked.replace(", mask=mask, other=0.0", "").replace(", mask=mask", "")
    assert unmasked != masked

    found = {}
    for source in (masked, unmasked):
        found[source] = judge.evaluate(EvaluationRequest("sgd_momentum_step", source, KernelType.TRITON, judge.device, Mode.TEST))

    assert found[masked].verdict is Verdict.ACCEPTED, found[masked].reasons
    assert found[unmasked].verdict is not Verdict.ACCEPTED
    assert "out_of_bounds_write" in [case.code for case in found[unmasked].cases]
