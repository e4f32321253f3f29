"""A new epoch of the evaluator opens every board anew, and the old ones stay to read."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from evaluator.contract import EPOCH, State, Verdict
from leaderboard.housekeeping import keep_house
from leaderboard.models import Entry, Record, RecordEnd
from leaderboard.overview import ops, record_history, summaries
from leaderboard.ranking import board, epochs_of
from submissions.models import Evaluation, Purpose
from tests.leaderboard.conftest import Finish, confirm, open_confirming_runs


def grow_old() -> None:
    """Make all that is there a thing of the epoch before, as the evaluator's next change would."""
    for model in (Evaluation, Entry, Record):
        model.objects.update(epoch=EPOCH - 1)


def test_results_of_an_earlier_epoch_leave_the_board_and_stay_to_read(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.5)
    confirm(1.5, 1.5, 1.5)
    grow_old()

    finish(bob, 1.2)

    assert [row.author for row in board("softmax", "cpu").rows] == ["bob"]
    earlier = board("softmax", "cpu", epoch=EPOCH - 1)
    assert [(row.author, row.rank, row.confirmed) for row in earlier.rows] == [("alice", 1, True)]
    assert epochs_of("softmax", "cpu") == (EPOCH, EPOCH - 1)


def test_records_of_an_earlier_epoch_are_closed_with_that_reason(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.5)
    confirm(1.5, 1.5, 1.5)
    finish(bob, 1.5, op="relu")
    confirm(1.5, 1.5, 1.5)
    grow_old()

    finish(bob, 1.2)
    confirm(1.2, 1.2, 1.2)
    keep_house(None)
    keep_house(None)

    ended = {(record.op_id, record.author.username): record.ended_by for record in Record.objects.all()}
    assert ended == {("softmax", "alice"): RecordEnd.EPOCH, ("relu", "bob"): RecordEnd.EPOCH, ("softmax", "bob"): ""}
    assert [(p.author, p.epoch, p.stands) for p in record_history("softmax", "cpu")] == [("alice", EPOCH - 1, False), ("bob", EPOCH, True)]
    softmax = next(summary for summary in summaries(list(ops())) if summary.op.slug == "softmax")
    assert [p.author for p in softmax.boards[0].history] == ["bob"]


def test_runs_of_two_epochs_are_never_put_together(finish: Finish, alice: User) -> None:
    finish(alice, 1.5, source="same")
    confirm(1.5, 1.5)
    grow_old()

    finish(alice, 1.3, source="same")

    old, new = Entry.objects.order_by("epoch")
    assert (old.speedup, old.runs, new.speedup, new.runs, new.confirming_runs) == (1.5, 3, 1.3, 1, 0)


def test_a_run_that_an_older_worker_ended_stands_on_the_older_board(finish: Finish, alice: User) -> None:
    finish(alice, 1.5)
    grow_old()
    Entry.objects.all().delete()

    call_command("rebuild_entries")

    assert [entry.epoch for entry in Entry.objects.all()] == [EPOCH - 1]
    assert board("softmax", "cpu").rows == ()


def test_a_confirming_run_of_an_older_evaluator_counts_for_nothing(finish: Finish, alice: User) -> None:
    finish(alice, 1.5)
    runs = confirm(1.5, 1.5)
    assert Entry.objects.get().confirming_runs == 2

    Evaluation.objects.filter(pk__in=[run.pk for run in runs]).update(epoch=EPOCH - 1)
    Evaluation.objects.filter(purpose=Purpose.CONFIRMING, state=State.QUEUED).update(
        state=State.DONE, verdict=Verdict.ACCEPTED, epoch=EPOCH - 1
    )
    keep_house(None)

    assert Entry.objects.get(epoch=EPOCH).confirming_runs == 0
    assert len(open_confirming_runs()) == 1


def test_a_process_of_an_earlier_epoch_leaves_the_records_of_a_later_one_alone(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.5)
    confirm(1.5, 1.5, 1.5)
    Record.objects.update(epoch=EPOCH + 1)

    finish(bob, 2.0)
    keep_house(None)

    record = Record.objects.get()
    assert (record.author, record.epoch, record.held_until) == (alice, EPOCH + 1, None)
    assert open_confirming_runs() == []


def test_page_and_api_show_an_earlier_epoch_when_asked(finish: Finish, alice: User, client: Client) -> None:
    finish(alice, 1.5)
    confirm(1.5, 1.5, 1.5)
    grow_old()

    now, before = client.get("/ops/softmax/cpu/").content.decode(), client.get(f"/ops/softmax/cpu/?epoch={EPOCH - 1}").content.decode()
    as_json = client.get(f"/api/v1/leaderboards/softmax/cpu?epoch={EPOCH - 1}").json()
    as_csv = client.get(f"/api/v1/leaderboards/softmax/cpu?epoch={EPOCH - 1}&format=csv").content.decode()

    assert "Nobody stands here" in now
    assert f'href="?epoch={EPOCH - 1}"' in now
    assert ">alice</a>" in before
    assert "an earlier one" in before
    assert as_json["epoch"] == EPOCH - 1
    assert [(row["author"], row["confirmation"], row["confirming_runs"]) for row in as_json["rows"]] == [("alice", "confirmed", 3)]
    assert f"confirmed,3,,{EPOCH - 1}" in as_csv
    assert client.get("/ops/softmax/cpu/?epoch=99").status_code == 404
    assert client.get("/api/v1/leaderboards/softmax/cpu?epoch=99").status_code == 400
