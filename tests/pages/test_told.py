"""Every verdict in words: what happened, why, what to do next, and what there is to look at."""

from __future__ import annotations

import dataclasses

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluator.build import BuildReport
from evaluator.contract import CaseResult, Flag, KernelType, Mode, Outcome, Reason, State, Verdict, to_json
from evaluator.roofs import CaseLimit, Roof
from submissions.models import Evaluation
from submissions.pages import words
from submissions.pages.command_line import with_own_file
from submissions.pages.sheet import telling_first
from submissions.pages.traceback import with_line_links
from tests.pages.cast import evaluation_of, finish, hand_in
from tests.pages.conftest import signed_in
from tests.pages.markup import faults
from tests.pages.outcomes import accepted, case, timing, wrong_result
from tests.pages.profiles import profile

FAILED = [verdict for verdict in Verdict if verdict is not Verdict.ACCEPTED]
TRACEBACK = 'Traceback (most recent call last):\n  File "softmax.py", line 3, in softmax_kernel_impl\nValueError: <b>no</b>\n'


def page(client: Client, evaluation: Evaluation) -> str:
    return client.get(f"/s/{evaluation.submission_id}/").content.decode()


def ended(author: User, verdict: Verdict, *reasons: Reason, cases: tuple[CaseResult, ...] = (), **fields: object) -> Evaluation:
    outcome = dataclasses.replace(wrong_result(), verdict=verdict, reasons=reasons, cases=cases)
    return finish(evaluation_of(hand_in(author, **fields)), outcome)


def verdict_of(text: str) -> str:
    found = text[text.index('<section id="verdict"') :]
    return found[: found.index("</section>")]


@pytest.mark.parametrize("verdict", FAILED)
def test_every_verdict_says_what_happened_and_what_to_do(client: Client, alice: User, verdict: Verdict) -> None:
    shown = page(client, ended(alice, verdict))

    said = verdict_of(shown)
    assert words.VERDICTS[verdict].title in said
    assert words.VERDICTS[verdict].meaning.replace("'", "&#x27;") in said
    assert words.VERDICTS[verdict].next_step in said
    assert faults(shown) == []


def test_the_reason_is_the_sentence_that_one_reads_first(client: Client, alice: User) -> None:
    reason = Reason("wrong_strides", "case strided: output 0 has strides (1, 64)", hint="Return a contiguous tensor.")

    said = verdict_of(page(client, ended(alice, Verdict.WRONG_STRIDES, reason)))

    assert "Case strided: output 0 has strides (1, 64)." in said
    assert said.index("output 0") < said.index("Return a contiguous") < said.index(words.VERDICTS[Verdict.WRONG_STRIDES].meaning[:20])


def test_a_name_at_the_beginning_keeps_its_case(client: Client, alice: User) -> None:
    assert "softmax has no case" in verdict_of(page(client, ended(alice, Verdict.REJECTED, Reason("x", "softmax has no case"))))


def test_who_is_held_for_review_is_told_to_wait_and_every_doubt_is_shown(client: Client, alice: User) -> None:
    reasons = (Reason("clocks_disagree", "one doubt", hint="A hint."), Reason("too_fast", "another doubt", "its evidence"))

    shown = page(client, ended(alice, Verdict.SUSPECT, *reasons))

    assert "wait for the decision" in verdict_of(shown)
    for told in ("One doubt.", "another doubt", "its evidence", "too_fast"):
        assert told in shown


@pytest.mark.parametrize(
    ("speedup", "half", "said"),
    [
        (1.32, 0.01, "It is faster than torch eager in both timed cases."),
        (0.5, 0.01, "It is slower than torch eager in both timed cases."),
        (1.0, 0.05, "It is as fast as torch eager, as far as this measurement can tell."),
        (1.05, 0.001, "It is faster than torch eager in 1 of 2 timed cases, and by their geometric mean."),
    ],
)
def test_accepted_says_how_fast(client: Client, alice: User, speedup: float, half: float, said: str) -> None:
    shown = page(client, finish(evaluation_of(hand_in(alice)), accepted(speedup, half=half)))

    assert said in verdict_of(shown)
    assert "Look at 32x50257 first: it gains least" in verdict_of(shown)


def test_what_was_only_checked_is_told_how_to_be_timed(client: Client, alice: User) -> None:
    checked = dataclasses.replace(
        accepted(), mode=Mode.TEST, stage=State.CHECKING, timing=None, performance_score=None, cases=(case("plain"),)
    )

    shown = page(client, finish(evaluation_of(hand_in(alice, mode="test")), checked))

    assert "It was checked and not timed." in verdict_of(shown)
    assert 'id="performance"' not in shown


