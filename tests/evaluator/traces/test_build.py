"""From traced calls to ops of a suite."""

from __future__ import annotations

import json
import math

import pytest

from evaluator.ops.admission import Complaint, Report
from evaluator.ops.definition import Argument, TensorSpec
from evaluator.ops.recorded import from_document
from evaluator.ops.traces.build import build
from evaluator.ops.traces.choose import MIB, MOST_CHECKED, TooLargeError, Weighed, choose
from evaluator.ops.traces.load import SAMPLE, load
from evaluator.ops.traces.recipe import Recipe
from evaluator.ops.validate import validate


def recipe(target: str, *args: Argument, count: int = 1, timed: bool = True, **kwargs: Argument) -> Recipe:
    return Recipe(target, args, kwargs, count, f"t.txt:{count}", timed)


def f(*shape: int, dtype: str = "float32", strides: tuple[int, ...] | None = None) -> TensorSpec:
    return TensorSpec(shape, dtype, strides=strides)


def refused(report: Report) -> dict[str, str]:
    return {each.where: each.reason for each in report.refused}


class TestBuild:
    def test_an_operator_becomes_an_op_that_judges(self) -> None:
        report = build(
            [recipe("aten._softmax.default", f(8, 33), -1, False), recipe("aten._softmax.default", f(9, 65), 1, False, count=7)], "mine"
        )

        (admitted,) = report.admitted
        op = from_document(json.loads(json.dumps(admitted.document)))
        assert (op.slug, op.entry_point, op.suites) == ("mine/aten._softmax.default", "_softmax__default_kernel_impl", ("mine",))
        assert [(case.kind, case.name, case.source) for case in op.cases("h100")] == [
            ("correctness", "8x33_float32", "t.txt:1, traced once"),
            ("correctness", "9x65_float32", "t.txt:7, traced 7 times"),
            ("performance", "9x65_float32_2", "t.txt:7, traced 7 times"),
            ("performance", "8x33_float32_2", "t.txt:1, traced once"),
        ]
        assert validate(op) == []

    def test_the_same_call_of_two_models_is_one_recipe(self) -> None:
        (admitted,) = build(
            [recipe("aten.relu.default", f(8, 33), count=2), recipe("aten.relu.default", f(8, 33), count=3)], "mine"
        ).admitted

        assert [each.case.source for each in admitted.recorded.cases] == ["t.txt:2, traced 5 times"] * 2

    @pytest.mark.parametrize(
        ("target", "args", "generator"),
        [
            ("aten.relu.default", (f(40, 8),), ("normal", 0.0, 1.0)),
            ("aten.log.default", (f(40, 8),), ("uniform", 0.0625, 1.0)),
            ("aten.acosh.default", (f(40, 8),), ("uniform", 1.0, 2.0)),
            ("aten.masked_fill.Scalar", (f(40, 8), f(40, 8, dtype="bool"), -math.inf), ("normal", 0.0, 1.0)),
        ],
    )
    def test_values_are_drawn_where_the_op_is_defined(
        self, target: str, args: tuple[Argument, ...], generator: tuple[str, float, float]
    ) -> None:
        (admitted,) = build([recipe(target, *args)], "mine").admitted

        spec = admitted.recorded.cases[0].case.tensors[0]
        assert (spec.generator, spec.low, spec.high) == generator

    @pytest.mark.parametrize(
        ("target", "args", "reason"),
        [
            ("aten.nothing.default", (f(4),), "has no operator aten.nothing"),
            ("aten.relu.Tensor", (f(4),), "aten.relu has no overload Tensor"),
            ("aten.add.out", (f(4), f(4)), "aten.add.out writes to an out= argument"),
            ("aten.empty_like.default", (f(4),), "gives memory that holds anything"),
            ("aten.nonzero.default", (f(4),), "an output whose shape depends on the values"),
            ("aten.view.default", (f(4, 6), (6, 4)), "gives a view of its argument"),
            ("aten.native_dropout.default", (f(9, 9), 0.5, True), "random: two calls"),
            ("aten.resize_.default", (f(4), (8,)), "changes the form of its argument"),
            ("aten.searchsorted.Tensor", (f(9), f(3)), "see its lines"),
            ("aten.clone.default", (f(9, 9),), "the copy of input 0 output passes"),
            ("not.a.target", (f(4),), "is not of the form"),
        ],
    )
    def test_what_cannot_be_an_op_is_refused_and_the_rest_loads(self, target: str, args: tuple[Argument, ...], reason: str) -> None:
        report = build([recipe(target, *args), recipe("aten.relu.default", f(8, 33))], "mine")

        assert [each.recorded.target for each in report.admitted] == ["aten.relu.default"]
        assert reason in refused(report)[target]

    def test_calls_that_torch_does_not_take_are_reported_with_their_place(self) -> None:
        report = build([recipe("aten.mm.default", f(3, 4), f(5, 6), count=3), recipe("aten.mm.default", f(3, 4), f(4, 6))], "mine")

        (complaint,) = report.unused
        assert complaint.where == "t.txt:3"
        assert complaint.reason.startswith("aten.mm.default: torch says RuntimeError")
        assert len(report.admitted) == 1

    def test_calls_that_are_too_large_are_reported_with_their_place(self) -> None:
        report = build([recipe("aten.relu.default", f(1 << 28), count=3), recipe("aten.relu.default", f(8, 33))], "mine")

        assert report.unused == (Complaint("t.txt:3", "aten.relu.default: too large, 2048 MiB and 0 FLOPs a call; 1024 MiB are allowed"),)
        assert [each.case.tensors[0].shape for each in report.admitted[0].recorded.cases] == [(8, 33)] * 2

    def test_lines_that_were_wrong_stay_in_the_report(self) -> None:
        wrong = Complaint("t.txt:9", "what is this")

        report = build([wrong], "mine")

        assert report.unused == (wrong,)
        assert list(report.lines()) == ["unused   t.txt:9: what is this", "0 ops loaded, 0 refused, 1 lines unused"]

    def test_the_sample_loads(self) -> None:
        """Three operators of it, for the sake of time; `kb import backendbench` takes all."""
        heard: list[str] = []

        report = build(load(SAMPLE), "torchbench", only=("rsqrt", "native_dropout", "view"), progress=heard.append)

        assert heard == ["aten.native_dropout.default", "aten.rsqrt.default", "aten.view.default"]
        assert [each.recorded.slug for each in report.admitted] == ["torchbench/aten.rsqrt.default"]
        assert set(refused(report)) == {"aten.native_dropout.default", "aten.view.default"}


