"""The result page, while it runs and when it is done."""

from __future__ import annotations

import dataclasses

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.utils import timezone

from evaluator.contract import ClockStats, Flag, Mode, State, to_json
from submissions import events, states
from submissions.lease import put_back
from submissions.models import Evaluation, Purpose
from submissions.pages import words
from submissions.rerun import again
from tests.pages.cast import at_stage, evaluation_of, finish, hand_in
from tests.pages.conftest import signed_in
from tests.pages.outcomes import accepted, broken, case, wrong_result


def test_a_running_evaluation_shows_what_is_known_so_far(client: Client, alice: User) -> None:
    evaluation = at_stage(evaluation_of(hand_in(alice)), State.TIMING)
    stream = events.evaluation_stream(evaluation.pk)
    events.append(stream, "case", to_json(case("odd")))  # type: ignore[arg-type]
    events.append(stream, "timing", {"case": "128x4096", "quads": 20, "speedup": 1.4, "low": 1.38, "high": 1.42})
    last = events.append(stream, "log", {"text": "hello from the kernel\n"})

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert 'aria-current="step"' in page
    assert "odd" in page
    assert "1.40×" in page
    assert "hello from the kernel" in page
    assert f'data-seq="{last.seq}"' in page
    assert '<noscript><meta http-equiv="refresh"' in page
    assert "Cancel" not in page


def test_the_queue_position_is_shown(client: Client, alice: User, bob: User) -> None:
    hand_in(bob)
    evaluation = evaluation_of(hand_in(alice))

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert "1 ahead of it" in page
    assert "Fair share" in page


def test_an_earlier_attempt_leaves_nothing_on_the_page(client: Client, alice: User) -> None:
    evaluation = at_stage(evaluation_of(hand_in(alice)), State.CHECKING)
    stream = events.evaluation_stream(evaluation.pk)
    events.append(stream, "case", to_json(case("of_the_first_attempt")))  # type: ignore[arg-type]
    events.append(stream, "state", {"state": "waiting", "attempt": 2, "worker": ""})

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert "of_the_first_attempt" not in page


def told_in_a_try(evaluation: Evaluation, worker: str) -> None:
    """Taken by a device worker, which tells a line of log and a case."""
    states.move(evaluation, State.CHECKING, worker=worker, claimed_at=timezone.now())
    stream = events.evaluation_stream(evaluation.pk)
    events.append_all(stream, [("log", {"text": f"line of {worker}\n"}), ("case", {**to_json(case(f"case_of_{worker}"))})])  # type: ignore[dict-item]


@pytest.mark.parametrize("burn", [True, False])
def test_a_second_try_shows_the_builds_log_and_nothing_of_the_first(client: Client, alice: User, burn: bool) -> None:
    evaluation = at_stage(evaluation_of(hand_in(alice)), State.BUILDING)
    stream = events.evaluation_stream(evaluation.pk)
    events.append_all(stream, [("note", {"text": "a note of the build"}), ("log", {"text": "ptxas info\n"})])
    states.move(evaluation, State.WAITING, worker="")
    told_in_a_try(evaluation, "first")
    with transaction.atomic():
        put_back(evaluation, "The device is busy.", burn=burn)
    told_in_a_try(evaluation, "second")

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert "line of first" not in page and "case_of_first" not in page
    assert "ptxas info\nline of second" in page and "case_of_second" in page
    assert "a note of the build" in page and "The device is busy. Back to the queue." in page


def test_a_build_that_is_made_again_tells_its_log_once(client: Client, alice: User) -> None:
    evaluation = evaluation_of(hand_in(alice))
    stream = events.evaluation_stream(evaluation.pk)
    for go_on in (False, True):
        states.move(evaluation, State.BUILDING, worker="build-1", claimed_at=timezone.now())
        events.append(stream, "log", {"text": "ptxas info\n"})
        if not go_on:
            with transaction.atomic():
                put_back(evaluation, "The builder is gone.", burn=False)
    states.move(evaluation, State.WAITING, worker="")

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert page.count("ptxas info") == 1


def test_a_rerun_stands_for_what_it_repeats_and_the_sites_own_runs_do_not(client: Client, alice: User) -> None:
    failed = finish(evaluation_of(hand_in(alice)), broken())
    for purpose, outcome in ((Purpose.RERUN, accepted(1.32)), (Purpose.HOUSE, accepted(5.0))):
        with transaction.atomic():
            run = again(failed, purpose)
        finish(run, outcome)

    page = client.get(f"/s/{failed.submission_id}/").content.decode()

    assert "Accepted" in page and "1.32×" in page and "5.00×" not in page


def test_of_several_devices_the_first_is_told_and_of_modes_the_one_handed_in(client: Client, alice: User) -> None:
    submission = hand_in(alice, device=["cpu", "h100"])
    first = submission.evaluations.order_by("queued_at", "pk")[0]
    finish(first, accepted(1.32))
    with transaction.atomic():
        Evaluation.objects.filter(pk=again(first, Purpose.RERUN).pk).update(mode=Mode.PROFILE)

    shown = client.get(f"/s/{submission.pk}/").context["evaluation"]

    assert shown.pk == first.pk


def test_accepted_shows_numbers_with_error_bars(client: Client, alice: User) -> None:
    evaluation = finish(evaluation_of(hand_in(alice)), dataclasses.replace(accepted(1.32), log="warm\n"))

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert "Accepted" in page
    assert "95 % interval 1.31× to 1.33×" in page
    assert page.count('class="chart-error"') == 6
    assert "chart-distribution" in page
    assert "The same as a table" in page
    assert "data-final" in page
    assert "http-equiv" not in page
    assert 'id="L3"' in page


