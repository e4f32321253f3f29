"""Contract data survives JSON, and types refuse what cannot be."""

from __future__ import annotations

import dataclasses
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.build import BuildReport
from evaluator.contract import (
    CaseResult,
    CaseTiming,
    EvaluationRequest,
    Event,
    Flag,
    KernelType,
    Limits,
    Mismatch,
    Mode,
    Outcome,
    Reason,
    SampleStats,
    State,
    TimingSummary,
    Verdict,
    dumps,
    from_json,
    to_json,
)
from evaluator.roofs import CaseLimit, Roof

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
ODD_FLOATS = st.one_of(st.none(), st.floats())
COUNTS = st.integers(0, 2**53)
STATS = st.builds(SampleStats, n=COUNTS, **{f.name: FLOATS for f in dataclasses.fields(SampleStats) if f.name != "n"})
ROOFS = st.builds(
    Roof,
    **dict.fromkeys(("bytes_per_s", "flops_per_s", "launch_us", "share", "baseline_share"), st.one_of(st.none(), FLOATS)),
    floor_us=FLOATS,
    bound=st.sampled_from(["bytes", "flops", "launch"]),
)
CASE_LIMITS = st.builds(
    CaseLimit,
    **dict.fromkeys(("bytes", "memory_bytes", "flops"), COUNTS),
    precision=st.just("fp16"),
    intensity=st.one_of(st.none(), FLOATS),
    table=st.one_of(st.none(), ROOFS),
    calibrated=st.one_of(st.none(), ROOFS),
    least_us=st.one_of(st.none(), FLOATS),
)
TIMINGS = st.builds(
    CaseTiming,
    method=st.sampled_from(["wall", "event"]),
    candidate=STATS,
    baseline=STATS,
    speedup=FLOATS,
    low=FLOATS,
    high=FLOATS,
    quads=COUNTS,
    stop_reason=st.text(max_size=5),
    audit_speedup=st.one_of(st.none(), FLOATS),
    sol_share=st.one_of(st.none(), FLOATS),
    peak_memory_bytes=st.one_of(st.none(), COUNTS),
    limit=st.one_of(st.none(), CASE_LIMITS),
    samples_us=st.lists(FLOATS, max_size=5).map(tuple),
)
MISMATCHES = st.builds(
    Mismatch, index=st.lists(COUNTS, max_size=3).map(tuple), expected=st.text(max_size=5), got=st.sampled_from(["nan", "-inf", "1"])
)
CASES = st.builds(
    CaseResult,
    name=st.text(max_size=8),
    kind=st.sampled_from(["correctness", "performance"]),
    passed=st.booleans(),
    inputs=st.text(max_size=8),
    hidden=st.booleans(),
    verdict=st.one_of(st.none(), st.sampled_from(Verdict)),
    seed=st.one_of(st.none(), COUNTS),
    max_abs=st.one_of(st.none(), FLOATS),
    mismatches=st.lists(MISMATCHES, max_size=2).map(tuple),
    timing=st.one_of(st.none(), TIMINGS),
)
SUMMARIES = st.builds(TimingSummary, speedup=FLOATS, low=FLOATS, high=FLOATS, candidate_us=FLOATS, baseline_us=FLOATS, cases=COUNTS)
OUTCOMES = st.builds(
    Outcome,
    verdict=st.sampled_from([v for v in Verdict if v is not Verdict.ACCEPTED]),
    stage=st.sampled_from(State),
    op=st.text(max_size=8),
    device=st.just("cpu"),
    kernel_type=st.sampled_from(KernelType),
    mode=st.sampled_from(Mode),
    reasons=st.lists(
        st.builds(Reason, code=st.text(max_size=5), message=st.text(max_size=20), detail=st.text(max_size=20)), max_size=2
    ).map(tuple),
    flags=st.lists(st.sampled_from(Flag), max_size=3).map(tuple),
    correctness_score=st.one_of(st.none(), FLOATS),
    cases=st.lists(CASES, max_size=2).map(tuple),
    timing=st.one_of(st.none(), SUMMARIES),
    environment=st.dictionaries(
        st.text(max_size=5), st.one_of(st.none(), st.booleans(), st.integers(), FLOATS, st.text(max_size=5)), max_size=3
    ),
    stage_seconds=st.dictionaries(st.text(max_size=5), FLOATS, max_size=3),
    log=st.text(max_size=50),
    seed=st.one_of(st.none(), COUNTS),
)


def outcome(**changes: object) -> Outcome:
    return dataclasses.replace(Outcome(Verdict.ACCEPTED, State.DONE, "relu", "cpu", KernelType.TORCH, Mode.TEST), **changes)  # type: ignore[arg-type]


