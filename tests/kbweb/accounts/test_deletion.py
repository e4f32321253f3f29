"""What goes with an account, and what stays without a name."""

from __future__ import annotations

import json

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.db import transaction

from evaluator.contract import Mode, State, Verdict
from kbweb.accounts.deletion import STAYS, LastAdministrator, delete_account, plan
from kbweb.models import Token
from leaderboard.models import Entry, Record
from leaderboard.moderation import decide
from leaderboard.ranking import board
from leaderboard.reruns import rerun_top
from submissions.artefacts import keep_artefacts
from submissions.decisions.models import Decision, Kind
from submissions.events import FEED, append, board_stream, evaluation_stream
from submissions.intake import submit
from submissions.models import Artefact, Evaluation, Event, Stream, Submission, Visibility
from submissions.webhooks import owning
from submissions.webhooks.models import Delivery, Webhook
from tests.leaderboard.conftest import Finish, confirm, finish_evaluation, open_confirming_runs, unfinished
from tests.leaderboard.held import held

GOES = {"memberships", "emailaddress_set", "socialaccount_set", "auth_token_set", "sign_in_keys", "webhooks"}
SOURCE = b"import torch\n\n\ndef softmax_kernel_impl(x, dim):\n    return torch.softmax(x, dim)\n"


@pytest.fixture
def finish(db: None) -> Finish:
    from evaluator.ops import registry
    from leaderboard import catalogue

    catalogue.load(registry.all_ops("smoke"))
    return finish_evaluation  # type: ignore[return-value] # its options are named


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice", "alice@example.org", "a long enough password", first_name="Alice")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob", is_staff=True)


def test_every_table_that_names_an_account_was_thought_of() -> None:
    """A new relation to the account must say what becomes of its rows: `STAYS` in the code, or here."""
    relations = {relation.get_accessor_name() for relation in User._meta.related_objects}

    assert relations == STAYS | GOES


def test_an_account_that_carries_nothing_goes_without_a_trace(alice: User, finish: Finish) -> None:
    evaluation = finish(alice, verdict=Verdict.WRONG_RESULT)
    append(evaluation_stream(evaluation.pk), "log", {"text": "hello"})
    append(FEED, "verdict", {"submission": evaluation.submission_id, "author": "alice"})
    private = finish(alice, 9.0, visibility=Visibility.PRIVATE)
    everything(alice)

    delete_account(alice)

    assert not User.objects.exists()
    assert not Submission.objects.exists() and not Evaluation.objects.exists()
    assert not Token.objects.exists() and not Webhook.objects.exists() and not Delivery.objects.exists()
    assert not EmailAddress.objects.exists() and not SocialAccount.objects.exists()
    assert not Stream.objects.filter(name__in=[evaluation_stream(e.pk) for e in (evaluation, private)]).exists()
    assert "alice" not in all_events()


def everything(user: User) -> None:
    """A row in every table that hangs on an account."""
    Token.objects.create(user=user, name="t")
    EmailAddress.objects.create(user=user, email="alice@example.org", verified=True)
    SocialAccount.objects.create(user=user, provider="github", uid="1", extra_data={"login": "alice"})
    owning.send_test(owning.make_webhook(user, "https://example.org/", ["done"]))


def all_events() -> str:
    return json.dumps(list(Event.objects.values_list("data", flat=True)))


def test_what_boards_and_records_rest_on_stays_without_the_name(alice: User, bob: User, finish: Finish) -> None:
    everything(alice)
    finish(bob, 0.9)
    lead = finish(alice, 1.5, source="the source of the record", agent="alices-agent")
    confirm(1.5, 1.5, 1.5)
    slower = finish(alice, 1.1, source="slower")
    assert Record.objects.current().get().author == alice
    before = [(row.rank, row.speedup, row.confirmed) for row in board("softmax", "cpu").rows]

    delete_account(alice)

    nobody = User.objects.get(pk=alice.pk)
    assert nobody.username.startswith("deleted-") and len(nobody.username) == 14
    assert (nobody.email, nobody.first_name, nobody.is_active, nobody.has_usable_password()) == ("", "", False, False)
    assert [(row.rank, row.speedup, row.confirmed) for row in board("softmax", "cpu").rows] == before
    assert {row.author for row in board("softmax", "cpu").rows} == {"bob", nobody.username}
    assert Record.objects.current().get().author == nobody
    kept = Submission.objects.get(author=nobody)
    assert (kept.pk, kept.source, kept.agent) == (lead.submission_id, "the source of the record", "")
    assert not Evaluation.objects.filter(pk=slower.pk).exists()
    assert not Token.objects.exists() and not Webhook.objects.exists()
    assert not EmailAddress.objects.exists() and not SocialAccount.objects.exists()
    assert "alice" not in all_events()
    assert nobody.username in json.dumps([e.data for e in Event.objects.filter(stream=board_stream("softmax", "cpu"))])


