"""Who sees what."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404

from submissions import access
from tests.submissions.conftest import HandIn


@pytest.mark.parametrize(
    ("visibility", "reader", "sees", "reads"),
    [
        ("public", "nobody", True, True),
        ("public", "bob", True, True),
        ("result", "nobody", True, False),
        ("result", "bob", True, False),
        ("result", "alice", True, True),
        ("result", "charlie", True, True),
        ("private", "nobody", False, False),
        ("private", "bob", False, False),
        ("private", "alice", True, True),
        ("private", "charlie", True, True),
    ],
)
def test_visibility(alice: User, bob: User, charlie: User, hand_in: HandIn, visibility: str, reader: str, sees: bool, reads: bool) -> None:
    run = hand_in(alice, visibility=visibility)
    user = {"alice": alice, "bob": bob, "charlie": charlie, "nobody": AnonymousUser()}[reader]

    assert access.visible_submissions(user).exists() is sees
    assert access.visible_evaluations(user).exists() is sees
    assert access.may_read_source(user, run.submission) is reads
    assert access.may_read_log(user, run) is reads
    if sees:
        assert access.access_submission(user, run.submission_id) == run.submission
        assert access.access_evaluation(user, run.pk) == run
    else:
        with pytest.raises(Http404):
            access.access_submission(user, run.submission_id)
        with pytest.raises(Http404):
            access.access_evaluation(user, run.pk)


def test_the_author_and_staff_may_cancel(alice: User, bob: User, charlie: User, hand_in: HandIn) -> None:
    run = hand_in(alice)

    assert access.may_cancel(alice, run)
    assert access.may_cancel(charlie, run)
    assert not access.may_cancel(bob, run)
    assert not access.may_cancel(AnonymousUser(), run)


def test_an_unknown_id_is_not_found(alice: User) -> None:
    with pytest.raises(Http404):
        access.access_evaluation(alice, "nothing")