@pytest.mark.parametrize(
    ("fields", "flags", "said"),
    [
        ({}, (), "It stands at rank 1 of 1 on the board of softmax on cpu, provisional."),
        ({}, (Flag.INTERPRETED,), "rank 1 of 1 on the board of softmax on cpu, among what was interpreted."),
        ({"mode": "benchmark"}, (), "Not ranked: what runs in mode benchmark never is."),
        ({"visibility": "private"}, (), "Not ranked: it is private."),
        ({}, (Flag.DISTURBED,), "Not ranked: the device was disturbed while it was timed."),
    ],
    ids=str,
)
def test_accepted_says_whether_it_counts(alice: User, fields: dict[str, str], flags: tuple[Flag, ...], said: str) -> None:
    outcome = dataclasses.replace(accepted(0.9), flags=flags)

    shown = page(signed_in(alice), finish(evaluation_of(hand_in(alice, **fields)), outcome))

    assert said in verdict_of(shown)


def test_a_better_source_of_the_same_author_stands_in_its_place(client: Client, alice: User, bob: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(2.0))
    worse = finish(evaluation_of(hand_in(alice, source=b"ANOTHER = 1\n")), accepted(1.2))

    assert "a better source of the same author stands on the board of softmax on cpu" in verdict_of(page(client, worse))


@pytest.mark.parametrize(
    ("table", "said"), [(0.4, "at 40.0 % of the speed of light"), (None, "at 80.0 % of the limit as measured on its machine")]
)
def test_the_share_is_that_of_the_table_where_it_has_one(client: Client, alice: User, table: float | None, said: str) -> None:
    outcome = accepted()
    measured = Roof(1e11, 1e12, 1.0, 450.0, "bytes", 0.8, 0.6)
    limit = CaseLimit(1000, 1000, 10, "float32", 0.01, calibrated=measured)
    cases = tuple(
        dataclasses.replace(c, timing=dataclasses.replace(c.timing, sol_share=table, limit=limit)) if c.timing else c for c in outcome.cases
    )

    shown = page(client, finish(evaluation_of(hand_in(alice)), dataclasses.replace(outcome, cases=cases)))

    assert said in verdict_of(shown)


def test_the_verdict_names_the_case_that_is_shown_first(client: Client, alice: User) -> None:
    plain = wrong_result().cases[1]
    worse = dataclasses.replace(plain, name="worse", rel_l2=9.0, reason="relL2 9 is larger than 1e-05")
    reason = Reason("wrong_result", "case plain: relL2 0.13 is larger than 1e-05", hint="Subtract the maximum first.")

    shown = page(client, ended(alice, Verdict.WRONG_RESULT, reason, cases=(plain, worse)))

    assert "Case worse: relL2 9 is larger" in verdict_of(shown)
    assert shown.index('id="why-worse-correctness"') < shown.index('id="why-plain-correctness"')


def test_flags_are_explained_once(client: Client, alice: User) -> None:
    outcome = dataclasses.replace(accepted(), flags=(Flag.NONDETERMINISTIC,))

    shown = page(client, finish(evaluation_of(hand_in(alice)), outcome))

    assert shown.count(words.FLAGS[Flag.NONDETERMINISTIC]) == 1


def test_the_first_case_that_shows_something_is_open_and_the_others_follow(client: Client, alice: User) -> None:
    """Strides, errors and hidden cases are infinitely wrong, and have no element to show."""
    strides = dataclasses.replace(
        wrong_result().cases[1], name="strided", verdict=Verdict.WRONG_STRIDES, rel_l2=None, mismatches=(), reason="x" * 300
    )
    hidden = dataclasses.replace(strides, name="hidden_odd", hidden=True)
    elements = wrong_result().cases[1]

    shown = page(client, ended(alice, Verdict.WRONG_STRIDES, cases=(hidden, strides, elements)))

    worst = [hidden, strides, elements]
    told = [(each.case.name, each.open) for each in telling_first(worst, Verdict.WRONG_STRIDES)]
    assert told == [("strided", True), ("plain", True), ("hidden_odd", False)]
    assert [each.case.name for each in telling_first(worst, Verdict.WRONG_RESULT)] == ["plain", "strided", "hidden_odd"]
    failed = shown[shown.index('id="failed"') : shown.index('id="rail"')]
    assert failed.count(" open>") == failed.count("<details") == 2
    assert failed.index("strided") < failed.index("plain") < failed.index("hidden_odd")
    assert "x" * 300 not in shown[shown.index('id="cases"') :]


def test_a_case_that_shows_no_elements_is_open_when_there_is_no_better(client: Client, alice: User) -> None:
    strides = dataclasses.replace(wrong_result().cases[1], verdict=Verdict.WRONG_STRIDES, rel_l2=None, mismatches=())

    assert " open>" in page(client, ended(alice, Verdict.WRONG_STRIDES, cases=(strides,)))