@settings(max_examples=60)
@given(OUTCOMES)
def test_outcomes_survive_json(made: Outcome) -> None:
    assert from_json(Outcome, json.loads(dumps(made))) == made


@given(
    st.builds(
        CaseResult, name=st.just("a"), kind=st.just("b"), passed=st.just(True), inputs=st.just(""), max_abs=ODD_FLOATS, max_rel=ODD_FLOATS
    )
)
def test_floats_that_json_cannot_hold_become_none(case: CaseResult) -> None:
    text = dumps(case)
    again = from_json(CaseResult, json.loads(text))

    assert "NaN" not in text
    assert "Infinity" not in text
    for before, after in ((case.max_abs, again.max_abs), (case.max_rel, again.max_rel)):
        assert after == (before if before is not None and math.isfinite(before) else None)


@pytest.mark.parametrize(
    "value",
    [
        EvaluationRequest("relu", "x = '\u2603'", KernelType.TRITON, seed=2**63 - 1, limits=Limits(check_s=1.5)),
        Event("note", {"text": "hi", "deep": {"list": [1, 2.5, None, True]}}),
        BuildReport("key", KernelType.TORCH, False, "f", "", verdict=Verdict.COMPILE_ERROR, reason=Reason("a", "b"), flags=(Flag.LOG_CUT,)),
        Limits(),
    ],
)
def test_everything_else_survives_json(value: object) -> None:
    assert from_json(type(value), json.loads(dumps(value))) == value


def test_whole_numbers_are_taken_for_floats() -> None:
    limits = from_json(Limits, {"check_s": 3})

    assert limits == Limits(check_s=3.0)
    assert type(limits.check_s) is float


def test_unknown_fields_of_a_newer_contract_are_left_out() -> None:
    assert from_json(Reason, {"code": "a", "message": "b", "colour": "red"}) == Reason("a", "b")


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Outcome, None),
        (Outcome, []),
        (Outcome, {"verdict": "splendid"}),
        (Outcome, {}),
        (Reason, {"code": 3, "message": "b"}),
        (Limits, {"check_s": "3"}),
        (Limits, {"processes": 1.5}),
        (Limits, {"check_s": True}),
        (Mismatch, {"index": "12", "expected": "", "got": ""}),
        (Event, {"kind": "note", "data": []}),
        (BuildReport, {"key": "", "kernel_type": "torch", "ok": True, "entry_point": "", "source": "", "verdict": "compile_error"}),
    ],
)
def test_what_does_not_fit_is_refused(kind: type[object], value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        from_json(kind, value)


def test_accepted_with_a_failed_case_cannot_be() -> None:
    case = CaseResult("plain", "correctness", False, "", verdict=Verdict.WRONG_RESULT)

    with pytest.raises(ValueError, match="failed case"):
        outcome(cases=(case,))
    assert outcome(verdict=Verdict.WRONG_RESULT, cases=(case,)).cases == (case,)


def test_a_score_without_timing_cannot_be() -> None:
    with pytest.raises(ValueError, match="timing summary"):
        outcome(performance_score=2.0)


@pytest.mark.parametrize(("ok", "verdict", "reason"), [(True, Verdict.CRASHED, None), (False, None, None), (False, Verdict.CRASHED, None)])
def test_builds_fail_with_a_verdict_and_a_reason_or_not_at_all(ok: bool, verdict: Verdict | None, reason: Reason | None) -> None:
    with pytest.raises(ValueError, match="verdict and a reason"):
        BuildReport("key", KernelType.TORCH, ok, "f", "", verdict=verdict, reason=reason)


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", 1j])
def test_other_objects_are_no_contract_data(value: object) -> None:
    with pytest.raises(TypeError, match="not contract data"):
        to_json(value)


def test_limits_are_read_from_texts() -> None:
    limits = Limits.parse(["check_s=2.5", "memory_bytes=1073741824"])

    assert limits == Limits(check_s=2.5, memory_bytes=1 << 30)
    assert Limits.parse([]) == Limits()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("chek_s=1", "chek_s"),
        ("check_s", "check_s"),
        ("check_s=", "check_s"),
        ("check_s=soon", "check_s"),
        ("check_s=0", "check_s"),
        ("check_s=-1", "check_s"),
        ("check_s=inf", "check_s"),
        ("check_s=nan", "check_s"),
        ("memory_bytes=1.5", "memory_bytes"),
        ("memory_bytes=1e9", "memory_bytes"),
        ("", "''"),
    ],
)
def test_limits_that_make_no_sense_are_named(text: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Limits.parse([text])
