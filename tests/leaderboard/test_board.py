"""What a board shows to whom, and at what cost."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User

from evaluator.contract import Flag, KernelType, Verdict
from leaderboard.overview import ops, recent_entries, summaries
from leaderboard.ranking import board
from leaderboard.site_status import site_status
from submissions.models import Evaluation, Visibility
from tests.leaderboard.conftest import Finish, confirm


def test_an_empty_board_has_no_rows_and_no_baseline(loaded: None) -> None:
    empty = board("softmax", "cpu")

    assert (empty.rows, empty.interpreted, empty.baseline) == ((), (), None)


def test_rows_come_best_first_with_shared_ranks(finish: Finish, alice: User, bob: User, charlie: User) -> None:
    finish(alice, 1.500)
    finish(bob, 1.505)
    finish(charlie, 1.2)

    rows = board("softmax", "cpu").rows

    assert [(row.author, row.rank, row.band_size) for row in rows] == [("bob", 1, 2), ("alice", 1, 2), ("charlie", 3, 1)]
    assert [row.tied for row in rows] == [True, True, False]


def test_interpreted_entries_are_ranked_apart(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 5.0, kernel_type=KernelType.TRITON, flags=(Flag.INTERPRETED,))
    finish(bob, 1.1)

    shown = board("softmax", "cpu")

    assert [(row.author, row.rank) for row in shown.rows] == [("bob", 1)]
    assert [(row.author, row.rank) for row in shown.interpreted] == [("alice", 1)]


def test_the_baseline_is_the_median_of_what_was_measured_beside_the_entries(finish: Finish, alice: User, bob: User) -> None:
    finish(alice)
    finish(bob)

    baseline = board("softmax", "cpu").baseline

    assert baseline is not None
    assert (baseline.name, baseline.speedup, baseline.measured) == ("torch_eager", 1.0, 2)
    assert baseline.time_us == pytest.approx(1000)


def test_filters_hide_rows_and_keep_ranks(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 2.0, kernel_type=KernelType.TRITON, agent="bot-7")
    finish(bob, 1.0)

    def shown(**filters: Any) -> list[tuple[str, int]]:
        return [(row.author, row.rank) for row in board("softmax", "cpu", viewer=bob, **filters).rows]

    assert shown(kernel_type="torch") == [("bob", 2)]
    assert shown(mine=True) == [("bob", 2)]
    assert shown(author_kind="bot") == [("alice", 1)]
    assert shown(author_kind="human") == [("bob", 2)]
    assert shown(kernel_type="cuda") == []
    assert board("softmax", "cpu", kernel_type="torch").standing == 2


def test_only_the_author_and_staff_may_read_a_hidden_source(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, visibility=Visibility.RESULT)
    bob.is_staff = False
    chief = User(pk=10**6, username="chief", is_staff=True)

    readable = {str(user): board("softmax", "cpu", viewer=user).rows[0].may_read_source for user in (alice, bob, chief, AnonymousUser())}

    assert readable == {"alice": True, "bob": False, "chief": True, "AnonymousUser": False}


def test_a_suspect_leaves_the_board_before_any_refresh(finish: Finish, alice: User) -> None:
    evaluation = finish(alice)
    Evaluation.objects.filter(pk=evaluation.pk).update(verdict=Verdict.SUSPECT.value)

    assert board("softmax", "cpu").rows == ()
    assert recent_entries() == []


def test_queries_do_not_grow_with_rows(finish: Finish, alice: User, bob: User, django_assert_num_queries: Any) -> None:
    authors = [alice, bob, *(User.objects.create_user(f"author{i}") for i in range(12))]
    for i, author in enumerate(authors):
        for op in ("softmax", "relu"):
            for device in ("cpu", "h100"):
                finish(author, 1 + i / 10, op=op, device=device)

    with django_assert_num_queries(2):
        assert len(board("softmax", "cpu").rows) == len(authors)
    with django_assert_num_queries(5):
        assert sum(op.entries for op in summaries(list(ops()))) == 4 * len(authors)
    with django_assert_num_queries(1):
        assert len(recent_entries(20)) == 20
    with django_assert_num_queries(2):
        site_status()


def test_the_home_page_knows_the_best_of_each_board(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.5)
    confirm(1.5, 1.5, 1.5)
    finish(bob, 2.5)
    confirm(2.5, 2.5, 2.5)
    finish(alice, 9.0, flags=(Flag.INTERPRETED,))
    finish(alice, 3.0, device="h100")

    softmax = next(summary for summary in summaries(list(ops())) if summary.op.slug == "softmax")

    bests = {shown.device.slug: (shown.best and (shown.best.author, shown.best.speedup), shown.entries) for shown in softmax.boards}
    assert bests == {"cpu": (("bob", 2.5), 3), "h100": (("alice", 3.0), 1)}
    assert [point.author for point in softmax.boards[0].history] == ["alice", "bob"]


def test_ops_can_be_searched(loaded: None) -> None:
    def found(**filters: str) -> set[str]:
        return {summary.op.slug for summary in summaries(list(ops(**filters)))}

    assert found(text="soft MAX") == {"softmax"}
    assert "softmax" in found(suite="core")
    assert found(suite="no such suite") == set()
    assert found(text="%") == set()
    assert "softmax" in found(tag="reduction")
