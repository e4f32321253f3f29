"""Of every op: torch and the starters are accepted over all its cases on the CPU, and every generated wrong kernel is refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
import torch

from evaluator.contract import Verdict
from evaluator.ops.definition import Case, Op
from evaluator.ops.registry import all_ops, get
from evaluator.proving.finding import Finding, Status
from evaluator.proving.mutants import mutants
from evaluator.proving.prove import Prover
from evaluator.proving.subject import cases_of
from evaluator.proving.table import explained, line, markdown

pytestmark = pytest.mark.filler
RAISED = (Verdict.RUNTIME_ERROR, Verdict.COMPILE_ERROR, Verdict.CRASHED, Verdict.TIMEOUT)


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    made = Prover("cpu")
    yield made
    made.close()
    torch.set_num_threads(threads)


@pytest.mark.parametrize("op", all_ops(), ids=lambda op: op.slug)
def test_right_kernels_are_accepted_and_wrong_ones_refused(prover: Prover, op: Op) -> None:
    right = [*prover.right_kernels(op, starters=False, performance=True), *prover.starters(op, performance=False)]
    wrong = list(prover.wrong_kernels(op, performance=False))

    assert [f"{f.op}: {explained(f)}" for f in (*right, *wrong) if not f.right] == []
    assert {f.kernel for f in right} == {"torch", *(f"starter {kernel_type}" for kernel_type in op.starters)}
    # A mutant that raises was refused for another reason than the one that it was made for.
    assert [f"{f.kernel}: {f.reason}" for f in wrong if f.verdict in RAISED and not f.kind.startswith("argument")] == []


def test_a_mutant_that_the_cases_do_not_tell_apart_survives(prover: Prover) -> None:
    weak = weakened(get("softmax"), lambda case: case.name == "one_column")

    found = {f.kernel: f for f in prover.wrong_kernels(weak, performance=False)}

    assert found["ones"].status in (Status.SAME, Status.SURVIVED) and not found["ones"].right
    assert found["zeros"].status is Status.KILLED
    assert found["one buffer for all calls"].verdict == Verdict.ALIASED_OUTPUT
    assert found["an input changed"].verdict == Verdict.INPUT_MUTATED
    assert "ones: " in line(weak.slug, list(found.values()))


def test_a_starter_that_is_wrong_is_refused(prover: Prover) -> None:
    wrong = dataclasses.replace(get("relu"), starters={"torch": "def relu_kernel_impl(x):\n    return x.clone()\n"})

    found = {f.kernel: f for f in prover.right_kernels(wrong, starters=True, performance=False)}

    assert found["torch"].status is Status.ACCEPTED
    assert found["starter torch"].verdict == Verdict.WRONG_RESULT and not found["starter torch"].right


def test_mutants_follow_what_the_op_takes() -> None:
    names = {m.name for m in mutants(get("layer_norm"), cases_of(get("layer_norm"), "cpu"))}

    assert {"weight left out", "bias left out", "eps changed", "operands 1 and 2 swapped", "lower precision", "last row dropped"} <= names


def test_the_table_counts_what_differs() -> None:
    def found(kernel: str, status: Status, reason: str = "") -> Finding:
        return Finding("add", kernel, kernel, status, "odd", "wrong_result", reason, 3, 0.1)

    text = markdown(
        [
            found("torch", Status.ACCEPTED),
            found("zeros", Status.KILLED),
            found("ones", Status.SURVIVED),
            found("swap", Status.SAME, "commutes"),
        ]
    )

    assert "| `add` | 3 | 1 of 1 | 1/1 | 0/1 | = |" in text
    assert "1 of 2 mutants that differ are killed" in text
    assert "- `add`, swap: not a mutant: commutes" in text


def weakened(op: Op, keep: object) -> Op:
    def cases(device: str) -> list[Case]:
        return [case for case in op.cases(device) if keep(case)]  # type: ignore[operator]

    return dataclasses.replace(op, cases=cases, hidden_cases=lambda _pick, _device: [])