def test_a_source_that_was_its_authors_alone_is_erased_and_its_figures_stay(alice: User, bob: User, finish: Finish) -> None:
    secret = "the secret trick"
    lead = finish(alice, 1.5, source=secret, visibility=Visibility.RESULT)
    stream = evaluation_stream(lead.pk)
    Evaluation.objects.filter(pk=lead.pk).update(log=secret, outcome={**(lead.outcome or {}), "profile": {"tools": [secret]}})
    for kind in ("log", "case", "note"):
        append(stream, kind, {"text": secret, "reason": f"first\n{secret}"})
    append(stream, "verdict", {"reasons": [{"message": "m", "detail": secret}]})
    Artefact.objects.create(evaluation=lead, name="a", kind="ptx", size_bytes=1, sha256="0" * 64, packed_bytes=1, packed=b"x")
    keep_artefacts(lead, ())

    delete_account(alice)

    kept = Evaluation.objects.get(pk=lead.pk)
    assert (kept.submission.source, kept.log, kept.speedup) == ("", "", 1.5)
    assert secret not in json.dumps(kept.outcome) + all_events()
    assert not Artefact.objects.exists()
    assert board("softmax", "cpu").rows[0].speedup == 1.5
    assert [told.why for told in rerun_top(1)] == ["The source was erased with its author's account."]


def test_what_is_being_judged_is_dropped_and_confirming_goes_on(alice: User, finish: Finish) -> None:
    finish(alice, 1.5)
    (open_run,) = open_confirming_runs()
    waiting = unfinished(alice)

    delete_account(alice)

    assert not Evaluation.objects.filter(pk__in=[open_run.pk, waiting.pk]).exists()
    assert Evaluation.objects.filter(state=State.DONE).count() == 1


def test_what_a_dropped_run_told_goes_with_it(alice: User, finish: Finish) -> None:
    secret = "the secret trick"
    finish(alice, 1.5, source=secret, visibility=Visibility.RESULT)
    (open_run,) = open_confirming_runs()
    append(evaluation_stream(open_run.pk), "log", {"text": secret})

    delete_account(alice)

    assert secret not in all_events()
    assert not Stream.objects.filter(name=evaluation_stream(open_run.pk)).exists()


@pytest.mark.parametrize("name", ["alice", "al\u00edce"])
def test_whose_record_it_took_is_told_without_the_name(alice: User, bob: User, finish: Finish, name: str) -> None:
    User.objects.filter(pk=alice.pk).update(username=name)
    alice.refresh_from_db()
    owning.make_webhook(bob, "https://example.org/", ["record_lost"])
    finish(bob, 1.2)
    confirm(1.2, 1.2, 1.2)
    finish(alice, 2.0)
    confirm(2.0, 2.0, 2.0)
    told = Delivery.objects.get()
    assert json.loads(told.body)["data"]["taken_by"]["author"] == name

    delete_account(alice)

    told.refresh_from_db()
    after = json.loads(told.body)["data"]
    assert after["taken_by"]["author"] == User.objects.get(pk=alice.pk).username != name
    assert after["record"]["author"] == "bob"


def test_the_plan_says_beforehand_what_happens(alice: User, finish: Finish) -> None:
    finish(alice, 1.5)
    finish(alice, 1.5, op="relu", visibility=Visibility.RESULT)
    finish(alice, 2.0, visibility=Visibility.PRIVATE)
    finish(alice, 1.1, mode=Mode.TEST)
    finish(alice, verdict=Verdict.WRONG_RESULT)

    told = plan(alice)

    assert (told.goes, told.stays, told.without_source) == (3, 1, 1)
    delete_account(alice)
    assert Submission.objects.count() == 2


def test_a_hidden_submission_is_its_authors_alone_and_goes(alice: User, bob: User, finish: Finish) -> None:
    evaluation = finish(alice, 1.5)
    decide(bob, evaluation.pk, Kind.HIDE, "names somebody", every_run=False)

    delete_account(alice)

    assert not Submission.objects.exists() and not Decision.objects.exists()


def test_decisions_of_a_moderator_outlive_the_account(alice: User, bob: User, finish: Finish) -> None:
    evaluation = held(alice)
    decide(bob, evaluation.pk, Kind.ACCEPT, "looks right", every_run=False)

    delete_account(bob)

    assert Decision.objects.get().actor is None
    assert Entry.objects.get().evaluation == evaluation


def test_others_are_left_alone(alice: User, bob: User, finish: Finish) -> None:
    finish(bob, 1.3)
    Token.objects.create(user=bob, name="bobs")
    finish(alice, 1.2)

    delete_account(alice)

    assert Token.objects.get().user == bob
    assert Submission.objects.filter(author=bob).count() == 1


def test_a_site_keeps_its_last_administrator(db: None) -> None:
    root, other = (User.objects.create_superuser(name) for name in ("root1", "root2"))

    delete_account(other)
    with pytest.raises(LastAdministrator), transaction.atomic():
        delete_account(root)

    assert User.objects.get() == root


def test_the_name_is_free_again_and_nothing_comes_back_with_it(alice: User, finish: Finish) -> None:
    finish(alice, 1.5)
    delete_account(alice)

    other = User.objects.create_user("alice")
    made = submit(other, op="softmax", source=SOURCE, device="cpu", kernel_type="torch")

    assert list(Submission.objects.filter(author=other)) == [made]
