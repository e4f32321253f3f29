"""What one call of a case costs at least, found without running it: on torch's `meta` device."""

from __future__ import annotations

import math

from evaluator.correctness import Form, expected_form
from evaluator.ops.arguments import ITEM_BYTES, tensor_bytes
from evaluator.ops.definition import Case, Op


def measured(op: Op, case: Case) -> tuple[int, int]:
    """Bytes of the outputs (arguments that the op writes to are outputs), and FLOPs.

    FLOPs are those of matrix products, convolutions and attention, as torch's `FlopCounterMode` counts them; 0 for everything else.
    """
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        form = expected_form(op, case, "cpu")
    return output_bytes(op, case, form), int(counter.get_total_flops())


def output_bytes(op: Op, case: Case, form: Form) -> int:
    returned = sum(math.prod(meta.shape) * ITEM_BYTES.get(meta.dtype, 1) for meta in form.outputs)
    return returned + sum(tensor_bytes(case.tensors[number]) for number in op.mutates)
