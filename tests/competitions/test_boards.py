"""Boards of competitions: the same rules, entries of their own, nothing of them on the open boards."""

from __future__ import annotations

import csv
import io

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction

from evaluator.contract import EPOCH, KernelType, Outcome, Verdict
from leaderboard.housekeeping import keep_house
from leaderboard.models import Entry, Record
from leaderboard.ranking import board
from leaderboard.scope import Scope, epoch_of
from submissions.competitions.models import Competition, Group
from submissions.confirming import Confirmation
from submissions.events import read
from submissions.models import Evaluation, Purpose
from submissions.rerun import again
from submissions.streams import competition_stream
from tests.competitions.conftest import client_of, closed, competition
from tests.leaderboard.conftest import complete, confirm, open_confirming_runs, unfinished
from tests.pages.cast import SOURCE, evaluation_of, hand_in
from tests.pages.cast import finish as end
from tests.pages.outcomes import accepted, wrong_result


def enter(
    author: User, to: Competition | None, speedup: float, *, text: str = "", outcome: Outcome | None = None, **fields: object
) -> Evaluation:
    source = (SOURCE + f"# {text or speedup} {author}\n").encode()
    slug = to.slug if to else None
    return end(evaluation_of(hand_in(author, source=source, competition=slug, **fields)), outcome or accepted(speedup))


def audited(author: User, to: Competition, speedup: float) -> Evaluation:
    """One that the judge's own clock saw too, so that it can be confirmed."""
    run = unfinished(author)
    type(run.submission).objects.filter(pk=run.submission_id).update(competition=to, visibility="private")
    run.refresh_from_db()
    with transaction.atomic():
        complete(run, speedup)
    return run


def authors(to: Competition | None, viewer: User) -> list[tuple[int, str]]:
    shown = board("softmax", "cpu", viewer=viewer, scope=Scope(to))
    return [(row.rank, row.author) for row in shown.rows]


def test_the_same_rules_rank_what_was_handed_in_to_it_alone(private: Competition, alice: User, bob: User, dana: User) -> None:
    enter(alice, private, 1.30)
    enter(bob, private, 1.305)
    enter(dana, None, 3.0)
    enter(alice, None, 2.0)

    assert authors(private, bob) == [(1, "bob"), (1, "alice")]
    assert authors(None, bob) == [(1, "dana"), (2, "alice")]


def test_an_author_has_an_entry_in_each_and_one_on_the_open_board(lab: Group, private: Competition, bob: User) -> None:
    other = competition(lab)
    for to, speedup in ((private, 1.2), (other, 1.4), (None, 1.6)):
        enter(bob, to, speedup)

    found = {entry.competition_id: entry.speedup for entry in Entry.objects.all()}
    assert found == {private.pk: 1.2, other.pk: 1.4, None: 1.6}


def test_medians_are_over_the_runs_in_the_competition(private: Competition, bob: User) -> None:
    for to, speedup in ((private, 1.2), (private, 1.4), (None, 9.0)):
        enter(bob, to, speedup, text="same source")

    entry = Entry.objects.get(competition=private)
    assert (round(entry.speedup, 6), entry.runs) == (1.3, 2)


def test_interpreted_ones_stand_apart_there_too(private: Competition, bob: User) -> None:
    enter(bob, private, 0.01, kernel_type="triton", outcome=accepted(0.01, interpreted=True, kernel_type=KernelType.TRITON))

    shown = board("softmax", "cpu", viewer=bob, scope=Scope(private))
    assert ([row.author for row in shown.rows], [row.author for row in shown.interpreted]) == ([], ["bob"])


def test_a_rerun_counts_until_it_closes_and_the_sites_own_after_it(private: Competition, bob: User) -> None:
    first = enter(bob, private, 1.2)
    during = again(first, Purpose.RERUN)
    closed(private)
    late, ours = again(first, Purpose.RERUN), again(first, Purpose.HOUSE)
    Evaluation.objects.filter(pk=during.pk).update(queued_at=private.closes_at - (private.closes_at - private.opens_at) / 2)
    during.refresh_from_db()

    for run, speedup in ((during, 1.4), (late, 9.0), (ours, 1.3)):
        end(run, accepted(speedup))

    entry = Entry.objects.get()
    assert (entry.speedup, entry.runs) == (1.3, 3)


def test_what_was_handed_in_in_time_counts_however_long_it_waited(private: Competition, bob: User) -> None:
    waiting = evaluation_of(hand_in(bob, competition=private.slug))
    closed(private)

    end(waiting, accepted(1.4))

    assert authors(private, bob) == [(1, "bob")]


def test_a_withdrawn_verdict_leaves_the_board_at_once(private: Competition, bob: User) -> None:
    run = enter(bob, private, 1.4)

    Evaluation.objects.filter(pk=run.pk).update(verdict=Verdict.REJECTED)

    assert authors(private, bob) == []


def test_a_leader_who_beats_somebody_is_confirmed_and_there_is_no_record(private: Competition, alice: User, bob: User) -> None:
    audited(alice, private, 1.5)
    assert open_confirming_runs() == []  # alone on the board
    audited(bob, private, 1.2)
    keep_house(None)

    ended = confirm(1.5, 1.5, 1.5)

    assert {run.submission.competition for run in ended} == {private}
    assert Entry.objects.get(author=alice).confirmation == Confirmation.CONFIRMED
    assert not Record.objects.exists()


