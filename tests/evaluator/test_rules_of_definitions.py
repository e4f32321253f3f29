"""Definitions with rules: which rules are missing, misplaced or broken is said before anybody is judged by them."""

from __future__ import annotations

import dataclasses

import torch

from evaluator.ops.arguments import correctness, tensor
from evaluator.ops.definition import Call, Case, Op
from evaluator.ops.registry import get
from evaluator.ops.validate import validate


def cases(device: str) -> list[Case]:
    return [correctness("plain", tensor(64, 65))]


def uniform(call: Call) -> str:
    (got,) = call.got
    return "" if bool(((got >= 0) & (got < 1)).all()) and float(got.var()) > 0.05 else "not uniform in [0, 1)"


RANDOM = dataclasses.replace(get("relu"), reference=torch.rand_like, cases=cases, random=True, rules={0: uniform})


def problems(**changes: object) -> str:
    return "; ".join(validate(dataclasses.replace(RANDOM, **changes)))  # type: ignore[arg-type]


def test_a_random_op_with_a_rule_for_each_output_is_sound() -> None:
    assert problems() == ""


def test_an_output_of_a_random_op_without_a_rule_is_named() -> None:
    assert problems(rules={}) == "relu is random, and output 0 has no rule"
    assert problems(reference=lambda x: (torch.rand_like(x), torch.rand_like(x))) == "relu is random, and output 1 has no rule"


def test_a_rule_for_no_output_is_named() -> None:
    assert problems(rules={0: uniform, 2: uniform}) == "relu: a rule for output 2, and there are 1"


def test_a_rule_that_raises_is_named() -> None:
    def broken(call: Call) -> str:
        raise IndexError("beyond")

    found = problems(rules={0: broken})

    assert "op relu: rule " in found and "broken of output 0 failed: IndexError: beyond" in found


def test_a_rule_that_lets_lazy_outputs_pass_is_refused() -> None:
    found = problems(rules={0: lambda call: ""})

    assert "the zero output passes plain" in found


def test_complex_and_exact_ops_are_validated_too() -> None:
    exact = dataclasses.replace(get("relu"), cases=cases, compare="exact")
    spectrum: Op = dataclasses.replace(
        get("relu"), reference=lambda x: torch.fft.rfft(x.to(torch.promote_types(x.dtype, torch.float32))), cases=cases
    )

    assert validate(exact) == []
    assert validate(spectrum) == []
    assert any("torch itself fails" in text for text in validate(dataclasses.replace(spectrum, rules={0: lambda call: "never right"})))


def pairs(device: str) -> list[Case]:
    return [correctness("plain", tensor(64, 65, low=1.0, high=0.01), tensor(64, 65, low=3.0, high=0.01))]


def test_a_step_too_small_to_tell_from_none_is_no_op() -> None:
    def step(by: float) -> list[str]:
        return validate(
            dataclasses.replace(get("relu"), reference=lambda x, y: (x.add_(by), y.add_(by), None)[2], cases=pairs, mutates=(0, 1))
        )

    assert step(0.5) == []
    assert step(1e-6) == ["relu: the untouched output passes plain"]
