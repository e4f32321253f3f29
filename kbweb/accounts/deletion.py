"""Delete an account: what was its owner's alone goes, what boards and records rest on stays without a name.

Goes: name, mail addresses, password, GitHub link, tokens, webhooks, membership of groups, what was handed in to competitions, private and
result-only sources, every submission on which no entry and no record rests, with its evaluations, logs, samples, files of profilers and
events. Stays: submissions that were public, or whose result was, and that carry an entry or a record: without them the history of a board
would be false. Their author is then `deleted-…`. A source that only its author could read is erased even so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from evaluator.contract import State
from kbweb.accounts.names import DELETED
from leaderboard.locks import lock_board
from leaderboard.models import Entry, Record
from submissions.models import Artefact, Evaluation, Event, Stream, Submission, Visibility, new_id
from submissions.quota import one_at_a_time
from submissions.redact import redact_event, redact_outcome
from submissions.streams import FEED, board_stream, evaluation_stream
from submissions.webhooks.models import Delivery, Topic

STAYS = frozenset({"submissions", "evaluations", "entries", "records", "decisions_made", "decisions_withdrawn"})
"""Names of the relations to an account that keep its nameless row. Rows of every other relation are deleted; a test lists them."""
SAYS_MUCH = ("log", "case", "note", "timing")
"""Kinds of events that show what a source does."""


class LastAdministrator(Exception):
    """A site needs one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many submissions go, stay as they are, and stay without their source."""

    goes: int
    stays: int
    without_source: int


def plan(user: User) -> Plan:
    stays = staying(user)
    kept = stays.count()
    locked = stays.exclude(visibility=Visibility.PUBLIC).count()
    return Plan(Submission.objects.filter(author=user).count() - kept, kept - locked, locked)


def staying(user: User) -> QuerySet[Submission]:
    """The submissions that stay: seen by others, and of a source that has an entry or a record."""
    source = {"author": OuterRef("author"), "op": OuterRef("op"), "normalised_sha256": OuterRef("normalised_sha256")}
    rests = Exists(Entry.objects.filter(**source, competition=None)) | Exists(Record.objects.filter(**source))
    return Submission.objects.filter(rests, author=user).exclude(visibility=Visibility.PRIVATE)


def is_last_administrator(user: User) -> bool:
    return user.is_superuser and not User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk).exists()


def delete_account(user: User) -> None:
    """All in one transaction; what is being judged is dropped by its worker. Raises `LastAdministrator`.

    Locks in the order of `docs/architecture.md`, behind the one that holds off hand-ins.
    """
    if is_last_administrator(user):
        raise LastAdministrator
    with transaction.atomic():
        one_at_a_time(user)
        own = Evaluation.objects.filter(author=user)
        list(own.exclude(state=State.DONE).order_by("pk").select_for_update().values_list("pk"))
        boards = sorted(own.order_by().values_list("op", "device").distinct())
        for op, device in boards:
            lock_board(op, device)
        stays = list(staying(user).values_list("pk", flat=True))
        goes = Submission.objects.filter(author=user).exclude(pk__in=stays)
        shared = [FEED, *(board_stream(op, device) for op, device in boards)]
        _forget_events(goes, shared)
        name = f"{DELETED}{new_id()[:6]}"
        _rename(shared, user.get_username(), name)
        dropped = list(own.filter(submission__in=stays).exclude(state=State.DONE).values_list("pk", flat=True))
        _drop_streams(dropped)
        Evaluation.objects.filter(pk__in=dropped).delete()
        goes.only("pk").delete()
        if stays:
            _erase(Submission.objects.filter(pk__in=stays))
            _take_the_name(user, name)
        else:
            user.delete()


def _forget_events(goes: QuerySet[Submission], shared: list[str]) -> None:
    """Streams of the evaluations that go, and what others' streams say of them."""
    _drop_streams(Evaluation.objects.filter(submission__in=goes).values_list("pk", flat=True))
    Event.objects.filter(stream__in=shared, data__submission__in=list(goes.values_list("pk", flat=True))).delete()


def _drop_streams(evaluations: Iterable[str]) -> None:
    own = [evaluation_stream(pk) for pk in evaluations]
    Event.objects.filter(stream__in=own).delete()
    Stream.objects.filter(name__in=own).delete()


def _erase(submissions: QuerySet[Submission]) -> None:
    """Labels that could name somebody, and sources that only the author could read, with all that shows them."""
    submissions.update(agent="", filename="submission.py", idempotency_key=None)
    locked = submissions.exclude(visibility=Visibility.PUBLIC)
    evaluations = Evaluation.objects.filter(submission__in=locked)
    Artefact.objects.filter(evaluation__in=evaluations).delete()
    for evaluation in evaluations.only("pk", "outcome").iterator(chunk_size=50):
        outcome = redact_outcome(evaluation.outcome) if isinstance(evaluation.outcome, dict) else evaluation.outcome
        Evaluation.objects.filter(pk=evaluation.pk).update(outcome=outcome, log="", build=None)
        told = Event.objects.filter(stream=evaluation_stream(evaluation.pk))
        told.filter(kind__in=SAYS_MUCH).delete()
        for event in told.filter(kind="verdict"):
            event.data = redact_event(event.kind, event.data)
            event.save(update_fields=["data"])
    locked.update(source="")


def _rename(streams: list[str], before: str, name: str) -> None:
    """In what others' streams, and what was written to others' webhooks, still say of the author."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE submissions_event SET data = jsonb_set(data, '{author}', to_jsonb(%s::text))"
            " WHERE stream = ANY(%s) AND data->>'author' = %s",
            [name, streams, before],
        )
    for delivery in Delivery.objects.filter(topic=Topic.RECORD_LOST, body__contains=json.dumps(before)):
        body = json.loads(delivery.body)
        if (taken_by := body["data"].get("taken_by")) and taken_by["author"] == before:
            taken_by["author"] = name
            delivery.body = json.dumps(body)
            delivery.save(update_fields=["body"])


def _take_the_name(user: User, name: str) -> None:
    """Leave of the account a row that nobody can sign in to."""
    for relation in user._meta.related_objects:
        if relation.get_accessor_name() not in STAYS:
            relation.related_model._default_manager.filter(**{relation.field.name: user}).delete()
    user.groups.clear()
    user.user_permissions.clear()
    user.username = name
    user.email = user.first_name = user.last_name = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    user.set_unusable_password()
    user.save()
