"""Hand in to a competition: by the form, over REST; refused outside of its times with a reason; private whatever was asked for."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client

from submissions.competitions.models import Competition, Group
from submissions.intake_errors import IdempotencyError, IntakeError
from submissions.models import Submission, Visibility
from tests.competitions.conftest import HOUR, client_of, closed, competition
from tests.pages.cast import SOURCE, evaluation_of, finish, hand_in
from tests.pages.outcomes import accepted

GOOD = {"op": "softmax", "source": SOURCE, "device": ["cpu"], "kernel_type": "", "mode": "ranked", "visibility": "public"}


def refused(author: User, **fields: object) -> str:
    with pytest.raises(IntakeError) as error:
        hand_in(author, **fields)
    assert not Submission.objects.exists()
    return " ".join(error.value.errors["competition"])


def post(client: Client, **fields: object) -> Any:
    sent = {"op": "softmax", "source": SOURCE, "device": "cpu", **fields}
    return client.post("/api/v1/submissions", json.dumps(sent), content_type="application/json")


def test_what_goes_to_a_competition_is_stored_as_private(private: Competition, bob: User) -> None:
    made = hand_in(bob, competition=private.slug, visibility="public")

    assert (made.competition, made.visibility) == (private, Visibility.PRIVATE)


def test_the_database_refuses_a_submission_that_is_in_a_competition_and_public(private: Competition, bob: User) -> None:
    made = hand_in(bob, competition=private.slug)

    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.filter(pk=made.pk).update(visibility="public")


def test_before_it_opens_and_after_it_has_closed_it_takes_nothing(lab: Group, bob: User) -> None:
    coming, over = competition(lab, opens_in=HOUR, closes_in=2 * HOUR), closed(competition(lab))

    assert "not open yet: it opens at 20" in refused(bob, competition=coming.slug)
    said = refused(bob, competition=over.slug)
    assert f"closed at {over.closes_at:%Y-%m-%d %H:%M:%S} UTC" in said
    assert "Hand it in without it" in said


def test_who_is_not_invited_is_told_that_there_is_none(private: Competition, dana: User) -> None:
    assert refused(dana, competition=private.slug) == refused(dana, competition="nothing").replace("nothing", private.slug)


def test_staff_see_it_and_take_part_only_as_members(private: Competition, charlie: User) -> None:
    assert "only members of its group" in refused(charlie, competition=private.slug)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"op": "mm"}, "does not cover op 'mm'. It covers softmax, relu"),
        ({"device": ["cpu", "h100"]}, "not held on h100"),
        ({"mode": "test"}, "Only mode ranked counts"),
        ({"competition": "\0"}, "no competition"),
    ],
)
def test_what_it_does_not_cover_is_refused(private: Competition, bob: User, fields: dict[str, object], said: str) -> None:
    assert said in refused(bob, **{"competition": private.slug, **fields})


def test_all_that_is_wrong_is_said_at_once(private: Competition, bob: User) -> None:
    with pytest.raises(IntakeError) as error:
        hand_in(bob, competition=private.slug, op="mm", source=b" ", device="abacus")

    assert set(error.value.errors) == {"source", "device", "competition"}


def test_the_same_key_gives_the_first_again_even_when_it_has_closed(private: Competition, bob: User) -> None:
    first = hand_in(bob, competition=private.slug, idempotency_key="k")

    closed(private)

    assert hand_in(bob, competition=private.slug, idempotency_key="k") == first
    with pytest.raises(IdempotencyError):
        hand_in(bob, visibility="private", idempotency_key="k")


def test_by_the_form(private: Competition, bob: User) -> None:
    client = client_of(bob)
    page = client.get(f"/submit/?competition={private.slug}&op=relu").content.decode()

    answer = client.post("/submit/", GOOD | {"competition": private.slug})

    assert f'<option value="{private.slug}" selected>' in page
    assert "the source of your entries once it has closed" in page
    assert answer.status_code == 302
    assert Submission.objects.get().competition == private


def test_who_comes_too_late_keeps_the_text_and_the_choice(private: Competition, bob: User) -> None:
    closed(private)

    answer = client_of(bob).post("/submit/", GOOD | {"competition": private.slug})

    page = answer.content.decode()
    assert answer.status_code == 422
    assert "closed at" in page.split('id="id_competition_error">')[1][:200]
    assert f'<option value="{private.slug}" selected>' in page  # sent again it is refused again, and not handed in for all to see
    assert "softmax_kernel_impl(x, dim)" in page


def test_a_link_to_one_that_is_not_open_does_not_turn_into_a_public_hand_in(lab: Group, bob: User) -> None:
    coming = competition(lab, opens_in=HOUR, closes_in=2 * HOUR)

    page = client_of(bob).get(f"/submit/?competition={coming.slug}").content.decode()

    assert f'<option value="{coming.slug}" selected>{coming.title} (not open)' in page


def test_a_form_without_competitions_does_not_mention_them(dana: User, private: Competition) -> None:
    assert "id_competition" not in client_of(dana).get("/submit/").content.decode()


def test_over_rest(private: Competition, bob: User, dana: User) -> None:
    made = post(client_of(bob), competition=private.slug)
    late = post(client_of(dana), competition=private.slug)

    assert (made.status_code, made.json()["competition"], made.json()["visibility"]) == (201, private.slug, "private")
    assert late.status_code == 400
    assert "you are not invited" in late.json()["errors"]["competition"][0]
    rows = client_of(bob).get(f"/api/v1/submissions?competition={private.slug}").json()["results"]
    assert [(row["id"], row["competition"]) for row in rows] == [(made.json()["id"], private.slug)]


@pytest.mark.parametrize("blank", [None, ""])
def test_no_competition_is_none(bob: User, blank: object) -> None:
    made = post(client_of(bob), competition=blank)

    assert (made.status_code, made.json()["competition"], made.json()["visibility"]) == (201, None, "public")


def test_the_result_page_names_the_competition_and_says_who_reads_the_source(private: Competition, alice: User, bob: User) -> None:
    made = hand_in(bob, competition=private.slug)

    page = client_of(alice).get(f"/s/{made.pk}/").content.decode()

    assert f"/competitions/{private.slug}/" in page
    assert "Until the competition closes its author keeps the source to themselves." in page


def test_a_competition_open_for_a_moment_takes_at_its_first_and_not_at_its_last(lab: Group, bob: User) -> None:
    one = competition(lab, closes_in=dt.timedelta(seconds=30))
    hand_in(bob, competition=one.slug)

    closed(one)

    with pytest.raises(IntakeError):
        hand_in(bob, competition=one.slug, source=b"# another")


def test_editing_ones_own_goes_to_the_same_competition_while_it_is_open(private: Competition, bob: User) -> None:
    earlier = hand_in(bob, competition=private.slug)
    path = f"/submit/?from={earlier.pk}"

    during = client_of(bob).get(path).context["form"].initial
    closed(private)
    after = client_of(bob).get(path).context["form"].initial

    assert [(filled["competition"], filled["visibility"]) for filled in (during, after)] == [(private.slug, "private"), ("", "private")]


def test_what_is_made_from_anothers_opened_source_is_private_at_first(private: Competition, alice: User, bob: User) -> None:
    earlier = finish(evaluation_of(hand_in(bob, competition=private.slug)), accepted(1.4)).submission
    path = f"/submit/?from={earlier.pk}"

    before = client_of(alice).get(path)
    closed(private)
    form = client_of(alice).get(path).context["form"]

    assert before.status_code == 404
    assert (form.initial["competition"], form.initial["visibility"], form.initial["parent"]) == ("", "private", earlier.pk)
