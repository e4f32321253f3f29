"""What is offered as an op is tried before anybody is judged by it."""

from __future__ import annotations

import math

import pytest

from evaluator.ops.admission import Refused, admit, examine
from evaluator.ops.definition import Argument, Case, DType, TensorSpec
from evaluator.ops.recorded import Recorded, RecordedCase, from_document, read
from evaluator.ops.validate import validate


def tensor(*shape: int, dtype: str = "float32", **fields: object) -> TensorSpec:
    return TensorSpec(shape, dtype, **fields)  # type: ignore[arg-type]


def indices(*shape: int, below: int) -> TensorSpec:
    return TensorSpec(shape, "int64", "integers", 0, below)


def case(name: str, *args: Argument, **kwargs: Argument) -> RecordedCase:
    return RecordedCase(Case(name, "correctness", args, kwargs))


def offer(target: str, *cases: RecordedCase) -> Recorded:
    return Recorded(f"mine/{target}", target, "", f"f(Tensor self) -> Tensor  # {target}", target, "f", ("mine",), ("float32",), cases)


def only(recorded: Recorded) -> RecordedCase:
    (found,) = recorded.cases
    return found


@pytest.mark.parametrize(
    ("target", "args", "costs"),
    [
        ("aten.softmax.int", (tensor(8, 33), -1, DType("float32")), (1056, 1056, 0)),
        ("aten.mm.default", (tensor(6, 10), tensor(10, 8)), (560, 192, 960)),
        ("torch.special.i0", (tensor(20),), (80, 80, 0)),
        ("torch.nn.functional.gelu", (tensor(20),), (80, 80, 0)),
        ("aten.max.dim", (tensor(8, 16), 1), (512, 8 * 4 + 8 * 8, 0)),
        ("aten.stack.default", ((tensor(5, 3), tensor(5, 3)),), (120, 120, 0)),
    ],
)
def test_a_sound_op_comes_with_its_least_work(target: str, args: tuple[Argument, ...], costs: tuple[int, int, int]) -> None:
    admitted = admit(offer(target, case("a", *args)))

    found = only(admitted.recorded)
    assert (found.input_bytes, found.output_bytes, found.flops) == costs
    assert read(admitted.document) == admitted.recorded
    assert validate(from_document(admitted.document)) == []


@pytest.mark.parametrize(
    ("target", "args", "read_bytes"),
    [
        ("aten.embedding.default", (tensor(100, 16), indices(5, below=100)), 5 * 8),
        ("aten.tril.default", (tensor(16, 16),), 0),
        ("aten.masked_fill.Scalar", (tensor(40, 8), tensor(40, 8, dtype="bool"), -math.inf), 320),
        ("aten.add.Tensor", (tensor(40, 8), tensor(8)), 4 * (320 + 8)),
    ],
)
def test_an_input_that_is_not_read_whole_is_no_cost(target: str, args: tuple[Argument, ...], read_bytes: int) -> None:
    assert only(admit(offer(target, case("a", *args))).recorded).input_bytes == read_bytes


