"""Reductions, softmaxes and norms: what their definitions promise beyond being torch's."""

from __future__ import annotations

import pytest
import torch

from evaluator.ops.arguments import tensor
from evaluator.ops.definition import Case
from evaluator.ops.families.selections import rare
from evaluator.ops.registry import get
from evaluator.ops.validate import materialise


def test_causal_softmax_lets_no_query_see_a_later_key() -> None:
    out = get("causal_softmax").reference(torch.randn(2, 3, 5), 0.5)
    assert isinstance(out, torch.Tensor)

    seen = (out > 0).sum(-1)

    assert seen.tolist() == [[3, 4, 5], [3, 4, 5]]
    torch.testing.assert_close(out.sum(-1), torch.ones(2, 3))
    assert bool((out[:, 0, 3:] == 0).all())


def test_causal_softmax_need_not_read_what_it_masks() -> None:
    cost = get("causal_softmax").cost(Case("c", "correctness", (tensor(2, 3, 5, dtype="float16"), 0.5)))

    assert (cost.input_bytes, cost.output_bytes) == (2 * (3 + 4 + 5) * 2, 2 * 15 * 2)


@pytest.mark.parametrize("columns", [64, 1021, 4096])
def test_rare_values_leave_some_rows_empty(columns: int) -> None:
    case = Case("c", "correctness", (rare(256, columns, share=1 / columns),))

    (x,), _ = materialise(case, 1)
    assert isinstance(x, torch.Tensor)
    rows_with_any = (x != 0).any(1).double().mean()

    assert 0.4 < float(rows_with_any) < 0.85


def test_argmax_takes_the_first_of_equal_elements_and_nan_before_all() -> None:
    reference = get("argmax").reference
    nan, inf = float("nan"), float("inf")

    found = reference(torch.tensor([[1.0, 3.0, 3.0], [-inf, -inf, -inf], [inf, nan, nan], [-0.0, 0.0, -1.0]]), 1)

    assert isinstance(found, torch.Tensor)
    assert found.tolist() == [1, 0, 1, 0]


def test_add_rms_norm_gives_the_norm_of_its_second_output() -> None:
    x, residual, weight = torch.randn(3, 7), torch.randn(3, 7), torch.randn(7)

    outputs = get("add_rms_norm").reference(x, residual, weight, 1e-3)
    assert isinstance(outputs, tuple)
    normalised, total = outputs

    assert torch.equal(total, x + residual)
    assert torch.equal(normalised, torch.nn.functional.rms_norm(total, (7,), weight, 1e-3))


def test_default_eps_of_norms_is_the_same_in_float64_and_float16() -> None:
    op = get("rms_norm")
    x = torch.full((1, 9), 1e-3)

    wide, narrow = op.reference(x.double(), (9,)), op.reference(x.half(), (9,))

    assert isinstance(wide, torch.Tensor) and isinstance(narrow, torch.Tensor)
    torch.testing.assert_close(narrow.double(), wide, rtol=2e-3, atol=0.0)
