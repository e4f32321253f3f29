"""float64 where it costs little, float32 without TF32 elsewhere."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from evaluator.correctness import oracle
from evaluator.correctness.affordable import device_memory, oracle_dtype
from evaluator.devices import device_class
from evaluator.ops.arguments import performance, tensor
from evaluator.ops.registry import all_ops, get

GIB = 1024**3
MM = get("mm")


@pytest.mark.parametrize(
    ("size", "device", "dtype"),
    [
        (2048, "t4", "float64"),
        (4096, "t4", "float32"),
        (4096, "l4", "float32"),
        (4096, "h100", "float64"),
        (8192, "h200", "float64"),
        (16384, "h100", "float32"),
        (16384, "cpu", "float64"),
        (16384, "rtx-4090", "float64"),
    ],
)
def test_products_are_affordable_by_the_device(size: int, device: str, dtype: str) -> None:
    case = performance("made_up", "", tensor(size, size, dtype="float16"), tensor(size, size, dtype="float16"))

    assert oracle_dtype(MM, case, device_class(device), 80 * GIB) == dtype


def test_memory_counts_three_times_in_float64() -> None:
    relu = get("relu")
    case = performance("made_up", "", tensor(1 << 28, dtype="bfloat16"))  # 2 GiB in float64, and so is the output

    assert oracle_dtype(relu, case, device_class("h100"), 24 * GIB) == "float64"
    assert oracle_dtype(relu, case, device_class("h100"), 23 * GIB) == "float32"
    assert oracle_dtype(relu, case, None, 23 * GIB) == "float32"


def test_elementwise_and_row_wise_cases_are_float64_on_the_slowest_device() -> None:
    for op in all_ops("smoke"):
        if op.slug != "mm":
            assert {oracle_dtype(op, case, device_class("t4"), 16 * GIB) for case in op.cases("t4")} == {"float64"}, op.slug


def test_this_machine_has_memory() -> None:
    assert device_memory("cpu") > GIB


def test_float32_oracle_upcasts_narrow_inputs_and_leaves_wide_ones() -> None:
    seen: list[torch.dtype] = []

    def reference(*tensors: torch.Tensor) -> torch.Tensor:
        seen.extend(t.dtype for t in tensors)
        assert torch.get_float32_matmul_precision() == "highest"
        assert not torch.backends.cudnn.allow_tf32
        return tensors[0]

    op = dataclasses.replace(MM, reference=reference, precision="tf32")
    dtypes = [torch.bfloat16, torch.float8_e5m2, torch.float32, torch.float64, torch.complex64, torch.int8]
    args = [torch.zeros(2, dtype=dtype) for dtype in dtypes]

    oracle(op, args, {}, "float32")
    oracle(op, args, {})

    assert seen == [
        *(torch.float32, torch.float32, torch.float32, torch.float64, torch.complex64, torch.int8),
        *(torch.float64, torch.float64, torch.float64, torch.float64, torch.complex128, torch.int8),
    ]