def test_how_it_was_timed_is_told_per_case(client: Client, alice: User) -> None:
    outcome = accepted(1.32)
    told = {
        "method": "graph",
        "calls": 60,
        "audit_speedup": 1.317,
        "audit_low": 1.31,
        "audit_high": 1.32,
        "quiet_us": 893.0,
        "host_us": 41.5,
        "peak_memory_bytes": 3 << 20,
        "clocks": ClockStats(1755, 1980, 2619, ("hw_thermal_slowdown",), redone=2, power_w=612.4, temperature_c=63),
    }
    *others, last = (dataclasses.replace(case, timing=case.timing and dataclasses.replace(case.timing, **told)) for case in outcome.cases)
    assert last.timing is not None
    last = dataclasses.replace(
        last, timing=dataclasses.replace(last.timing, method="event", overhead_us=2.1, not_captured="RuntimeError: <b>no</b>")
    )
    flags = (Flag.THROTTLED, Flag.NOT_CAPTURED)
    evaluation = finish(evaluation_of(hand_in(alice)), dataclasses.replace(outcome, cases=(*others, last), flags=flags))

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()
    how = page[page.index('id="timed-how"') :]
    how = " ".join(how[: how.index("</details>")].split())

    for text in (
        "graph",
        ">60<",
        "1.32×",
        "893 µs",
        "41.5 µs",
        "3.00 MiB",
        "1755 – 1980 MHz",
        "hw_thermal_slowdown",
        "2 quads redone",
        "up to 612 W",
        "up to 63 °C",
        "2.10 µs off each",
    ):
        assert text in how, text
    assert "RuntimeError: &lt;b&gt;no&lt;/b&gt;" in how
    for flag in flags:
        assert words.FLAGS[flag] in page


def test_every_flag_has_words() -> None:
    assert set(words.FLAGS) == set(Flag)


def test_wrong_shows_the_first_wrong_elements_and_how_to_reproduce(client: Client, alice: User) -> None:
    evaluation = finish(evaluation_of(hand_in(alice)), wrong_result())

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert "Wrong result" in page
    assert "[0, 3]" in page
    assert "0.0078125" in page
    assert "Subtract the maximum first." in page
    assert page.count("python -m evaluator run softmax.py --op softmax --seed 7") == 2
    assert "71" in page and "ulp" in page
    assert "All shown elements" not in page
    assert f"/api/v1/evaluations/{evaluation.pk}/feedback" in page


def test_what_submitted_code_said_is_text(client: Client, alice: User) -> None:
    outcome = dataclasses.replace(wrong_result(), log="<script>alert(1)</script>")
    evaluation = finish(evaluation_of(hand_in(alice, source=b"# </code><img src=x onerror=alert(1)>\n")), outcome)

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_the_fragment_is_the_part_that_changes(client: Client, alice: User) -> None:
    evaluation = evaluation_of(hand_in(alice))

    answer = client.get(f"/s/{evaluation.submission_id}/", headers={"HX-Request": "true"})

    assert "<html" not in answer.content.decode()
    assert 'id="evaluation-body"' in answer.content.decode()
    assert "HX-Request" in answer.headers["Vary"]
    assert "no-store" in answer.headers["Cache-Control"]


def test_an_outcome_of_an_unknown_evaluator_still_has_a_page(client: Client, alice: User) -> None:
    evaluation = finish(evaluation_of(hand_in(alice)), accepted())
    type(evaluation).objects.filter(pk=evaluation.pk).update(outcome={"verdict": "splendid"})

    answer = client.get(f"/s/{evaluation.submission_id}/")

    assert answer.status_code == 200
    assert "Accepted" in answer.content.decode()


def test_cancelling_shows_the_page_again(alice: User) -> None:
    client = signed_in(alice)
    evaluation = evaluation_of(hand_in(alice))

    answer = client.post(f"/evaluations/{evaluation.pk}/cancel/", follow=True)

    assert "Cancelled" in answer.content.decode()


def test_the_fragment_brings_what_stands_around_the_verdict(client: Client, alice: User) -> None:
    submission = hand_in(alice, device=["cpu", "h100"])
    on_cpu = submission.evaluations.get(device="cpu")
    address = f"/s/{submission.pk}/?evaluation={on_cpu.pk}"
    before = client.get(address, headers={"HX-Request": "true"}).content.decode()

    finish(on_cpu, accepted(1.32))

    after = client.get(address, headers={"HX-Request": "true"}).content.decode()
    for new in ("Feedback for a model (Markdown)", ">epoch ", ">Accepted</span></a>"):
        assert new not in before
        assert new in after
    assert "data-live-lamp" in before and "data-live-lamp" not in after


def test_who_shares_a_result_alone_is_told_that_the_source_is_not_shared(alice: User) -> None:
    for visibility, told in (("result", True), ("public", False)):
        evaluation = finish(evaluation_of(hand_in(alice, visibility=visibility)), accepted(1.32))

        assert ("the source is not" in signed_in(alice).get(f"/s/{evaluation.submission_id}/").content.decode()) is told


def test_the_log_can_be_had_as_plain_text(client: Client, alice: User) -> None:
    evaluation = finish(evaluation_of(hand_in(alice)), dataclasses.replace(accepted(1.32), log="warm\n"))

    assert f"/api/v1/evaluations/{evaluation.pk}/log" in client.get(f"/s/{evaluation.submission_id}/").content.decode()
