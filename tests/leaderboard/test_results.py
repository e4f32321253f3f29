"""What counts for whom in the figures of a suite, and at what cost."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User

from evaluator.contract import Flag, KernelType, Mode, Policy, Verdict
from leaderboard.entries import refresh
from leaderboard.models import Entry, Op
from leaderboard.results import Results, results
from leaderboard.suites import Suite, suites
from submissions.models import Evaluation, Purpose, Submission, Visibility
from tests.leaderboard.conftest import unfinished
from tests.leaderboard.trial import OPS, ended, make_trial


@pytest.fixture
def trial(db: None) -> Suite:
    return make_trial()


def sums(found: Results) -> dict[str, tuple[int, int, float | None]]:
    """Attempted, accepted and geomean of every row by author and label."""
    return {row.author or row.agent: (row.figures.attempted, row.figures.accepted, row.figures.geomean_speedup) for row in found.rows}


def test_the_figures_of_an_author(trial: Suite, alice: User) -> None:
    ended(alice, OPS[0], 1.6)
    entered = ended(alice, OPS[1], 0.9)
    ended(alice, OPS[2], score=0.25)
    ended(alice, OPS[2], score=0.75)

    (row,) = results(trial, "h100").rows

    assert (row.author, row.figures.ops, row.figures.attempted, row.figures.accepted, row.figures.evaluations) == ("alice", 4, 3, 2, 4)
    assert row.figures.correctness_rate == 0.5
    assert row.figures.correctness_score == pytest.approx((1 + 1 + 0.75) / 3)
    assert {fast.p: fast.of_suite for fast in row.figures.fast_p} == {0.8: 0.5, 1.0: 0.25, 1.5: 0.25, 2.0: 0.0}
    assert row.figures.geomean_speedup == pytest.approx((1.6 * 0.9) ** 0.5)
    assert [result.op for result in row.per_op] == list(OPS)
    assert row.per_op[1].speed is not None
    assert (row.per_op[1].speed.evaluation, row.per_op[1].speed.submission) == (entered.pk, entered.submission_id)
    assert row.per_op[2].attempt is not None
    assert (row.per_op[2].attempt.correctness_score, row.per_op[2].attempt.evaluations) == (0.75, 2)
    assert row.per_op[3].attempt is None


def test_the_speed_is_the_entrys_median_over_runs(trial: Suite, alice: User) -> None:
    for speedup in (1.0, 2.0, 1.4):
        ended(alice, OPS[0], speedup, source="# the same")

    speed = results(trial, "h100").together.per_op[0].speed

    assert speed is not None
    assert speed.speedup == Entry.objects.get().speedup == 1.4


def test_together_takes_the_best_of_everybody(trial: Suite, alice: User, bob: User) -> None:
    ended(alice, OPS[0], 1.2)
    ended(bob, OPS[0], 3.0)
    ended(bob, OPS[1], score=0.5)
    ended(alice, OPS[2], 1.1)

    found = results(trial, "h100")

    assert sums(found) == {"alice": (2, 2, pytest.approx((1.2 * 1.1) ** 0.5)), "bob": (2, 1, pytest.approx(3.0))}
    together = found.together
    assert (together.author, together.figures.attempted, together.figures.accepted, together.figures.evaluations) == ("", 3, 2, 4)
    assert [result.speed and (result.speed.author, result.speed.speedup) for result in together.per_op] == [
        ("bob", 3.0),
        None,
        ("alice", 1.1),
        None,
    ]


def test_a_test_run_that_was_accepted_is_right_and_not_fast(trial: Suite, alice: User) -> None:
    ended(alice, OPS[0], 5.0, mode=Mode.TEST)
    ended(alice, OPS[1], 5.0, mode=Mode.BENCHMARK)

    assert sums(results(trial, "h100")) == {"alice": (2, 2, None)}


def test_once_accepted_a_later_failure_takes_nothing_away(trial: Suite, alice: User) -> None:
    ended(alice, OPS[0], 1.5)
    ended(alice, OPS[0], score=0.1)

    assert sums(results(trial, "h100")) == {"alice": (1, 1, pytest.approx(1.5))}


def test_accepted_is_better_than_every_case_right_and_a_cheat_found_while_timing(trial: Suite, alice: User) -> None:
    ended(alice, OPS[0], score=1.0)
    ended(alice, OPS[0], 1.5)

    assert sums(results(trial, "h100")) == {"alice": (1, 1, pytest.approx(1.5))}


@pytest.mark.parametrize("verdict", [Verdict.CANCELLED, Verdict.INFRA_ERROR])
def test_what_says_nothing_about_the_kernel_is_no_attempt(trial: Suite, alice: User, verdict: Verdict) -> None:
    ended(alice, OPS[0], verdict=verdict)
    unfinished(alice, op=OPS[1], device="h100")

    found = results(trial, "h100")

    assert found.rows == ()
    assert found.together.figures.attempted == 0


@pytest.mark.parametrize("verdict", [Verdict.SUSPECT, Verdict.REJECTED])
def test_what_is_held_or_breaks_a_rule_is_an_attempt_that_is_not_believed(trial: Suite, alice: User, verdict: Verdict) -> None:
    ended(alice, OPS[0], verdict=verdict, score=1.0)

    (row,) = results(trial, "h100").rows

    assert (row.figures.attempted, row.figures.accepted, row.figures.correctness_score) == (1, 0, 0.0)


def test_a_verdict_that_was_withdrawn_counts_at_once(trial: Suite, alice: User) -> None:
    evaluation = ended(alice, OPS[0], 9.0)
    Evaluation.objects.filter(pk=evaluation.pk).update(verdict=Verdict.SUSPECT.value)

    assert sums(results(trial, "h100")) == {"alice": (1, 0, None)}
    ended(alice, OPS[0], 1.1, mode=Mode.TEST)
    assert Entry.objects.exists()
    assert sums(results(trial, "h100")) == {"alice": (1, 1, None)}


def refused(author: User, op: str, source: str, verdict: Verdict, flags: tuple[Flag, ...] = ()) -> Evaluation:
    """A confirming run that was not what it should have been."""
    run = ended(author, op, source=source, verdict=verdict, flags=flags)
    Evaluation.objects.filter(pk=run.pk).update(purpose=Purpose.CONFIRMING)
    refresh(op, "h100", author.pk, in_interpreter=False)
    return run


@pytest.mark.parametrize("options", [{}, {"by": "agent"}], ids=str)
def test_what_was_accepted_and_then_refused_in_confirmation_does_not_count(trial: Suite, alice: User, options: dict[str, Any]) -> None:
    ended(alice, OPS[0], 3.0, source="cheat")
    stopper = refused(alice, OPS[0], "cheat", Verdict.WRONG_RESULT)

    (row,) = results(trial, "h100", **options).rows

    assert (row.figures.attempted, row.figures.accepted, row.figures.geomean_speedup) == (1, 0, None)
    attempt = row.per_op[0].attempt
    assert attempt is not None
    assert (attempt.evaluation, attempt.verdict, attempt.evaluations) == (stopper.pk, Verdict.WRONG_RESULT, 1)

    honest = ended(alice, OPS[0], 1.5, source="honest")
    (row,) = results(trial, "h100", **options).rows
    assert (row.figures.accepted, row.per_op[0].shown.evaluation if row.per_op[0].shown else "") == (1, honest.pk)
    assert row.figures.geomean_speedup == pytest.approx(1.5)


@pytest.mark.parametrize("options", [{}, {"by": "agent"}], ids=str)
def test_one_suspect_run_refuses_nothing_and_two_do(trial: Suite, alice: User, options: dict[str, Any]) -> None:
    ended(alice, OPS[0], 3.0, source="same")
    refused(alice, OPS[0], "same", Verdict.SUSPECT)
    assert results(trial, "h100", **options).rows[0].figures.geomean_speedup == pytest.approx(3.0)

    refused(alice, OPS[0], "same", Verdict.SUSPECT)

    figures = results(trial, "h100", **options).rows[0].figures
    assert (figures.attempted, figures.accepted, figures.correctness_score, figures.geomean_speedup) == (1, 0, 0.0, None)


@pytest.mark.parametrize("options", [{}, {"by": "agent"}], ids=str)
def test_what_could_not_be_captured_again_is_right_and_not_fast(trial: Suite, alice: User, options: dict[str, Any]) -> None:
    ended(alice, OPS[0], 3.0, source="same")
    refused(alice, OPS[0], "same", Verdict.ACCEPTED, (Flag.NOT_CAPTURED,))

    figures = results(trial, "h100", **options).rows[0].figures

    assert (figures.accepted, figures.geomean_speedup) == (1, None)


def test_a_build_that_failed_has_no_score_and_counts_as_zero(trial: Suite, alice: User) -> None:
    ended(alice, OPS[0], verdict=Verdict.COMPILE_ERROR)
    ended(alice, OPS[1], score=0.5)

    assert results(trial, "h100").rows[0].figures.correctness_score == 0.25


def test_a_seed_of_ones_own_or_another_policy_is_no_attempt(trial: Suite, alice: User) -> None:
    ended(alice, OPS[0], mode=Mode.BENCHMARK, seed=7)
    ended(alice, OPS[0], mode=Mode.BENCHMARK, policy=Policy.BACKENDBENCH)

    assert results(trial, "h100").rows == ()


def test_private_submissions_count_for_their_author_alone(trial: Suite, alice: User, bob: User) -> None:
    ended(alice, OPS[0], 4.0, visibility=Visibility.PRIVATE)
    ended(alice, OPS[1], 1.5, visibility=Visibility.RESULT)
    chief = User.objects.create_user("chief", is_staff=True)

    seen = {str(reader): sums(results(trial, "h100", reader=reader)) for reader in (AnonymousUser(), bob, chief, alice)}

    public = {"alice": (1, 1, pytest.approx(1.5))}
    assert seen == {"AnonymousUser": public, "bob": public, "chief": public, "alice": {"alice": (2, 2, pytest.approx(1.5))}}
    ids = Submission.objects.filter(visibility=Visibility.PRIVATE).values_list("pk", flat=True)
    assert not set(ids) & {r.attempt.submission for r in results(trial, "h100", reader=chief).together.per_op if r.attempt}


def test_an_author_with_private_submissions_alone_has_no_row(trial: Suite, alice: User, bob: User) -> None:
    ended(alice, OPS[0], visibility=Visibility.PRIVATE, agent="secret-agent")

    for by in ("author", "agent"):
        assert results(trial, "h100", reader=bob, by=by).rows == ()  # type: ignore[arg-type]


def test_devices_and_suites_are_apart(trial: Suite, alice: User) -> None:
    Op.objects.create(slug="elsewhere", title="Elsewhere", signature="e(x)", precision="ieee_fp32", suites=["other"])
    ended(alice, OPS[0], device="cpu")
    ended(alice, "elsewhere")

    assert results(trial, "h100").rows == ()
    assert sums(results(trial, "cpu")) == {"alice": (1, 1, pytest.approx(1.2))}


def test_what_was_interpreted_is_apart(trial: Suite, alice: User) -> None:
    triton: dict[str, Any] = {"device": "cpu", "kernel_type": KernelType.TRITON}
    ended(alice, OPS[0], 0.01, flags=(Flag.INTERPRETED,), **triton)
    ended(alice, OPS[1], verdict=Verdict.COMPILE_ERROR, **triton)
    alone = results(trial, "cpu")
    ended(alice, OPS[0], 1.3, device="cpu")

    both = results(trial, "cpu")

    assert alone.only_interpreted
    assert [(row.interpreted, row.figures.attempted, row.figures.accepted) for row in alone.interpreted] == [(True, 2, 1)]
    assert not both.only_interpreted
    assert sums(both) == {"alice": (1, 1, pytest.approx(1.3))}
    assert both.interpreted_together is not None
    assert both.interpreted_together.figures.geomean_speedup == pytest.approx(0.01)


def test_agent_labels_have_the_figures_of_what_was_handed_in_under_them(trial: Suite, alice: User, bob: User) -> None:
    ended(alice, OPS[0], 2.0, agent="quick")
    ended(alice, OPS[0], 1.5, agent="slow")
    ended(bob, OPS[0], 1.7, agent="slow")
    ended(bob, OPS[1], score=0.5, agent="slow")
    ended(bob, OPS[2], 1.1)

    found = results(trial, "h100", by="agent")

    assert sums(found) == {"quick": (1, 1, 2.0), "slow": (2, 1, 1.7), "": (1, 1, 1.1)}
    narrow = results(trial, "h100", author="alice", agent="slow")
    assert sums(narrow) == {"alice": (1, 1, 1.5)}
    assert (narrow.together.author, narrow.together.agent) == ("alice", "slow")
    assert sums(results(trial, "h100", author="bob", by="agent")) == {"slow": (2, 1, 1.7), "": (1, 1, 1.1)}


def test_an_agents_speed_is_a_median_over_the_runs_of_one_source(trial: Suite, alice: User) -> None:
    runs = [ended(alice, OPS[0], speedup, source="# one", agent="a") for speedup in (1.0, 3.0, 1.5, 1.2, 4.0)]
    ended(alice, OPS[0], 1.4, source="# another", agent="a")
    ended(alice, OPS[0], 9.0, source="# one", agent="a", mode=Mode.BENCHMARK)

    speed = results(trial, "h100", agent="a").together.per_op[0].speed

    assert speed is not None
    assert (speed.speedup, speed.low, speed.high) == (1.5, pytest.approx(1.485), pytest.approx(1.515))
    assert speed.evaluation == runs[2].pk
    assert speed.submission == runs[2].submission_id


def test_labels_and_authors_agree_where_each_author_has_one_label(trial: Suite, alice: User, bob: User) -> None:
    for author in (alice, bob):
        for number, op in enumerate(OPS[:3]):
            for run in range(3):
                source = f"# {author} {op} {run // 2}"
                ended(author, op, 1 + number / 3 + run / 10 + author.pk % 7 / 20, source=source, agent=author.username)

    by_author, by_agent = results(trial, "h100"), results(trial, "h100", by="agent")

    assert [row.figures for row in by_author.rows] == [row.figures for row in by_agent.rows]
    assert by_author.together.figures == by_agent.together.figures


def test_rows_come_best_first(trial: Suite, alice: User, bob: User, charlie: User) -> None:
    ended(alice, OPS[0], 9.0)
    ended(bob, OPS[0], 1.1)
    ended(bob, OPS[1], 1.1)
    ended(charlie, OPS[0], 0.5)
    ended(charlie, OPS[1], 0.5)

    assert [row.author for row in results(trial, "h100").rows] == ["bob", "alice", "charlie"]


def test_an_unknown_author_has_attempted_nothing(trial: Suite, alice: User) -> None:
    ended(alice, OPS[0])

    found = results(trial, "h100", author="nobody")

    assert found.rows == ()
    assert (found.together.author, found.together.figures.attempted, found.together.figures.ops) == ("nobody", 0, 4)


def test_queries_do_not_grow(trial: Suite, alice: User, django_assert_num_queries: Any) -> None:
    authors = [alice, *(User.objects.create_user(f"author{i}") for i in range(4))]
    for i, author in enumerate(authors):
        for op in OPS:
            ended(author, op, 1 + i / 10, agent=f"agent{i % 2}")
            ended(author, op, score=0.5)

    with django_assert_num_queries(1):
        assert len(suites()["trial"].ops) == len(OPS)
    for options in ({}, {"by": "agent"}, {"author": "alice"}, {"agent": "agent1"}, {"author": "alice", "agent": "agent0", "by": "agent"}):
        with django_assert_num_queries(3 if "agent" in (*options, *options.values()) else 2):
            assert results(trial, "h100", reader=alice, **options).rows  # type: ignore[arg-type]


def test_suites_stand_in_their_order_with_words(trial: Suite) -> None:
    Op.objects.create(
        slug="both", title="Both", signature="b(x)", precision="ieee_fp32", suites=["core", "imported/one", "smoke"], position=9
    )
    Op.objects.create(slug="gone", title="Gone", signature="g(x)", precision="ieee_fp32", suites=["smoke", "left"], active=False)

    found = suites()

    assert list(found) == ["smoke", "core", "imported/one", "trial"]
    assert (found["core"].title, [op.slug for op in found["smoke"].ops]) == ("Core", ["both"])
    assert [op.slug for op in trial.ops] == list(OPS)
    assert "imported/one" in found["imported/one"].description
