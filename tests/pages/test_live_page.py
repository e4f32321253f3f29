"""The page of an evaluation that waits or runs: all rows from the start, what is known so far, what is usual."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from evaluator.contract import State, to_json
from evaluator.ops import registry
from submissions import events
from submissions.models import Evaluation, Event
from submissions.pages.live_tables import live_tables
from submissions.pages.planned import planned
from submissions.pages.progress import progress
from submissions.pages.typical import typical
from submissions.queue_position import position
from submissions.streams import evaluation_stream
from tests.pages.cast import at_stage, builder, evaluation_of, finish, hand_in, worker
from tests.pages.outcomes import accepted, case, timing, wrong_result

SOFTMAX = registry.OPS["softmax"]


@pytest.fixture(autouse=True)
def _no_habits_of_other_tests() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def page(client: Client, evaluation: Evaluation) -> str:
    return client.get(f"/s/{evaluation.submission_id}/").content.decode()


def rows(text: str, section: str) -> list[str]:
    """Names in the rows of a section's table."""
    body = text[text.index(f'<section class="section" id="{section}"') :]
    body = body[: body.index("</table>")]
    return re.findall(r'<th scope="row"[^>]*>([^<]+)', body)


def test_every_row_is_there_before_anything_runs(client: Client, alice: User) -> None:
    evaluation = evaluation_of(hand_in(alice))

    shown = page(client, evaluation)

    public = [case.name for case in SOFTMAX.correctness_cases("cpu")]
    hidden = [case.name for case in SOFTMAX.hidden_cases(lambda low, high: high, "cpu")]
    assert rows(shown, "cases") == public + hidden
    assert rows(shown, "performance") == [case.name for case in SOFTMAX.performance_cases("cpu")]
    assert 'data-refresh-s="4"' in shown
    assert "running</span>" not in shown


def test_hidden_cases_are_planned_by_name_alone(alice: User) -> None:
    for each in planned(evaluation_of(hand_in(alice))):
        assert bool(each.inputs) is not each.hidden


def test_a_test_has_nothing_to_time(client: Client, alice: User) -> None:
    assert 'id="performance"' not in page(client, evaluation_of(hand_in(alice, mode="test")))


def test_rows_fill_in_and_the_next_one_runs(client: Client, alice: User) -> None:
    evaluation = at_stage(evaluation_of(hand_in(alice)), State.CHECKING)
    stream = evaluation_stream(evaluation.pk)
    events.append(stream, "case", to_json(case("plain")))  # type: ignore[arg-type]
    events.append(stream, "case", to_json(wrong_result().cases[1]) | {"name": "odd"})  # type: ignore[operator]
    events.append(stream, "note", {"text": "calls the reference op (line 3)"})

    shown = page(client, evaluation)

    assert "1 of 17 right so far, 1 wrong" in shown
    assert shown.count("running</span>") == 1
    assert re.search(r'id="case-one_row-correctness" class="is-now"', shown)
    assert re.search(r'id="case-odd-correctness" class="is-failed"', shown)
    assert "calls the reference op (line 3)" in shown
    assert "data-refresh-s" not in shown


def test_a_timed_row_keeps_its_place_from_first_quads_to_its_figure(alice: User) -> None:
    evaluation = at_stage(evaluation_of(hand_in(alice)), State.TIMING)
    stream = evaluation_stream(evaluation.pk)
    first, second = (case.name for case in SOFTMAX.performance_cases("cpu"))
    events.append(stream, "case", to_json(case(first, kind="performance", timing_of=timing(1.4, 0.01))))  # type: ignore[arg-type]
    events.append(stream, "timing", {"case": second, "quads": 20, "speedup": 1.3, "low": 1.2, "high": 1.42})
    events.append(stream, "timing", {"case": "of_another_version", "quads": 10, "speedup": None})

    tables = live_tables(State.TIMING, planned(evaluation), progress(evaluation), may_read_source=True)

    assert [(row.plan.name, row.status, row.whisker is not None) for row in tables.timed] == [
        (first, "passed", True),
        (second, "now", True),
        ("of_another_version", "todo", False),
    ]
    assert {row.status for row in tables.checked} == {"todo"}