def test_a_traceback_is_shown_once_and_leads_to_the_lines_of_the_source(client: Client, alice: User) -> None:
    failing = dataclasses.replace(
        case("plain"), passed=False, verdict=Verdict.RUNTIME_ERROR, reason=f"the call raised ValueError\n{TRACEBACK}"
    )
    reason = Reason("runtime_error", "case plain: the call raised ValueError", TRACEBACK)

    shown = page(client, ended(alice, Verdict.RUNTIME_ERROR, reason, cases=(failing,), filename="softmax.py"))

    assert shown.count('<a href="#L3">File &quot;softmax.py&quot;, line 3</a>') == 1
    assert "The traceback stands above." in shown
    assert "<b>no</b>" not in shown


def test_only_lines_of_the_own_file_are_linked() -> None:
    text = 'File "/lib/jit.py", line 9\nFile "/tmp/x/softmax.py", line 12\nremark (line 4) & File "softmax.py", line 0'

    linked = with_line_links(text, "softmax.py")

    assert linked.count("<a ") == 2
    assert '<a href="#L12">File &quot;/tmp/x/softmax.py&quot;, line 12</a>' in linked
    assert '<a href="#L4">(line 4)</a> &amp;' in linked


def test_the_build_says_what_it_found_and_who_may_not_read_the_source_does_not_see_it(client: Client, alice: User) -> None:
    notes = ("calls the reference op: torch.softmax (line 5)",)
    report = BuildReport(
        "k", KernelType.TORCH, True, "softmax_kernel_impl", "…", ("helper",), (), notes, log="warning: slow\n", seconds=2.5
    )
    outcome = dataclasses.replace(accepted(), profile=profile())
    for visibility, seen in (("public", True), ("result", False)):
        evaluation = finish(evaluation_of(hand_in(alice, visibility=visibility)), outcome)
        Evaluation.objects.filter(pk=evaluation.pk).update(build=to_json(report))

        shown = page(client, evaluation)

        assert ('id="build"' in shown) is seen
        for told in ("took 2.5 s", "helper", 'href="#L5"', "warning: slow", "Values that do not fit into registers"):
            assert (told in shown) is seen, told


def test_where_it_ran_is_told_in_groups(client: Client, alice: User) -> None:
    environment = {
        "device_name": "NVIDIA H100",
        "driver": "570.1",
        "cuda": "12.8",
        "torch": "2.13.0",
        "clocks": {"sm_mhz": 1980, "memory_mhz": 2619, "power_w": 118.61, "throttle_reasons": 0x20},
        "gpu_uuid_hash": "91ab",
        "of_another_version": {"new": 7},
    }
    evaluation = finish(evaluation_of(hand_in(alice)), dataclasses.replace(accepted(), environment=environment))  # type: ignore[arg-type]

    shown = page(client, evaluation)

    for told in ("570.1", "1980 MHz SM, 2619 MHz memory, 119 W", "sw thermal slowdown", "of another version new", "0.1.0, epoch"):
        assert told in shown, told


def test_commands_name_the_file_and_can_be_pasted(client: Client, alice: User) -> None:
    evaluation = finish(evaluation_of(hand_in(alice, filename="my kernel.py")), _with_command(wrong_result()))

    shown = page(client, evaluation)

    assert "python -m evaluator run &#x27;my kernel.py&#x27; --op softmax --mode test --case plain --seed 7" in shown
    assert "--type torch --device cpu --mode benchmark" in shown
    assert f"/s/{evaluation.submission_id}/source/" in shown
    assert with_own_file("run FILE --op x", "-rf.py") == "run ./-rf.py --op x"


def test_the_source_of_others_is_not_fetched_by_a_command(client: Client, alice: User) -> None:
    evaluation = finish(evaluation_of(hand_in(alice, visibility="result")), accepted())

    assert "curl" not in page(client, evaluation)


def test_the_picture_of_samples_is_loaded_only_when_opened(client: Client, alice: User) -> None:
    shown = page(client, finish(evaluation_of(hand_in(alice)), accepted()))

    assert 'data-script="/static/vendor/uplot/uPlot.iife.min.js"' in shown
    assert "<script src=" in shown and 'src="/static/vendor/uplot' not in shown


def test_every_timed_case_has_its_numbers_in_a_table(client: Client, alice: User) -> None:
    outcome = accepted()
    outcome = dataclasses.replace(outcome, cases=(*outcome.cases, case("third", kind="performance", timing_of=timing(2.0, 0.01))))

    shown = page(client, finish(evaluation_of(hand_in(alice)), outcome))

    assert shown.count('class="chart-faster"') == 3
    assert "1.98× – 2.02×" in shown


def _with_command(outcome: Outcome) -> Outcome:
    command = "python -m evaluator run FILE --op softmax --mode test --case plain --seed 7"
    return dataclasses.replace(outcome, cases=tuple(dataclasses.replace(each, reproduce=command) for each in outcome.cases))
