"""A document (JSON) as an op. Everything is checked, nothing is evaluated, and torch is not needed."""

from __future__ import annotations

import json
import keyword
import typing
from collections.abc import Mapping

from evaluator.devices import Precision
from evaluator.ops.definition import Case, Op
from evaluator.ops.recorded.arguments import DTYPES, read_argument
from evaluator.ops.recorded.errors import DocumentError
from evaluator.ops.recorded.fields import Fields
from evaluator.ops.recorded.model import FORMAT, Compare, Devices, Recorded, RecordedCase, StridesPolicy, Variation
from evaluator.ops.recorded.targets import check_name
from evaluator.ops.recorded.variation import resizable

MOST_BYTES = 1024 * 1024
"""Of a document as JSON text: it travels with every evaluation."""
MOST_CASES = 64
MOST_TENSORS = 64
SLUG = r"\w[\w.-]*(/\w[\w.-]*){0,7}"
CASE_NAME = r"\w[\w.+-]{0,79}"
LABEL = r"\w[\w .+-]{0,79}"


def from_document(document: object) -> Op:
    """The op that a document describes. Raises `DocumentError` with the place and what is wrong there."""
    recorded = read(document)
    return recorded.op(typing.cast("Mapping[str, object]", document))


def read(document: object) -> Recorded:
    """The same as a `Recorded`, which can be changed and written again. Raises `DocumentError`."""
    fields = Fields(document, "")
    _check_size(document)
    if fields.integer("format") != FORMAT:
        raise DocumentError("format", f"this evaluator reads format {FORMAT}")
    recorded = Recorded(
        slug=fields.text("slug", longest=200, pattern=SLUG),
        title=fields.text("title", longest=120),
        summary=fields.text("summary", longest=2000, default=""),
        signature=fields.text("signature", longest=4000),
        target=fields.text("target", longest=200),
        entry_point=fields.text("entry_point", longest=200),
        suites=fields.texts("suites", most=16, pattern=LABEL),
        dtypes=fields.texts("dtypes", most=32, pattern=r"\w+"),
        cases=tuple(_case(value, f"cases[{number}]") for number, value in enumerate(fields.items("cases", most=MOST_CASES))),
        description=fields.text("description", longest=20_000, default=""),
        tags=fields.texts("tags", [], most=32, pattern=LABEL),
        precision=typing.cast("Precision", fields.choice("precision", typing.get_args(Precision), "ieee_fp32")),
        strides_policy=typing.cast("StridesPolicy", fields.choice("strides_policy", typing.get_args(StridesPolicy), "any")),
        may_alias=fields.flag("may_alias", False),
        mutates=fields.integers("mutates", [], high=MOST_TENSORS - 1, most=MOST_TENSORS),
        compare=typing.cast("Compare", fields.choice("compare", typing.get_args(Compare), "scaled")),
        variations=tuple(
            _variation(value, f"variations[{number}]") for number, value in enumerate(fields.items("variations", [], most=MOST_CASES))
        ),
    )
    fields.end()
    _check(recorded)
    return recorded


def _check_size(document: object) -> None:
    try:
        size = len(json.dumps(document))
    except (TypeError, ValueError, RecursionError) as error:
        raise DocumentError("", f"this is not JSON: {error}") from None
    if size > MOST_BYTES:
        raise DocumentError("", f"the document has {size} bytes as JSON, {MOST_BYTES} are allowed")


def _case(value: object, where: str) -> RecordedCase:
    fields = Fields(value, where)
    name = fields.text("name", longest=80, pattern=CASE_NAME)
    kind = fields.choice("kind", ("correctness", "performance"))
    args = tuple(read_argument(item, f"{where}.args[{number}]") for number, item in enumerate(fields.items("args", most=64)))
    given = fields.take("kwargs", {})
    if not isinstance(given, dict):
        raise DocumentError(f"{where}.kwargs", f"expected an object, got {type(given).__name__}")
    for key in given:
        if not isinstance(key, str) or not key.isidentifier():
            raise DocumentError(f"{where}.kwargs", f"{key!r} is no name of an argument")
    kwargs = {key: read_argument(item, f"{where}.kwargs.{key}") for key, item in given.items()}
    recorded = RecordedCase(
        Case(name, typing.cast("typing.Any", kind), args, kwargs, source=fields.text("source", longest=500, default="")),
        typing.cast("Devices", fields.choice("devices", typing.get_args(Devices), "all")),
        fields.integer("input_bytes", 0),
        fields.integer("output_bytes", 0),
        fields.integer("flops", 0),
    )
    fields.end()
    if not 0 < len(recorded.case.tensors) <= MOST_TENSORS:
        raise DocumentError(where, f"has {len(recorded.case.tensors)} tensors, from 1 to {MOST_TENSORS} are allowed")
    return recorded


def _variation(value: object, where: str) -> Variation:
    fields = Fields(value, where)
    found = Variation(
        fields.text("case", longest=80, pattern=CASE_NAME), fields.integer("size"), fields.integers("to", high=1 << 40, most=MOST_CASES)
    )
    fields.end()
    if not found.to or 0 in found.to:
        raise DocumentError(f"{where}.to", "lengths of at least 1 are wanted")
    return found


def _check(recorded: Recorded) -> None:
    """What concerns several fields."""
    if wrong := check_name(recorded.target):
        raise DocumentError("target", wrong)
    entry = recorded.entry_point
    if not entry.isidentifier() or not entry.isascii() or keyword.iskeyword(entry):
        raise DocumentError("entry_point", f"{entry!r} is no name of a Python function")
    if not recorded.suites:
        raise DocumentError("suites", "an op belongs to at least one suite")
    if unknown := [dtype for dtype in recorded.dtypes if dtype not in DTYPES]:
        raise DocumentError("dtypes", f"{unknown[0]!r} is not one of {', '.join(sorted(DTYPES))}")
    for device in ("cpu", "gpu"):
        names = [(each.case.kind, each.case.name) for each in recorded.cases if each.devices in ("all", device)]
        if twice := next((pair for pair in names if names.count(pair) > 1), None):
            raise DocumentError("cases", f"two {twice[0]} cases for {device} are named {twice[1]}")
        if not any(kind == "correctness" for kind, _ in names):
            raise DocumentError("cases", f"there is no correctness case for {device}")
    for number, each in enumerate(recorded.cases):
        if any(tensor >= len(each.case.tensors) for tensor in recorded.mutates):
            raise DocumentError("mutates", f"cases[{number}] has only {len(each.case.tensors)} tensors")
    _check_variations(recorded)


def _check_variations(recorded: Recorded) -> None:
    bases = {each.case.name: each.case for each in recorded.cases if each.case.kind == "correctness"}
    for number, variation in enumerate(recorded.variations):
        base = bases.get(variation.case)
        if base is None:
            raise DocumentError(f"variations[{number}].case", f"there is no correctness case {variation.case}")
        if not all(resizable(spec) for spec in base.tensors):
            raise DocumentError(f"variations[{number}].case", f"{variation.case} has strides that do not follow from its sizes")
        if not any(variation.size in spec.shape for spec in base.tensors):
            raise DocumentError(f"variations[{number}].size", f"no dimension of {variation.case} has length {variation.size}")
