"""What an external command may print, and what is made of anything else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.baselines.report import BadReport, last_object, read_report

LATENCY = {"mean": 0.12, "p50": 0.11, "p95": 0.15, "min": 0.10, "max": 0.20}
GOOD: dict[str, Any] = {"status": "ok", "latency_ms": LATENCY, "throughput_tokens_per_sec": 1e6, "peak_memory_bytes": 4096}


def test_milliseconds_become_microseconds() -> None:
    report = read_report(json.dumps(GOOD))

    assert (report.min_us, report.p50_us, report.mean_us, report.p95_us, report.max_us) == pytest.approx((100, 110, 120, 150, 200))
    assert (report.tokens_per_s, report.peak_memory_bytes) == (1e6, 4096)


def test_what_a_tool_cannot_tell_may_be_null() -> None:
    report = read_report(json.dumps(GOOD | {"throughput_tokens_per_sec": None, "peak_memory_bytes": None}))

    assert (report.tokens_per_s, report.peak_memory_bytes) == (None, None)


@pytest.mark.parametrize(
    "stdout",
    [
        "warming up\n{not json\n" + json.dumps(GOOD),
        json.dumps(GOOD | {"status": "error"}) + "\n" + json.dumps(GOOD),
        "found 3 devices\n" + json.dumps(GOOD, indent=2) + "\nbye\n",
        "  " + json.dumps(GOOD) + "\r\n",
        "{" * 5000 + "\n" + json.dumps(GOOD),
        '{"status": "ok", "latency_ms": NaN}\n' + json.dumps(GOOD),
    ],
)
def test_the_last_object_counts_whatever_stands_around_it(stdout: str) -> None:
    assert read_report(stdout).p50_us == pytest.approx(110)


@pytest.mark.parametrize(
    ("stdout", "said"),
    [
        ("", "it printed no JSON object"),
        ("Segmentation fault", "no JSON object\nits output ends with: Segmentation fault"),
        ("[1, 2]", "no JSON object"),
        ('{"status": "ok", "latency_ms": Infinity}', "no JSON object"),
        ('{"status": 7}', "status is 7, not a text"),
        ("{}", "status is None, not a text"),
        ('{"status": "unavailable", "reason": "TVM is not installed"}', "status 'unavailable': TVM is not installed"),
        ('{"status": "ok"}', "latency_ms, throughput_tokens_per_sec, peak_memory_bytes missing"),
    ],
)
def test_no_report_says_what_came_instead(stdout: str, said: str) -> None:
    with pytest.raises(BadReport, match=said):
        read_report(stdout)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"latency_ms": 0.1}, "latency_ms is 0.1, not an object"),
        ({"latency_ms": {"mean": 1, "min": 1, "max": 1}}, "latency_ms has no p50, p95"),
        ({"latency_ms": LATENCY | {"p50": "0.11"}}, "latency_ms.p50 is '0.11', not a number"),
        ({"latency_ms": LATENCY | {"p50": True}}, "latency_ms.p50 is True, not a number"),
        ({"latency_ms": LATENCY | {"max": 10**400}}, "not a finite number"),
        ({"latency_ms": LATENCY | {"min": 0}}, "not above zero"),
        ({"latency_ms": LATENCY | {"min": -0.1}}, "latency_ms.min is -0.1"),
        ({"latency_ms": LATENCY | {"p50": 0.16}}, "out of order"),
        ({"latency_ms": LATENCY | {"mean": 0.21}}, "out of order"),
        ({"throughput_tokens_per_sec": "fast"}, "throughput_tokens_per_sec is 'fast'"),
        ({"peak_memory_bytes": 1.5}, "peak_memory_bytes is 1.5"),
        ({"peak_memory_bytes": -1}, "peak_memory_bytes is -1"),
        ({"peak_memory_bytes": False}, "peak_memory_bytes is False"),
    ],
)
def test_a_wrong_field_is_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(BadReport, match=said):
        read_report(json.dumps(GOOD | changes))


@given(st.text(max_size=300))
def test_any_text_gives_an_object_or_nothing(text: str) -> None:
    found = last_object(text)

    assert found is None or isinstance(found, dict)


@given(st.lists(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3), min_size=1, max_size=4))
def test_of_several_objects_the_last_is_found(objects: list[dict[str, Any]]) -> None:
    assert last_object("\n".join(json.dumps(each) for each in objects)) == objects[-1]
