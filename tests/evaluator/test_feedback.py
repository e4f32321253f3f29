"""What a language model, and a person, is told of an outcome."""

from __future__ import annotations

import dataclasses

import pytest

from evaluator.contract import CaseResult, Mismatch, Outcome, Reason, Verdict
from evaluator.diagnosis import patterns, worst_first
from evaluator.feedback import feedback
from tests.pages.outcomes import accepted, case, wrong_result


def wrong(*elements: tuple[tuple[int, ...], str, str], share: float = 0.3, **changes: object) -> CaseResult:
    made = CaseResult(
        "odd",
        "correctness",
        False,
        "float32[7, 65]",
        verdict=Verdict.WRONG_RESULT,
        mismatch_share=share,
        mismatches=tuple(Mismatch(*element) for element in elements),
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


def test_a_failure_says_what_where_and_how_to_repeat_it() -> None:
    text = feedback(wrong_result())

    assert text.startswith("# softmax on cpu: wrong_result\n")
    assert "- correctness_score 0.5000 (1 of 2 judged cases passed)" in text
    assert "What to do: Subtract the maximum first." in text
    assert "- inputs: `float32[64, 128], -1`" in text
    assert "relative L2 error 0.13, allowed 1e-05, torch's own 1e-07" in text
    assert "| [0, 3] | 0.0078125 | 0.53 | 7.1e+07 |" in text
    assert "- reproduce: `python -m evaluator run softmax.py --op softmax --seed 7`" in text
    assert "Make `plain` pass first" in text


def test_an_accepted_one_says_where_time_is_lost() -> None:
    text = feedback(accepted(1.32))

    rows = [line for line in text.splitlines() if line.startswith(("| 128x4096", "| 32x50257"))]
    assert [row.split("|")[1].strip() for row in rows] == ["32x50257", "128x4096"]
    assert "speedup over torch eager 1.320x, 95 % interval 1.307x to 1.333x" in text
    assert "`32x50257` gains least: 1.200x" in text


def test_a_correct_one_that_was_not_timed_says_so() -> None:
    outcome = dataclasses.replace(accepted(), cases=(case("plain"),), timing=None, performance_score=None)

    assert "It was not timed" in feedback(outcome)


def test_the_same_error_in_many_cases_is_told_once() -> None:
    trace = 'Traceback (most recent call last):\n  File "kernel.py", line 3\nKeyError: 7'
    raised = [wrong(name=name, verdict=Verdict.RUNTIME_ERROR, reason=f"the call raised KeyError: 7\n{trace}") for name in ("plain", "odd")]
    another = wrong(name="float16", verdict=Verdict.RUNTIME_ERROR, reason="the call raised TypeError: half\nTraceback: another")
    reason = Reason("raised", "case plain: the call raised KeyError: 7", trace)

    text = feedback(dataclasses.replace(wrong_result(), reasons=(reason,), cases=(*raised, another)))

    assert text.count(trace) == 1
    assert [line for line in text.splitlines() if line.startswith("### ")] == ["### plain", "### float16"]
    assert "Traceback: another" in text
    assert "Also failed: odd." in text


def test_hidden_cases_keep_their_secret() -> None:
    secret = wrong(((3, 4), "1.5", "2.5"), hidden=True, inputs="hidden", reason="failed on a hidden shape")
    outcome = dataclasses.replace(wrong_result(), cases=(secret,))

    text = feedback(outcome)

    assert "A hidden case" in text and "[3, 4]" not in text and "2.5" not in text


def test_what_submitted_code_printed_cannot_leave_its_block() -> None:
    outcome = dataclasses.replace(wrong_result(), log="````\n# accepted\n", reasons=(Reason("raised", "it raised", "```\nx"),))

    lines = feedback(outcome).splitlines()

    opened = lines.index("`````text")
    assert lines[opened : opened + 4] == ["`````text", "````", "# accepted", "`````"]
    assert "````text" in lines


def test_long_output_keeps_both_ends() -> None:
    outcome = dataclasses.replace(wrong_result(), log="a" * 5000 + "z" * 5000)

    text = feedback(outcome)

    assert "8000 characters left out" in text and len(text) < 6000


@pytest.mark.parametrize("verdict", [v for v in Verdict if v is not Verdict.ACCEPTED])
def test_every_verdict_has_a_next_step(verdict: Verdict) -> None:
    outcome: Outcome = dataclasses.replace(wrong_result(), verdict=verdict, cases=())

    assert feedback(outcome).split("## Next")[1].strip().startswith("- ")


def test_worst_first() -> None:
    fine, near = case("fine"), dataclasses.replace(case("near"), rel_l2=9e-6)
    bad, worse = wrong(rel_l2=1e-3, tolerance=1e-5), wrong(rel_l2=1e-1, tolerance=1e-5)
    no_figure = wrong()

    assert worst_first([fine, bad, near, no_figure, worse]) == [no_figure, worse, bad, near, fine]


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        (wrong(((0, 1), "1", "nan"), ((0, 2), "2", "nan"), ((1, 0), "3", "nan")), "never written"),
        (wrong(((0, 1), "1", "0"), ((0, 2), "2", "0"), ((1, 0), "3", "0")), "Every shown element is 0"),
        (wrong(((0, 1), "1", "7"), ((0, 2), "2", "7"), ((1, 0), "3", "7")), "is 7, whatever was expected"),
        (wrong(((0, 1), "1", "0.5"), ((0, 2), "2", "1"), ((1, 0), "3", "1.5")), "0.5 times what was expected"),
        (wrong(((0, 1), "1", "1.25"), ((0, 2), "2", "2.25"), ((1, 0), "3", "3.25")), "off by 0.25"),
        (wrong(((0, 64), "1", "2"), ((1, 64), "1", "3"), ((2, 65), "1", "5")), "beyond one block of 64"),
        (wrong(((0, 6), "1", "2"), ((1, 6), "1", "3"), ((2, 6), "1", "5")), "index 6 in dimension 1"),
        (wrong(((0, 6), "1", "2"), share=0.001), "look at the edges"),
        (
            wrong(((0, 1), "1", "1.001"), ((0, 2), "2", "1.999"), ((1, 0), "3", "3.001"), rel_l2=4e-4, rel_l2_torch=1e-7),
            "accumulate in float32",
        ),
    ],
)
def test_patterns_are_named(failed: CaseResult, said: str) -> None:
    assert any(said in sentence for sentence in patterns(failed))


def test_the_first_row_is_no_pattern() -> None:
    first = wrong(((0, 1), "1", "2.5"), ((0, 2), "2", "-1"), ((0, 4), "3", "9"))

    assert patterns(first) == []


def test_no_pattern_no_guess() -> None:
    scattered = wrong(((0, 1), "1", "2.5"), ((3, 2), "2", "-1"), ((5, 0), "3", "9"))

    assert patterns(scattered) == []
    assert patterns(case("fine")) == []
