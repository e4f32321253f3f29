"""The oracle computes in float64; torch's own answer stays in the op's dtype and precision class."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from evaluator.correctness import oracle, same_dtype
from evaluator.judge import baseline
from evaluator.ops.definition import Op
from evaluator.ops.registry import all_ops, get
from evaluator.ops.validate import materialise


@pytest.mark.parametrize("op", all_ops(), ids=lambda op: op.slug)
def test_oracle_is_float64_and_leaves_its_inputs(op: Op) -> None:
    for case in op.correctness_cases("cpu"):
        args, kwargs = materialise(case, 1)
        again, _ = materialise(case, 1)

        outputs = oracle(op, args, kwargs)

        assert {out.dtype for out in outputs} == {torch.float64}
        assert all(
            torch.equal(a, b) for a, b in zip(args, again, strict=True) if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)
        )


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