def test_a_correctness_case_does_not_hide_a_timed_one_of_its_name(alice: User) -> None:
    evaluation = at_stage(evaluation_of(hand_in(alice)), State.TIMING)
    for kind in ("correctness", "performance"):
        events.append(evaluation_stream(evaluation.pk), "case", to_json(case("same", kind=kind)))  # type: ignore[arg-type]

    assert [each.kind for each in progress(evaluation).cases] == ["correctness", "performance"]


def test_an_op_that_is_gone_still_has_a_page(client: Client, alice: User) -> None:
    evaluation = at_stage(evaluation_of(hand_in(alice)), State.CHECKING)
    Evaluation.objects.filter(pk=evaluation.pk).update(op="imported/gone")
    events.append(evaluation_stream(evaluation.pk), "case", to_json(case("told")))  # type: ignore[arg-type]

    assert rows(page(client, evaluation), "cases") == ["told"]


def test_stages_say_what_they_usually_take(client: Client, alice: User, bob: User) -> None:
    for number, seconds in enumerate((1.0, 3.0, 20.0)):
        done = finish(evaluation_of(hand_in(bob, source=f"# {number}\n".encode())), accepted())
        _took(done, State.CHECKING, seconds)
    finish(evaluation_of(hand_in(bob, source=b"# wrong\n")), wrong_result())
    cache.clear()  # the pages of a minute ago knew less

    shown = page(client, at_stage(evaluation_of(hand_in(alice)), State.CHECKING))

    assert "usually 3.0 s" in shown


def test_without_enough_of_the_op_the_device_tells_and_without_that_nobody(alice: User, bob: User) -> None:
    waiting = evaluation_of(hand_in(alice))
    assert typical(waiting) == {}
    for number in range(3):
        _took(finish(evaluation_of(hand_in(bob, op="gelu", source=f"# {number}\n".encode())), accepted()), State.TIMING, 7.0)
    cache.clear()

    assert typical(waiting)[State.TIMING] == pytest.approx(7.0, abs=0.1)
    assert State.WAITING not in typical(waiting)
    assert typical(evaluation_of(hand_in(alice, device="h100"))) == {}


def test_the_estimate_falls_while_others_run(alice: User, bob: User) -> None:
    worker()
    builder()
    at_stage(evaluation_of(hand_in(bob)), State.CHECKING)
    waiting = evaluation_of(hand_in(alice))
    estimates = []
    for age_s in (0.0, 2.0, 1000.0):
        Evaluation.objects.filter(author=bob).update(claimed_at=timezone.now() - dt.timedelta(seconds=age_s))
        place = position(waiting)
        assert place is not None and place.estimate_s is not None
        estimates.append(place.estimate_s)

    assert estimates == [pytest.approx(5.0, abs=0.2), pytest.approx(3.0, abs=0.2), 0.5]


def test_who_waits_is_told_when_it_starts_or_what_is_not_there(client: Client, alice: User, bob: User) -> None:
    waiting = evaluation_of(hand_in(alice))

    def told() -> str:
        shown = page(client, waiting)
        return " ".join(re.sub("<[^>]+>", "", shown[shown.index('<p id="queue">') :].partition("</p>")[0]).split())

    assert "No build worker is in service" in told()
    builder()
    assert "No worker of this device is in service" in told()
    worker()
    assert told().startswith("Next in line: starts at once.")
    at_stage(evaluation_of(hand_in(bob)), State.CHECKING)
    assert "starts in about 5.0 s." in told()


def test_who_may_not_read_the_source_sees_neither_log_nor_notes(as_bob: Client, alice: User) -> None:
    evaluation = at_stage(evaluation_of(hand_in(alice, visibility="result")), State.CHECKING)
    events.append(evaluation_stream(evaluation.pk), "log", {"text": "secret of the kernel"})
    events.append(evaluation_stream(evaluation.pk), "note", {"text": "secret of the build"})

    assert "secret of" not in page(as_bob, evaluation)


def _took(evaluation: Evaluation, stage: State, seconds: float) -> None:
    """As if it had stayed in a stage for so long, at the cost of the next."""
    moves = list(Event.objects.filter(stream=evaluation_stream(evaluation.pk), kind="state").order_by("seq"))
    after = next(number for number, move in enumerate(moves) if move.data["state"] == stage) + 1
    for move in moves[after:]:
        move.at += dt.timedelta(seconds=seconds)
        move.save(update_fields=["at"])
