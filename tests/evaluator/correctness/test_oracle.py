"""The oracle computes in float64; torch's own answer stays in the op's dtype and precision class."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from evaluator.correctness import oracle, same_dtype
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


@pytest.mark.parametrize(("precision", "setting"), [("ieee_fp32", "highest"), ("tf32", "high")])
def test_products_follow_the_precision_class(precision: str, setting: str) -> None:
    seen = []

    def reference(x: torch.Tensor) -> torch.Tensor:
        seen.append(torch.get_float32_matmul_precision())
        return x

    before = torch.get_float32_matmul_precision()
    op = dataclasses.replace(get("relu"), reference=reference, precision=precision)  # type: ignore[arg-type]

    same_dtype(op, [torch.ones(1)], {})

    assert seen == [setting]
    assert torch.get_float32_matmul_precision() == before


def test_several_outputs_become_a_tuple() -> None:
    op = dataclasses.replace(get("relu"), reference=lambda x: (x, x + 1))

    first, second = oracle(op, [torch.zeros(2)], {})

    assert (first.tolist(), second.tolist()) == ([0, 0], [1, 1])
