"""All that the site keeps of somebody, as one zip file: JSON, and the sources as they were handed in."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator
from typing import IO

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Prefetch, QuerySet

from kbweb.models import Token
from leaderboard.models import Entry, Record
from submissions.competitions.models import Membership
from submissions.decisions.models import Decision
from submissions.models import Evaluation, Submission
from submissions.webhooks.models import Webhook

README = """What this site keeps of {name}.

profile.json                      name, mail addresses, sign-in by GitHub
tokens.json                       API tokens: names, scopes, dates. The tokens themselves are not kept
webhooks.json                     addresses and what was sent to them, without their secrets
boards.json                       entries on boards, and records
decisions.json                    what moderators decided on evaluations
groups.json                       groups that you belong to
submissions.json                  every submission
submissions/ID/source/NAME        its source, as it was handed in
submissions/ID/evaluations.json   its evaluations with outcomes and logs

Times are UTC. Raw samples and files of profilers are not in here, because they are large: /api/v1/evaluations/ID/samples and
/api/v1/evaluations/ID/artefacts have them. docs/glossary.md explains the words.
"""
EVALUATION = (
    "id", "op", "device", "mode", "state", "verdict", "flags", "seed", "policy", "timer", "purpose", "epoch", "attempt", "queued_at",
    "started_at", "finished_at", "worker_seconds", "correctness_score", "speedup", "speedup_low", "speedup_high", "time_us",
    "outcome", "log",
)  # fmt: skip
SUBMISSION = (
    "id", "op", "kernel_type", "filename", "visibility", "agent", "parent_id", "idempotency_key", "source_sha256", "created_at",
)  # fmt: skip
FIGURES = ("op_id", "device_id", "epoch", "evaluation_id", "speedup", "speedup_low", "speedup_high", "time_us")
DECISION = ("evaluation_id", "kind", "reason", "made_at", "withdrawn_at", "withdrawn_because")
DELIVERY = ("id", "topic", "standing", "attempts", "status", "error", "created_at", "tried_at", "body")
AT_ONCE = 50


def write_export(user: User, file: IO[bytes]) -> None:
    """Write the zip to `file`, a few submissions at a time."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:

        def put(name: str, content: object) -> None:
            text = content if isinstance(content, str) else json.dumps(content, cls=DjangoJSONEncoder, indent=1, ensure_ascii=False)
            archive.writestr(name, text.encode("utf-8", "replace"))

        put("README.txt", README.format(name=user.get_username()))
        put("profile.json", _profile(user))
        put(
            "tokens.json",
            list(Token.objects.filter(user=user).values("token_key", "name", "scopes", "agent", "created", "expiry", "last_used_at")),
        )
        put("webhooks.json", [_webhook(webhook) for webhook in Webhook.objects.filter(user=user)])
        put("boards.json", _boards(user))
        put("decisions.json", list(Decision.objects.filter(evaluation__author=user).values(*DECISION)))
        put("groups.json", list(Membership.objects.filter(user=user).values("group__slug", "group__name", "is_owner", "joined_at")))
        listed = []
        for submission in _submissions(user):
            competition = submission.competition.slug if submission.competition else None
            listed.append({**{name: getattr(submission, name) for name in SUBMISSION}, "competition": competition})
            put(f"submissions/{submission.pk}/source/{submission.filename}", submission.source)
            put(f"submissions/{submission.pk}/evaluations.json", _values(submission.evaluations.all(), EVALUATION))
        put("submissions.json", listed)


def _submissions(user: User) -> Iterator[Submission]:
    runs = Prefetch("evaluations", Evaluation.objects.order_by("queued_at", "pk"))
    return (
        Submission.objects.filter(author=user)
        .select_related("competition")
        .order_by("created_at", "pk")
        .prefetch_related(runs)
        .iterator(chunk_size=AT_ONCE)
    )


def _profile(user: User) -> dict[str, object]:
    return {
        "username": user.username,
        "email": user.email,
        "email_addresses": list(EmailAddress.objects.filter(user=user).values("email", "verified", "primary")),
        "signs_in_by": list(SocialAccount.objects.filter(user=user).values("provider", "uid", "date_joined", "last_login", "extra_data")),
        "has_password": user.has_usable_password(),
        "is_staff": user.is_staff,
        "date_joined": user.date_joined,
        "last_login": user.last_login,
    }


def _webhook(webhook: Webhook) -> dict[str, object]:
    own = ("id", "url", "topics", "active", "off_because", "created_at")
    return {**{name: getattr(webhook, name) for name in own}, "deliveries": list(webhook.deliveries.values(*DELIVERY))}


def _boards(user: User) -> dict[str, object]:
    entries: QuerySet[Entry] = Entry.objects.filter(author=user)
    return {
        "entries": list(entries.values(*FIGURES, "confirmation", "achieved_at")),
        "records": list(Record.objects.filter(author=user).values(*FIGURES, "held_from", "held_until", "ended_by")),
    }


def _values(rows: Iterable[Evaluation], names: tuple[str, ...]) -> list[dict[str, object]]:
    return [{name: getattr(row, name) for name in names} for row in rows]
