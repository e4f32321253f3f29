"""The oracle computes in float64; torch's own answer stays in the op's dtype and precision class."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from evaluator.candidate.outputs import leaves
from evaluator.correctness import oracle, same_dtype
from evaluator.judge import baseline
from evaluator.ops.definition import Op
from evaluator.ops.registry import all_ops, get
from evaluator.ops.validate import materialise

WIDE = {
    torch.float32: torch.float64,
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.complex64: torch.complex128,
}


@pytest.mark.parametrize("op", all_ops(), ids=lambda op: op.slug)
def test_oracle_is_float64_and_leaves_its_inputs(op: Op) -> None:
    for case in op.correctness_cases("cpu"):
        (args, kwargs), again = materialise(case, 1), materialise(case, 1)

        outputs = oracle(op, args, kwargs)

        # Quantised values and their scales keep dtypes that the op names.
        if "quantisation" not in op.tags:
            assert [out.dtype for out in outputs] == [WIDE.get(out.dtype, out.dtype) for out in same_dtype(op, args, kwargs)]
        for tensor, before in zip(_tensors(args, kwargs), _tensors(*again), strict=True):
            torch.testing.assert_close(tensor, before, rtol=0, atol=0, equal_nan=True)


def _tensors(args: list[object], kwargs: dict[str, object]) -> list[torch.Tensor]:
    return [value for value in leaves((*args, *kwargs.values())) if isinstance(value, torch.Tensor)]


def test_same_dtype_keeps_the_dtype() -> None:
    (out,) = same_dtype(get("relu"), [torch.tensor([-1.0, 2.0], dtype=torch.bfloat16)], {})

    assert out.dtype == torch.bfloat16
    assert out.tolist() == [0, 2]


@pytest.mark.parametrize(("precision", "setting"), [("ieee_fp32", ("highest", False)), ("tf32", ("high", True))])
@pytest.mark.parametrize("allowed_before", [False, True])
def test_products_follow_the_precision_class(precision: str, setting: tuple[str, bool], allowed_before: bool) -> None:
    seen = []

    def reference(x: torch.Tensor) -> torch.Tensor:
        seen.append((torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32))
        return x

    op = dataclasses.replace(get("relu"), reference=reference, precision=precision)  # type: ignore[arg-type]
    matmul, convolution = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    torch.backends.cudnn.allow_tf32 = allowed_before
    try:
        same_dtype(op, [torch.ones(1)], {})
        after = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    finally:
        torch.backends.cudnn.allow_tf32 = convolution

    assert seen == [setting]
    assert after == (matmul, allowed_before)


def test_the_baseline_multiplies_and_convolves_without_tf32() -> None:
    matmul, convolution, grad = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32, torch.is_grad_enabled()
    torch.backends.cudnn.allow_tf32 = True
    try:
        function = baseline.reference({"op": "mm"})
        seen = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    finally:
        torch.set_float32_matmul_precision(matmul)
        torch.backends.cudnn.allow_tf32 = convolution
        torch.set_grad_enabled(grad)

    assert function is get("mm").reference
    assert seen == ("highest", False)


def test_several_outputs_become_a_tuple() -> None:
    op = dataclasses.replace(get("relu"), reference=lambda x: (x, x + 1))

    first, second = oracle(op, [torch.zeros(2)], {})

    assert (first.tolist(), second.tolist()) == ([0, 0], [1, 1])
