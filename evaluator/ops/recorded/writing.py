"""An op given as data as the document that it is read from."""

from __future__ import annotations

import typing

from evaluator.jsonable import JSON
from evaluator.ops.definition import Op
from evaluator.ops.recorded.arguments import argument_json
from evaluator.ops.recorded.model import FORMAT, Recorded, RecordedCase


def to_document(op: Op) -> dict[str, JSON]:
    """What `from_document` read. Raises `ValueError` for an op that is defined in Python."""
    if op.document is None:
        raise ValueError(f"op {op.slug} is defined in Python and has no document")
    return typing.cast("dict[str, JSON]", dict(op.document))


def document_of(recorded: Recorded) -> dict[str, JSON]:
    """`read(document_of(recorded)) == recorded`."""
    return {
        "format": FORMAT,
        "slug": recorded.slug,
        "title": recorded.title,
        "summary": recorded.summary,
        "signature": recorded.signature,
        "description": recorded.description,
        "target": recorded.target,
        "entry_point": recorded.entry_point,
        "suites": list(recorded.suites),
        "tags": list(recorded.tags),
        "dtypes": list(recorded.dtypes),
        "precision": recorded.precision,
        "strides_policy": recorded.strides_policy,
        "may_alias": recorded.may_alias,
        "mutates": list(recorded.mutates),
        "compare": recorded.compare,
        "cases": [_case_json(each) for each in recorded.cases],
        "variations": [{"case": v.case, "size": v.size, "to": list(v.to)} for v in recorded.variations],
    }


def _case_json(each: RecordedCase) -> JSON:
    case = each.case
    return {
        "name": case.name,
        "kind": case.kind,
        "devices": each.devices,
        "args": [argument_json(a) for a in case.args],
        "kwargs": {name: argument_json(value) for name, value in case.kwargs.items()},
        "source": case.source,
        "input_bytes": each.input_bytes,
        "output_bytes": each.output_bytes,
        "flops": each.flops,
    }