def test_a_leader_who_was_lucky_hands_the_lead_over_and_the_next_is_confirmed(private: Competition, alice: User, bob: User) -> None:
    audited(bob, private, 1.4)
    audited(alice, private, 1.5)
    confirm(1.2)
    while hers := [run for run in open_confirming_runs() if run.author == alice]:
        with transaction.atomic():
            complete(hers[0], 1.2)

    assert authors(private, bob) == [(1, "bob"), (2, "alice")]
    (run,) = open_confirming_runs()
    assert run.author == bob


def test_confirming_in_a_competition_says_nothing_on_the_open_board(private: Competition, alice: User, bob: User) -> None:
    audited(bob, private, 1.2)
    run = audited(alice, private, 1.5)
    with transaction.atomic():
        complete(unfinished(alice, source=run.submission.source), 1.5)
    there = next(run for run in open_confirming_runs() if run.submission.competition_id)

    with transaction.atomic():
        complete(there, 1.5, verdict=Verdict.WRONG_RESULT)

    states = {entry.competition_id: entry.confirmation for entry in Entry.objects.filter(author=alice)}
    assert states == {private.pk: Confirmation.NOT_CONFIRMED, None: Confirmation.CONFIRMING}


def test_whoever_watches_is_told_without_figures(private: Competition, bob: User) -> None:
    enter(bob, private, 1.2)
    enter(bob, private, 1.1, outcome=wrong_result())

    (event,) = read(competition_stream(private.pk), 0)
    assert event.data == {"op": "softmax", "device": "cpu", "change": "new"}


def test_everything_can_be_derived_again(private: Competition, alice: User, bob: User) -> None:
    enter(alice, private, 1.2)
    enter(bob, private, 1.4)
    enter(bob, None, 1.6)
    Entry.objects.filter(author=bob).delete()
    Entry.objects.update(speedup=7.0)

    call_command("rebuild_entries", verbosity=0, stdout=io.StringIO())

    assert authors(private, bob) == [(1, "bob"), (2, "alice")]
    assert authors(None, bob) == [(1, "bob")]


def test_a_competition_of_an_earlier_epoch_stays_to_read(private: Competition, bob: User) -> None:
    enter(bob, private, 1.4)
    Evaluation.objects.update(epoch=EPOCH - 1)
    Entry.objects.update(epoch=EPOCH - 1)

    assert epoch_of(private.pk) == EPOCH - 1
    page = client_of(bob).get(f"/ops/softmax/cpu/?competition={private.slug}").content.decode()
    assert ">bob</a>" in page
    assert "an earlier one" in page
    rows = client_of(bob).get(f"/api/v1/leaderboards/softmax/cpu?competition={private.slug}").json()
    assert (rows["epoch"], [row["author"] for row in rows["rows"]]) == (EPOCH - 1, ["bob"])


def test_a_board_carries_its_competition_along(private: Competition, bob: User) -> None:
    enter(bob, private, 1.4)

    page = client_of(bob).get(f"/ops/softmax/cpu/?competition={private.slug}&baselines=false").content.decode()

    assert f'data-live="/ws/competitions/{private.slug}/"' in page
    assert f'name="competition" value="{private.slug}"' in page
    assert f"&amp;competition={private.slug}" in page
    assert "This is the board of" in page
    assert "source locked" not in page  # it is bob's own


def test_a_board_that_the_competition_does_not_have_is_not_there(private: Competition, bob: User) -> None:
    client = client_of(bob)

    assert client.get(f"/ops/mm/cpu/?competition={private.slug}").status_code == 404
    assert client.get(f"/ops/softmax/h100/?competition={private.slug}").status_code == 404
    assert client.get(f"/api/v1/leaderboards/mm/cpu?competition={private.slug}").status_code == 404


def test_locks_open_on_the_board_when_it_closes(private: Competition, alice: User, bob: User) -> None:
    enter(bob, private, 1.4)
    path = f"/api/v1/leaderboards/softmax/cpu?competition={private.slug}"
    before = client_of(alice).get(path)

    closed(private)

    after = client_of(alice).get(path)
    assert [answer.json()["rows"][0]["may_read_source"] for answer in (before, after)] == [False, True]
    assert before["ETag"] != after["ETag"]


def test_as_csv(private: Competition, bob: User) -> None:
    enter(bob, private, 1.4)

    text = client_of(bob).get(f"/api/v1/leaderboards/softmax/cpu?format=csv&competition={private.slug}").content.decode()

    assert next(csv.DictReader(io.StringIO(text)))["author"] == "bob"


def test_a_group_narrows_the_open_board_and_leaves_ranks(lab: Group, alice: User, bob: User, dana: User) -> None:
    enter(dana, None, 3.0)
    enter(bob, None, 1.4)

    page = client_of(alice).get(f"/ops/softmax/cpu/?group={lab.pk}").content.decode()
    rows = client_of(alice).get(f"/api/v1/leaderboards/softmax/cpu?group={lab.pk}").json()["rows"]

    assert ">dana</a>" not in page
    assert '<span class="rank">2</span>' in page
    assert f'<option value="{lab.pk}" selected>' in page
    assert [(row["rank"], row["author"]) for row in rows] == [(2, "bob")]


def test_boards_and_home_mention_what_is_open(private: Competition, public: Competition, bob: User, dana: User) -> None:
    for path in ("/", "/ops/softmax/cpu/"):
        for reader, seen in ((bob, True), (dana, False)):
            page = client_of(reader).get(path).content.decode()
            assert public.title in page
            assert (private.title in page) is seen
    assert public.title not in client_of(dana).get("/ops/mm/cpu/").content.decode()