@pytest.mark.parametrize(
    ("target", "args", "reason"),
    [
        ("aten.bernoulli.default", (tensor(9, 9, generator="uniform"),), "random: two calls"),
        ("aten.native_dropout.default", (tensor(9, 9), 0.5, True), "random: two calls"),
        ("aten.view.default", (tensor(4, 6), (6, 4)), "a view of its argument"),
        ("torch.Tensor.contiguous", (tensor(4, 6),), "a view of its argument"),
        ("aten.nonzero.default", (tensor(9),), "torch says NotImplementedError"),
        ("aten.clone.default", (tensor(9, 9),), "the copy of input 0 output passes"),
        ("aten.zeros_like.default", (tensor(9, 9),), "the zero output passes"),
        ("aten.eq.Scalar", (tensor(9, 9), 0), "the zero output passes"),
        ("aten.embedding.default", (tensor(10, 4), indices(5, below=100)), "torch says IndexError: index out of range"),
        ("aten.mm.default", (tensor(3, 4), tensor(5, 6)), "torch says RuntimeError: mat1 and mat2 shapes"),
        ("aten.prod.default", (tensor(9, 9, low=1e3),), "the right answer does not fit into float32"),
        ("torch.Tensor.ndimension", (tensor(3, 4),), "it gives a int"),
        ("torch.load", (tensor(3),), "not among the functions of tensors"),
        ("aten.from_file.default", (tensor(3),), "takes no tensor"),
    ],
)
def test_an_op_that_cannot_be_judged_by_is_refused_with_the_reason(target: str, args: tuple[Argument, ...], reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        admit(offer(target, case("a", *args)))


def test_cases_that_decide_nothing_are_dropped_and_the_rest_stays() -> None:
    good, ones = case("good", tensor(8, 33), -1), case("one_column", tensor(8, 1), -1)
    wrong = case("wrong", tensor(8, 33), 7)

    admitted = admit(offer("aten.softmax.int", good, ones, wrong))

    assert [each.case.name for each in admitted.recorded.cases] == ["good"]
    assert {dropped.case: dropped.reason[:23] for dropped in admitted.dropped} == {
        "one_column": "the one output passes",
        "wrong": "torch says IndexError: ",
    }


@pytest.mark.parametrize(
    ("target", "args", "written"),
    [
        ("aten.relu_.default", (tensor(9, 9),), (0,)),
        ("aten.add_.Tensor", (tensor(9, 9), tensor(9)), (0,)),
        ("torch.Tensor.mul_", (tensor(9, 9), 3.0), (0,)),
        # its schema does not say so: running statistics are written to in training
        (
            "aten.native_batch_norm.default",
            (tensor(4, 5, 6), tensor(5), tensor(5), tensor(5), tensor(5, generator="uniform"), True, 0.1, 1e-5),
            (3, 4),
        ),
    ],
)
def test_what_an_op_writes_to_is_seen(target: str, args: tuple[Argument, ...], written: tuple[int, ...]) -> None:
    admitted = admit(offer(target, case("a", *args)))

    assert admitted.recorded.mutates == written
    assert validate(from_document(admitted.document)) == []


def test_cases_for_gpus_alone_are_not_computed_here() -> None:
    huge = RecordedCase(Case("huge", "performance", (tensor(1 << 20, 1 << 10), -1)), devices="gpu")

    admitted = admit(offer("aten.softmax.int", case("good", tensor(8, 33), -1), huge))

    assert [(each.case.name, each.output_bytes) for each in admitted.recorded.cases] == [("good", 1056), ("huge", 1 << 32)]


@pytest.mark.parametrize(("generator", "finite"), [("normal", False), ("uniform", True)])
def test_it_is_seen_where_an_op_is_not_defined(generator: str, finite: bool) -> None:
    log = offer("aten.log.default", case("a", tensor(99, generator=generator, low=0.1)))

    assert examine(log).finite is finite


def test_values_that_torch_refuses_are_not_needed_to_see_what_is_read() -> None:
    quantile = offer("torch.quantile", case("a", tensor(40), tensor(3, generator="uniform")))

    assert only(admit(quantile).recorded).input_bytes == 172


def test_outputs_that_are_conjugated_when_they_are_read_can_be_judged() -> None:
    assert only(admit(offer("torch.fft.ihfft", case("a", tensor(40)))).recorded).output_bytes == 168


class TestVariations:
    def test_sizes_are_those_that_torch_takes(self) -> None:
        grouped = case("a", tensor(2, 8, 9), tensor(8, 2, 3), None, (1,), (0,), (1,), False, (0,), 4)
        variations = admit(offer("aten.convolution.default", grouped)).recorded.variations

        assert 8 not in {variation.size for variation in variations}, "8 channels in 4 groups"
        assert {variation.size for variation in variations} >= {9}

    def test_an_index_stays_below_its_table(self) -> None:
        op = from_document(admit(offer("aten.embedding.default", case("a", tensor(64, 16), indices(7, below=64)))).document)
        drawn = [one.tensors for n in range(20) for one in op.hidden_cases(lambda low, high, n=n: low + n % (high - low + 1), "cpu")]  # type: ignore[misc]

        assert len({table.shape[0] for table, _ in drawn}) > 2
        assert all(table.shape[0] == index.high for table, index in drawn)

    def test_transposed_inputs_stay_transposed(self) -> None:
        spec = tensor(12, 30, strides=(1, 12))
        (variation, *_) = admit(offer("aten.softmax.int", case("a", spec, -1))).recorded.variations
        op = from_document(admit(offer("aten.softmax.int", case("a", spec, -1))).document)

        hidden = op.hidden_cases(lambda low, high: low, "cpu")[0].tensors[0]
        assert variation.size == 30
        assert (hidden.shape, hidden.strides) == ((12, variation.to[0]), (1, 12))

    def test_tensors_with_gaps_are_not_varied(self) -> None:
        assert admit(offer("aten.softmax.int", case("a", tensor(12, 30, strides=(40, 1)), -1))).recorded.variations == ()

    def test_cases_worth_hiding_come_first(self) -> None:
        empty, small, middle = (case(name, tensor(rows, 30), -1) for name, rows in (("empty", 0), ("small", 5), ("middle", 97)))
        dear = case("dear", tensor(600, 30), -1)

        variations = admit(offer("aten.softmax.int", empty, small, dear, middle)).recorded.variations

        assert [(variation.case, variation.size) for variation in variations] == [
            ("middle", 97),
            ("middle", 30),
            ("small", 30),
            ("small", 5),
        ]