class TestChoice:
    def weighed(
        self, number: int, *, mib: float = 0.5, flops: int = 0, count: int = 1, dtype: str = "float32", timed: bool = True
    ) -> Weighed:
        return Weighed(recipe("aten.relu.default", f(number + 1, dtype=dtype), count=count, timed=timed), int(mib * MIB), flops)

    def test_few_are_checked_and_all_kinds_are_among_them(self) -> None:
        many = [self.weighed(n, mib=n / 100) for n in range(50)] + [self.weighed(99, dtype="float16")]

        checked = [each.case for each in choose(many) if each.case.kind == "correctness"]

        assert len(checked) == MOST_CHECKED
        assert "float16" in {case.tensors[0].dtype for case in checked}
        sizes = {case.tensors[0].shape[0] for case in checked if case.tensors[0].dtype == "float32"}
        assert {1, 50} <= sizes, "the smallest and the largest"

    def test_timed_are_those_that_move_most(self) -> None:
        cases = choose([self.weighed(1, mib=1, count=100), self.weighed(2, mib=3), self.weighed(3, mib=0.1), self.weighed(4, mib=2)])

        timed = [each.case.tensors[0].shape[0] for each in cases if each.case.kind == "performance"]
        assert timed == [2, 3, 5]

    def test_large_ones_are_timed_on_gpus_alone(self) -> None:
        cases = choose([self.weighed(1, mib=1), self.weighed(2, mib=500), self.weighed(3, mib=5000)])

        assert [(each.case.kind, each.devices, each.case.tensors[0].shape[0]) for each in cases] == [
            ("correctness", "all", 2),
            ("performance", "all", 2),
            ("performance", "gpu", 3),
        ]

    def test_what_takes_no_time_is_not_timed(self) -> None:
        assert {each.case.kind for each in choose([self.weighed(1, timed=False)])} == {"correctness"}

    def test_where_all_are_large_the_smallest_is_checked(self) -> None:
        cases = choose([self.weighed(1, mib=40), self.weighed(2, mib=20)])

        assert [each.case.tensors[0].shape[0] for each in cases if each.case.kind == "correctness"] == [3]

    def test_an_operator_with_huge_calls_only_is_refused(self) -> None:
        with pytest.raises(TooLargeError, match="its smallest recipe needs 65 MiB"):
            choose([self.weighed(1, mib=65)])
        with pytest.raises(TooLargeError, match=r"3e\+10 FLOPs"):
            choose([self.weighed(1, flops=3 * 10**10)])
