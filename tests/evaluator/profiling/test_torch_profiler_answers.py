"""What a process says that it saw with torch's profiler."""

from __future__ import annotations

import gzip
import json

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from evaluator.profiles import OpTime
from evaluator.profiling import torch_profiler
from evaluator.profiling.bounded import Unreadable
from evaluator.profiling.inside.torch_profiler import _on_device

ROW = {"name": "aten::relu", "count": 3, "self_cpu_us": 12.5, "cpu_us": 20}


def ops(*rows: object, device: str = "cpu") -> tuple[OpTime, ...]:
    return torch_profiler.ops(json.dumps(rows).encode(), device=device)


def events(data: bytes) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(gzip.decompress(torch_profiler.trace(data)[0]))["traceEvents"]
    return found


def test_slowest_first() -> None:
    found = ops(ROW, {**ROW, "name": "aten::mm", "self_cpu_us": 100.0})

    assert [(op.name, op.self_cpu_us, op.self_device_us) for op in found] == [("aten::mm", 100.0, None), ("aten::relu", 12.5, None)]


def test_on_a_gpu_time_on_the_device_counts() -> None:
    found = ops({**ROW, "self_device_us": 1.0}, {**ROW, "name": "kernel", "self_cpu_us": 0, "self_device_us": 50.0}, device="cuda")

    assert [op.name for op in found] == ["kernel", "aten::relu"]
    assert found[1].device_us == 0.0


def test_operators_without_time_on_the_device_go_by_time_on_the_host() -> None:
    zero = {"self_device_us": 0.0}

    found = ops({**ROW, **zero}, {**ROW, **zero, "name": "aten::slow", "self_cpu_us": 99.0}, device="cuda")

    assert [op.name for op in found] == ["aten::slow", "aten::relu"]


def test_an_operator_of_the_host_has_no_time_of_its_own_on_a_device() -> None:
    """On a GPU torch adds the time of the kernels that it launched to an operator's, which would count twice."""
    x = torch.ones(8, 8)
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        torch.mm(x, x)

    event = next(event for event in seen.key_averages() if event.key == "aten::mm")
    event.self_device_time_total = 7.0

    assert _on_device(event) == 0.0


@pytest.mark.parametrize(
    "row",
    [{}, {**ROW, "name": 3}, {**ROW, "count": -1}, {**ROW, "self_cpu_us": "fast"}, {**ROW, "cpu_us": None}, 7, {**ROW, "cpu_us": 1e300}],
    ids=str,
)
def test_rows_that_make_no_sense_are_left_out(row: object) -> None:
    assert len(ops(ROW, row)) == 1


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"null", b"[" * 10**5, json.dumps([ROW] * 1001).encode(), b" " * (2 << 20)])
def test_no_table(data: bytes) -> None:
    with pytest.raises(Unreadable):
        torch_profiler.ops(data, device="cpu")


def test_the_table_is_text_without_control_characters() -> None:
    lines = list(torch_profiler.table(ops({**ROW, "name": "\x1b[2Jevil\n" + "x" * 500}), 3))

    assert lines[0].startswith("torch profiler, 3 calls")
    assert all(line.isprintable() for line in lines)
    assert "100.0 %" in lines[-1]


def test_a_trace_is_written_anew() -> None:
    event = {"ph": "X", "name": "aten::relu", "ts": 1.5, "dur": 2, "pid": 1, "tid": 2, "args": {"External id": 7, "deep": {"a": [1]}}}
    document = {"schemaVersion": 1, "traceName": "somewhere.json", "traceEvents": [event, {"no": "phase"}, "text", 3], "more": [event]}

    assert events(json.dumps(document).encode()) == [{**event, "args": {"External id": 7}}]


def test_nothing_nested_or_endless_gets_into_a_trace() -> None:
    bomb = {"ph": "X", "name": "n" * 10**5, "args": {str(number): "y" * 10**4 for number in range(500)}, **{f"k{n}": n for n in range(99)}}

    (found,) = events(json.dumps({"traceEvents": [bomb]}).encode())

    assert len(json.dumps(found)) < 30_000


def test_only_so_many_events_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_profiler, "MOST_EVENTS", 10)
    document = json.dumps({"traceEvents": [{"ph": "X"}] * 25}).encode()

    packed, cut = torch_profiler.trace(document)

    written = json.loads(gzip.decompress(packed))
    assert (len(written["traceEvents"]), written["cut"], cut) == (10, 15, 15)


@pytest.mark.parametrize("data", [b"", b"[]", b'{"traceEvents": 3}', b"\x1f\x8b" + bytes(50)])
def test_no_trace(data: bytes) -> None:
    with pytest.raises(Unreadable):
        torch_profiler.trace(data)
