"""Outputs of the wrong form or with wrong values, whatever trick made them."""

from __future__ import annotations

import pytest

from evaluator.contract import State, Verdict
from tests.evaluator.judge.conftest import Judged
from tests.evaluator.judge.kernels import relu

pytestmark = pytest.mark.usefixtures("good_in_the_end")
SOFTMAX = "import torch\n\ndef softmax_kernel_impl(x, dim):\n    {}\n"
STALE = """
    import torch
    kept = {}
    def first(key, x):
        if key not in kept:
            kept[key] = torch.relu(x)
        return kept[key].clone()
"""


@pytest.mark.parametrize(
    ("body", "verdict", "words"),
    [
        ("return torch.relu(x).reshape(-1, 1)", Verdict.WRONG_SHAPE, "expected [64, 128]"),
        ("return torch.relu(x), torch.relu(x)", Verdict.WRONG_SHAPE, "2 outputs"),
        ("return ()", Verdict.WRONG_SHAPE, "0 outputs"),
        ("return torch.relu(x).double()", Verdict.WRONG_DTYPE, "float64"),
        ("return torch.empty(x.shape, dtype=x.dtype, device='meta')", Verdict.WRONG_DEVICE, "meta"),
        ("return torch.relu(x).to_sparse()", Verdict.WRONG_STRIDES, "sparse"),
    ],
)
def test_form(evaluate: Judged, body: str, verdict: Verdict, words: str) -> None:
    outcome = evaluate(relu(body))

    assert (outcome.verdict, outcome.stage) == (verdict, State.CHECKING)
    assert words in outcome.reasons[0].message
    assert outcome.reasons[0].hint or verdict is Verdict.WRONG_STRIDES


@pytest.mark.parametrize(
    ("op", "source"),
    [
        ("softmax", SOFTMAX.format("return torch.softmax(x, dim).t().contiguous().t() if x.dim() == 2 else torch.softmax(x, dim)")),
        ("mm", "import torch\n\ndef mm_kernel_impl(a, b):\n    return torch.mm(b.t(), a.t()).t()\n"),
    ],
)
def test_strides(evaluate: Judged, op: str, source: str) -> None:
    outcome = evaluate(source, op)

    assert outcome.verdict is Verdict.WRONG_STRIDES
    assert "strides" in outcome.reasons[0].message
    assert "contiguous" in outcome.reasons[0].hint


@pytest.mark.parametrize(
    "body",
    [
        "return torch.relu(x) + 1e-3",
        "return torch.relu(x) * float('nan')",
        "return torch.zeros(x.shape, dtype=x.dtype)",
        "y = torch.relu(x)\n    if y.dim() == 2 and y.shape[0] > 1:\n        y[-1] = 0\n    return y".replace("\n    ", "\n"),
    ],
    ids=["a bit off", "NaN", "zeros", "last row left out"],
)
def test_values(evaluate: Judged, body: str) -> None:
    outcome = evaluate(relu(body))

    assert (outcome.verdict, outcome.stage) == (Verdict.WRONG_RESULT, State.CHECKING)
    failed = next(case for case in outcome.cases if not case.passed)
    assert 0 < len(failed.mismatches) <= 16
    assert failed.mismatches[0].expected != failed.mismatches[0].got
    assert f"--case {failed.name} --seed {outcome.seed}" in failed.reproduce
    assert outcome.correctness_score is not None
    assert outcome.correctness_score < 1


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("return first(tuple(x.shape), x)", STALE),
        ("return first((x.data_ptr(), tuple(x.shape)), x)", STALE),
        ("calls.append(1)\nreturn torch.relu(x) if len(calls) <= 3 else torch.zeros_like(x)", "import torch\ncalls = []"),
        ("return torch.empty_like(x)", "import torch"),
    ],
    ids=["cached by shape", "cached by address", "honest at first", "whatever the memory holds"],
)
def test_stale_outputs(evaluate: Judged, body: str, before: str) -> None:
    outcome = evaluate(relu(body, before))

    assert (outcome.verdict, outcome.stage) == (Verdict.WRONG_RESULT, State.CHECKING)


@pytest.mark.parametrize(
    ("body", "before", "words"),
    [
        ("return x", "import torch", "input 0"),
        ("return x.view(x.shape)[:]", "import torch", "input 0"),
        ("return x.relu_()", "import torch", "input 0"),
        (
            "y = kept.setdefault((tuple(x.shape), x.dtype), torch.empty(x.shape, dtype=x.dtype))\nreturn y.copy_(torch.relu(x))",
            "import torch\nkept = {}",
            "an earlier output",
        ),
    ],
    ids=["the input", "a view of the input", "the input, changed", "one buffer for all calls"],
)
def test_aliased_output(evaluate: Judged, body: str, before: str, words: str) -> None:
    outcome = evaluate(relu(body, before))

    assert (outcome.verdict, outcome.stage) == (Verdict.ALIASED_OUTPUT, State.CHECKING)
    assert words in outcome.reasons[0].message


@pytest.mark.xfail(strict=True, reason="HOLE: an alias is looked for among the outputs of one command only")
def test_two_buffers_in_turns_are_aliases_too(evaluate: Judged) -> None:
    """It saves the allocation that honest kernels pay for in every call."""
    before = """
        import itertools, torch
        kept, turn = {}, itertools.count()
    """
    body = """
        key = (tuple(x.shape), x.dtype, next(turn) % 2)
        return kept.setdefault(key, torch.empty(x.shape, dtype=x.dtype)).copy_(torch.relu(x))
    """
    outcome = evaluate(relu(body, before))

    assert outcome.verdict is Verdict.ALIASED_OUTPUT, outcome.reasons


@pytest.mark.parametrize(
    "body",
    [
        "y = torch.relu(x)\nx.zero_()\nreturn y",
        "y = torch.relu(x)\nif x.dim() == 2 and x.stride(1) == 2:\n    x.as_strided((2,), (1,))[1] = 7.0\nreturn y",
    ],
    ids=["zeroes it", "writes between its elements"],
)
def test_mutated_input(evaluate: Judged, body: str) -> None:
    outcome = evaluate(relu(body))

    assert (outcome.verdict, outcome.stage) == (Verdict.INPUT_MUTATED, State.CHECKING)
    assert "input 0" in outcome.reasons[0].message


def test_tensor_subclass_with_torch_function_is_never_asked(evaluate: Judged) -> None:
    lazy = """
        import torch
        class Lazy(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                with torch._C.DisableTorchFunctionSubclass():
                    if function is torch.Tensor.as_subclass:
                        return args[0]
                    return torch.relu(torch.Tensor.as_subclass(args[0], torch.Tensor))
    """
    outcome = evaluate(relu("return x.clone().as_subclass(Lazy)", lazy))

    assert outcome.verdict is Verdict.RUNTIME_ERROR
    assert "Lazy" in outcome.reasons[0].message


def test_tensor_that_needs_a_gradient_counts_by_its_values(evaluate: Judged) -> None:
    outcome = evaluate(relu("return torch.relu(x).requires_grad_(True)"))

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
