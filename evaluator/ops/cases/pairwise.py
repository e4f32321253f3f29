"""Cases that losses of two tensors of one shape share: a prediction and a target, added up or not."""

from __future__ import annotations

from collections.abc import Callable

from evaluator.ops.arguments import correctness, cost, elements, every_other, first_tensor, hidden, takes_bfloat16, tensor, transposed
from evaluator.ops.cases.rowwise import Pick
from evaluator.ops.definition import Argument, Case, Cost, TensorSpec

Pair = Callable[[TensorSpec], tuple[Argument, ...]]
"""Prediction and target, of which the prediction is given."""


def pairs(device: str, pair: Pair) -> list[Case]:
    return [
        correctness("default", *pair(tensor(64, 128))),
        correctness("mean", *pair(tensor(3, 67, 5)), reduction="mean"),
        correctness("sum", *pair(tensor(33, 67)), reduction="sum"),
        correctness("none", *pair(tensor(33, 67)), reduction="none"),
        correctness("one_element", *pair(tensor(1)), reduction="none"),
        correctness("prime", *pair(tensor(4099)), reduction="none"),
        correctness("transposed", *pair(transposed(19, 37)), reduction="none"),
        correctness("every_other_mean", *pair(every_other(13, 31)), reduction="mean"),
        correctness("large", *pair(tensor(15, 65, generator="large")), reduction="none"),
        correctness("float16", *pair(tensor(31, 33, dtype="float16")), reduction="none"),
        *([correctness("bfloat16", *pair(tensor(31, 33, dtype="bfloat16")), reduction="sum")] if takes_bfloat16(device) else []),
    ]


def hidden_pairs(pick: Pick, pair: Pair) -> list[Case]:
    rows, columns = 2 * pick(1, 40) + 1, 2 * pick(1, 100) + 1
    return [
        hidden("none", *pair(tensor(rows, columns)), reduction="none"),
        hidden("sum", *pair(tensor(pick(5_000, 20_000))), reduction="sum"),
        hidden("strided", *pair(transposed(pick(2, 80), pick(2, 80))), reduction="none"),
    ]


def least_cost(flops: int) -> Callable[[Case], Cost]:
    """Cost of a loss with so many FLOPs an element."""

    def least(case: Case) -> Cost:
        x = first_tensor(case)
        whole = case.kwargs.get("reduction") == "none"
        return cost(case, elements(x) if whole else 1, x.dtype, flops=flops * elements(x))

    return least
