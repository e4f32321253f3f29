"""References as files of their own: every op has one, and it computes what the reference computes."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import Any, cast

import pytest

from evaluator.baselines.source import NotPortable, compiled_source, eager_source, reference_source
from evaluator.build.inside.static_check import check
from evaluator.ops.definition import Op
from evaluator.ops.recorded import from_document
from evaluator.ops.registry import OPS, get
from evaluator.ops.validate import materialise
from tests.evaluator.recorded.offers import softmax_document

FACTOR, OTHERS = 3, {"a": 1}
UNUSED = object()


def doubled(x: int) -> int:
    return 2 * x


def tripled(x: int, factor: int = FACTOR) -> int:
    return factor * x if x else tripled(1, x)


def uses_others(x: UNUSED) -> int:  # type: ignore[valid-type]
    doubled = 1  # no global: the function of this name is not read
    return tripled(cast("int", x)) + doubled


def uses_a_dict(x: int) -> int:
    return OTHERS["a"] + x


def op_of(reference: object) -> Op:
    return dataclasses.replace(get("softmax"), reference=cast("Any", reference))


def loaded(source: str) -> types.ModuleType:
    module = types.ModuleType("reference")
    exec(compile(source, "reference.py", "exec"), module.__dict__)
    return module


@pytest.mark.parametrize("make", [reference_source, eager_source, compiled_source])
def test_every_op_has_a_source_that_defines_its_entry_point(make: Callable[[Op], str]) -> None:
    for op in OPS.values():
        found = check(make(op), "torch", "reference" if make is reference_source else op.entry_point, [])

        assert (found["error"], found["entry"]) == (None, "defined"), op.slug


@pytest.mark.parametrize("slug", ["softmax", "grouped_mm", "decode_attention", "dequantize_int4", "var_mean", "adamw_step"])
def test_the_source_computes_what_the_reference_computes(slug: str) -> None:
    import torch

    op = get(slug)
    case = op.correctness_cases("cpu")[0]
    results = []
    with torch.no_grad():
        for function in (op.reference, loaded(reference_source(op)).reference):
            args, kwargs = materialise(case, 1)
            results.append((function(*args, **kwargs), args, kwargs))

    torch.testing.assert_close(*results, rtol=0, atol=0)


def test_an_imported_op_calls_its_target() -> None:
    import torch

    op = from_document(softmax_document())
    x = torch.randn(3, 5)

    assert torch.equal(loaded(eager_source(op)).__dict__[op.entry_point](x, 1), torch.softmax(x, 1))


def test_tf32_is_allowed_where_the_op_says_so() -> None:
    assert '"high"' in eager_source(get("mm_tf32"))
    assert '"highest"' in eager_source(get("mm"))


def test_what_a_function_uses_comes_along_and_nothing_else() -> None:
    source = reference_source(op_of(uses_others))

    assert loaded(source).reference(4) == 13
    assert "doubled(x" not in source


@pytest.mark.parametrize(
    ("reference", "said"),
    [(uses_a_dict, "OTHERS is a dict"), (lambda x: x, "is no plain function"), (OTHERS.get, "is no plain function")],
)
def test_what_cannot_be_written_is_named(reference: object, said: str) -> None:
    with pytest.raises(NotPortable, match=said):
        reference_source(op_of(reference))
