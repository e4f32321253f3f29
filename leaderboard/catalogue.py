"""Ops and devices of the evaluator as rows, so that pages, API and foreign keys have them without torch."""

from __future__ import annotations

import inspect
import math
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from django.db import transaction

from evaluator.contract import JSON
from evaluator.correctness.tolerance import floor
from evaluator.devices import DEVICES, DeviceClass, device_class
from evaluator.ops import registry
from evaluator.ops.definition import Argument, Case, DType, TensorSpec, tensors_of
from evaluator.ops.definition import Op as Definition
from evaluator.ops.recorded import Reference
from evaluator.timing.sol import precision_of, speed_of_light
from leaderboard.models import Device, Entry, Op, OpDocument
from submissions.models import Worker


@dataclass(frozen=True, slots=True)
class Loaded:
    """How many rows are active after a load, and the slugs that left."""

    ops: int
    devices: int
    deactivated: tuple[str, ...]


@transaction.atomic
def load(ops: Iterable[Definition] | None = None) -> Loaded:
    """Make the rows what the registry says (or `ops`, where given). Loading twice changes nothing.

    An op that left is deactivated and keeps its boards. So is a device, unless entries stand on it. Imported ops stay as they are.
    """
    definitions = tuple(registry.all_ops() if ops is None else ops)
    op_rows = [op_row(definition, position) for position, definition in enumerate(definitions)]
    device_rows = [_device_row(device, position) for position, device in enumerate(DEVICES.values())]
    upsert_ops(op_rows)
    OpDocument.objects.filter(op__in=[row.pk for row in op_rows]).delete()
    _upsert_devices(device_rows)
    left = Op.objects.filter(active=True, given__isnull=True).exclude(pk__in=[row.pk for row in op_rows])
    gone = Device.objects.filter(active=True).exclude(pk__in=[row.pk for row in device_rows]).exclude(pk__in=Entry.objects.values("device"))
    deactivated = (*left.values_list("pk", flat=True), *gone.values_list("pk", flat=True))
    left.update(active=False)
    gone.update(active=False)
    return Loaded(ops=len(op_rows), devices=len(device_rows), deactivated=deactivated)


def ensure_device(slug: str) -> None:
    """Have a row for a device class. A GPU of no known class gets one when its first result arrives."""
    if not Device.objects.filter(pk=slug, active=True).exists():
        _upsert_devices([_device_row(device_class(slug), len(DEVICES))])


def remember_environments() -> None:
    """Keep on each device what its worker that started last says of the machine: that worker's own row goes with it."""
    newest = Worker.objects.exclude(device="").exclude(environment={}).order_by("device", "-started_at", "-pk").distinct("device")
    for device, environment in newest.values_list("device", "environment"):
        Device.objects.filter(pk=device).exclude(environment=environment).update(environment=environment)


def definition_json(op: Definition) -> dict[str, JSON]:
    """What pages and the API show of an op. `cases` holds the public cases per device, hidden ones are never listed."""
    return {
        "entry_point": op.entry_point,
        "aten": op.aten,
        "dtypes": list(op.dtypes),
        "precision": op.precision,
        "tolerance": {dtype: floor(op, dtype) for dtype in op.dtypes if dtype.startswith(("float", "bfloat"))},
        "strides_policy": op.strides_policy,
        "in_place": op.in_place,
        "writes_to": written(op),
        "compare": op.compare,
        "rules": {str(number): _first_paragraph(rule) for number, rule in op.rules.items()},
        "random": op.random,
        "description": op.description,
        "imported": op.document is not None,
        "reference": reference_text(op),
        "starters": dict(op.starters),
        "may_alias": op.may_alias,
        "max_memory_mb": op.max_memory_mb,
        "cases": {slug: [_case_json(op, case, device) for case in op.cases(slug) if not case.hidden] for slug, device in DEVICES.items()},
    }


def written(op: Definition) -> list[JSON]:
    """Names of the arguments that the op writes to."""
    if not op.mutates:
        return []
    if isinstance(op.reference, Reference):
        return [f"tensor {number}" for number in op.mutates]
    case = op.cases("cpu")[0]
    names: list[str] = []
    for name, argument in (*zip(inspect.signature(op.reference).parameters, case.args, strict=False), *case.kwargs.items()):
        names += [name] * len(tensors_of(argument))
    return [names[number] for number in op.mutates]


def _first_paragraph(rule: Callable[..., str]) -> str:
    return " ".join((inspect.getdoc(rule) or "").partition("\n\n")[0].split())


def reference_text(op: Definition) -> str:
    """The reference as Python source."""
    if isinstance(op.reference, Reference):
        return op.reference.text(op.signature)
    return textwrap.dedent(inspect.getsource(op.reference))


def _case_json(op: Definition, case: Case, device: DeviceClass) -> dict[str, JSON]:
    """`limit_us`: the speed of light by the table of the device's class, None where it has none; `bound`: what it comes from."""
    cost = op.cost(case)
    light = speed_of_light(cost, device, precision_of(op, case))
    return {
        "name": case.name,
        "kind": case.kind,
        "inputs": case.describe(),
        "args": [_argument_json(argument) for argument in case.args],
        "kwargs": {name: _argument_json(argument) for name, argument in case.kwargs.items()},
        "source": case.source,
        "bytes": cost.bytes,
        "flops": cost.flops,
        "limit_us": light.floor_us,
        "bound": light.bound,
    }


def _argument_json(argument: Argument) -> JSON:
    if isinstance(argument, TensorSpec):
        return {
            "shape": list(argument.shape),
            "dtype": argument.dtype,
            "generator": argument.generator,
            "strides": None if argument.strides is None else list(argument.strides),
        }
    if isinstance(argument, DType):
        return {"dtype": argument.name}
    if isinstance(argument, float) and not math.isfinite(argument):
        return str(argument)
    return [_argument_json(item) for item in argument] if isinstance(argument, tuple) else argument


def op_row(op: Definition, position: int) -> Op:
    return Op(
        slug=op.slug,
        title=op.title,
        summary=op.summary,
        signature=op.signature,
        precision=op.precision,
        suites=list(op.suites),
        tags=list(op.tags),
        definition=definition_json(op),
        position=position,
        active=True,
    )


def _device_row(device: DeviceClass, position: int) -> Device:
    peaks: Mapping[str, float] = {str(name): peak for name, peak in device.flops_per_s.items()}
    facts = {"dram_bytes_per_s": device.dram_bytes_per_s, "flops_per_s": dict(peaks), "l2_bytes": device.l2_bytes}
    return Device(slug=device.slug, title=device.title, kind=device.kind, facts=facts, position=position, active=True)


def upsert_ops(rows: list[Op]) -> None:
    fields = ["title", "summary", "signature", "precision", "suites", "tags", "definition", "position", "active"]
    Op.objects.bulk_create(sorted(rows, key=lambda row: row.slug), update_conflicts=True, unique_fields=["slug"], update_fields=fields)


def _upsert_devices(rows: list[Device]) -> None:
    fields = ["title", "kind", "facts", "position", "active"]
    Device.objects.bulk_create(sorted(rows, key=lambda row: row.slug), update_conflicts=True, unique_fields=["slug"], update_fields=fields)
