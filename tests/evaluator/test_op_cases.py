"""Cases of all ops: hidden ones for any draw, sizes that fit each kind of device, recipes that lay out as they say."""

from __future__ import annotations

import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.correctness import compare_outputs, expected_meta, oracle, same_dtype
from evaluator.devices import DEVICES
from evaluator.generate import storage_elements
from evaluator.ops.arguments import ITEM_BYTES, elements, every_other, padded, permuted, tensor, tensor_bytes, transposed
from evaluator.ops.definition import Case, Op, TensorSpec
from evaluator.ops.registry import all_ops, get
from evaluator.ops.validate import materialise

OPS = pytest.mark.parametrize("op", all_ops(), ids=lambda op: op.slug)
GPUS = tuple(slug for slug, device in DEVICES.items() if device.kind == "cuda")


@OPS
@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 2**32))
def test_hidden_cases_of_any_draw_can_be_judged(op: Op, seed: int) -> None:
    draw = random.Random(seed)
    cases = op.hidden_cases(draw.randint, "cpu")

    assert len({case.name for case in cases} | {case.name for case in op.correctness_cases("cpu")}) == len(cases) + len(
        op.correctness_cases("cpu")
    )
    for case in cases:
        args, kwargs = materialise(case, seed)
        own = same_dtype(op, args, kwargs)
        assert case.hidden and case.kind == "correctness"
        assert compare_outputs(op, case, expected=oracle(op, args, kwargs), torch_same_dtype=own, got=own, args=args, kwargs=kwargs).passed
        assert op.cost(case).bytes > 0


@OPS
def test_hidden_cases_differ_from_draw_to_draw(op: Op) -> None:
    drawn = {tuple(case.describe() for case in op.hidden_cases(random.Random(seed).randint, "cpu")) for seed in range(5)}

    assert len(drawn) == 5


@OPS
def test_correctness_covers_what_breaks_kernels(op: Op) -> None:
    cases = op.correctness_cases("h100")
    specs = [spec for case in cases for spec in case.tensors]

    assert set(op.dtypes) <= {spec.dtype for spec in specs}
    assert any(1 in spec.shape for spec in specs)
    assert any(size % 2 and size > 1 for spec in specs for size in spec.shape)
    assert any(spec.strides is not None for spec in specs)
    assert op.compare == "exact" or any(spec.generator == "large" for spec in specs)
    assert all(elements(spec) <= 20_000 for spec in specs)


@OPS
@pytest.mark.parametrize("device", GPUS)
def test_gpu_sizes_are_those_of_models_and_fit(op: Op, device: str) -> None:
    cases = op.performance_cases(device)

    assert 2 <= len(cases) <= 3
    for case in cases:
        assert case.source
        assert op.cost(case).bytes <= 2**30
    assert "float32" not in op.dtypes or any(spec.dtype == "float32" for case in cases for spec in case.tensors)


@OPS
def test_cpu_sizes_suit_one_thread_and_an_interpreter(op: Op) -> None:
    cases = op.performance_cases("cpu")

    assert 2 <= len(cases) <= 3
    for case in cases:
        assert case.source
        assert op.cost(case).bytes <= 64 * 2**20
        assert all(meta.shape[0] <= 256 for meta in expected_meta(op, case, "cpu")[:1] if meta.shape)


@OPS
def test_cpu_has_no_bfloat16(op: Op) -> None:
    assert "bfloat16" not in {spec.dtype for case in op.cases("cpu") for spec in case.tensors}


def test_softmax_has_the_size_that_everybody_quotes() -> None:
    assert tensor(4096, 4096) in {case.tensors[0] for case in get("softmax").performance_cases("h200")}


@pytest.mark.parametrize(
    ("spec", "strides"),
    [
        (transposed(3, 5), (1, 3)),
        (transposed(2, 3, 5), (15, 1, 3)),
        (transposed(4, 2, 3, 5), (30, 15, 1, 3)),
        (permuted(2, 3, 5, 7, order=(0, 2, 3, 1)), (105, 1, 21, 3)),
        (padded(3, 5, 2), (7, 1)),
        (every_other(3, 5), (10, 2)),
    ],
)
def test_layouts(spec: TensorSpec, strides: tuple[int, ...]) -> None:
    laid = torch.empty_strided(spec.shape, spec.strides or (), device="meta")

    assert spec.strides == strides
    assert storage_elements(spec) >= elements(spec)
    assert not laid.is_contiguous()


def test_broadcast_dimensions_are_read_once() -> None:
    assert tensor_bytes(tensor(7, 5, strides=(0, 1))) == 20
    assert tensor_bytes(tensor(7, 5, dtype="int64")) == 280


@pytest.mark.parametrize(
    ("slug", "case", "output_bytes"),
    [
        ("sum", Case("c", "correctness", (tensor(4, 6, 8), (0, -1), False)), 6 * 4),
        ("sum", Case("c", "correctness", (tensor(4, 6),), {"dim": (0,), "keepdim": True}), 6 * 4),
        ("add", Case("c", "correctness", (tensor(5, 1, 7), tensor(3, 1))), 5 * 3 * 7 * 4),
        ("mm", Case("c", "correctness", (tensor(5, 7, dtype="float16"), tensor(7, 3, dtype="float16"))), 30),
        ("cross_entropy", Case("c", "correctness", (tensor(5, 7), tensor(5, dtype="int64")), {"reduction": "none"}), 20),
        ("cross_entropy", Case("c", "correctness", (tensor(5, 7), tensor(5, dtype="int64"))), 4),
    ],
)
def test_costs_count_the_outputs(slug: str, case: Case, output_bytes: int) -> None:
    assert get(slug).cost(case).output_bytes == output_bytes


@OPS
def test_costs_agree_with_the_reference(op: Op) -> None:
    for case in op.cases("h100"):
        metas = expected_meta(op, case, "cuda:0")

        returned = sum(torch.Size(meta.shape).numel() * ITEM_BYTES[meta.dtype] for meta in metas)
        written = sum(tensor_bytes(case.tensors[number]) for number in op.mutates)
        if "scatter" in op.tags:  # of what it writes to, only the places that indices name
            assert returned <= op.cost(case).output_bytes <= returned + written
        else:
            assert op.cost(case).output_bytes == returned + written
