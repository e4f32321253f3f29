"""A submission, its evaluations, their events, and the workers that judge them."""

from __future__ import annotations

import datetime as dt
import secrets

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from evaluator.contract import ArtefactKind, KernelType, Mode, Policy, State, Timer, Verdict
from submissions.competitions.models import Competition
from submissions.limits import WORKER_GONE_S
from submissions.terms import Terms

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"


def new_id() -> str:
    """A public id: 12 characters without look-alikes (59 bits), so that ids cannot be counted or guessed."""
    return "".join(secrets.choice(ALPHABET) for _ in range(12))


class Visibility(models.TextChoices):
    PUBLIC = "public", "Public: anyone can read the source"
    RESULT = "result", "Result only: the result is public, the source is yours alone"
    PRIVATE = "private", "Private: only you can see it, and it never enters a board"


class Purpose(models.TextChoices):
    """Why an evaluation was handed in. The last two are the house's own: the site's, not the author's."""

    HAND_IN = "hand_in", "came with its submission"
    RERUN = "rerun", "its author had the submission run again"
    CONFIRMING = "confirming", "the site confirms who leads a board"
    HOUSE = "house", "the site runs the submission again"


HOUSE = (Purpose.CONFIRMING, Purpose.HOUSE)
"""They cost their author neither quota nor fair share, wait behind everybody's own work, and are cancelled by staff alone."""


class Submission(models.Model):
    """One upload. Never changed after it was made.

    One that was handed in to a competition is private but for what the competition opens (`submissions/access.py`): whatever knows nothing
    of competitions shows it to nobody, and it stays so when the competition is deleted. What staff hide is private too; `hidden_at` says
    that its competition shows it to nobody either.
    """

    id = models.CharField(primary_key=True, max_length=12, default=new_id, editable=False)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="submissions")
    op = models.CharField(max_length=200)
    kernel_type = models.CharField(max_length=16, choices=[(k.value, k.value) for k in KernelType])
    filename = models.CharField(max_length=120, default="submission.py")
    source = models.TextField()
    source_sha256 = models.CharField(max_length=64)
    normalised_sha256 = models.CharField(max_length=64)
    visibility = models.CharField(max_length=8, choices=Visibility.choices, default=Visibility.PUBLIC)
    competition = models.ForeignKey(Competition, null=True, blank=True, on_delete=models.SET_NULL, related_name="submissions")
    hidden_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Since when staff hide it: its author's and theirs alone."
    )
    agent = models.CharField(max_length=80, blank=True, default="")
    parent = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="children",
        help_text="The earlier submission that its author edited; its author could read that one's source.",
    )
    idempotency_key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001 (NULL means none, and NULLs never collide)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("-created_at",)
        constraints = [
            models.UniqueConstraint(fields=["author", "idempotency_key"], name="one_submission_per_idempotency_key"),
            models.CheckConstraint(
                name="in_a_competition_means_private", condition=models.Q(competition__isnull=True) | models.Q(visibility="private")
            ),
        ]
        indexes = [models.Index(fields=["author", "-created_at"]), models.Index(fields=["op", "-created_at"])]

    def __str__(self) -> str:
        return f"{self.op} {self.kernel_type} {self.id}"


LARGE = ("outcome", "log", "build")
"""Columns of an evaluation that only its own page needs."""


class EvaluationQuerySet(models.QuerySet["Evaluation"]):
    """Evaluations by name of what is wanted."""

    def light(self) -> EvaluationQuerySet:
        """Without the large columns, its submission's source among them."""
        return self.defer(*LARGE, "submission__source")


class Evaluation(models.Model):
    """One run of a submission on one device in one mode.

    `attempt` fences writes: a worker may write only while `attempt` and `worker` are still its own. `outcome` is the evaluator's
    Outcome as JSON; `verdict`, `speedup` and the interval are copies of it for queries.
    """

    id = models.CharField(primary_key=True, max_length=12, default=new_id, editable=False)
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="evaluations")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="evaluations")
    op = models.CharField(max_length=200)
    device = models.CharField(max_length=32)
    mode = models.CharField(max_length=10, choices=[(m.value, m.value) for m in Mode], default=Mode.RANKED)
    state = models.CharField(max_length=10, choices=[(s.value, s.value) for s in State], default=State.QUEUED)
    verdict = models.CharField(max_length=20, choices=[(v.value, v.value) for v in Verdict], blank=True, default="")
    flags = models.JSONField(default=list, blank=True)
    seed = models.BigIntegerField(null=True, blank=True)
    policy = models.CharField(max_length=16, choices=[(p.value, p.value) for p in Policy], default=Policy.SCALED)
    timer = models.CharField(max_length=10, choices=[(t.value, t.value) for t in Timer], default=Timer.ABBA)
    purpose = models.CharField(max_length=10, choices=Purpose.choices, default=Purpose.HAND_IN)
    epoch = models.PositiveSmallIntegerField(default=1, help_text="Of the evaluator that ended it (`evaluator/epoch.py`).")

    attempt = models.PositiveSmallIntegerField(default=1)
    worker = models.CharField(max_length=120, blank=True, default="")
    claimed_at = models.DateTimeField(null=True, blank=True, help_text="When the worker that holds it took it.")
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    cancel_requested = models.BooleanField(default=False)

    queued_at = models.DateTimeField(default=timezone.now)
    state_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    worker_seconds = models.FloatField(default=0.0, help_text="Seconds that workers spent on it: the cost that fair share counts.")

    build = models.JSONField(null=True, blank=True, help_text="The build worker's report, for the device worker.")
    outcome = models.JSONField(null=True, blank=True)
    log = models.TextField(blank=True, default="")
    correctness_score = models.FloatField(null=True, blank=True)
    speedup = models.FloatField(null=True, blank=True)
    speedup_low = models.FloatField(null=True, blank=True)
    speedup_high = models.FloatField(null=True, blank=True)
    time_us = models.FloatField(null=True, blank=True, help_text="Geometric mean of the cases' median times, in microseconds.")

    objects = EvaluationQuerySet.as_manager()

    class Meta:
        ordering = ("-queued_at",)
        constraints = [
            models.CheckConstraint(
                name="a_verdict_exactly_when_done",
                condition=(models.Q(state="done") & ~models.Q(verdict="")) | (~models.Q(state="done") & models.Q(verdict="")),
            ),
        ]
        indexes = [
            models.Index(fields=["device", "state", "queued_at"], condition=~models.Q(state="done"), name="open_evaluations"),
            models.Index(fields=["op", "device", "verdict", "mode"]),
            models.Index(fields=["author", "-queued_at"]),
            models.Index(fields=["-queued_at"]),
            models.Index(fields=["finished_at"]),
            models.Index(fields=["op", "device", "author"], condition=models.Q(purpose="confirming"), name="confirming_evaluations"),
            models.Index(fields=["finished_at"], condition=models.Q(verdict="suspect"), name="suspect_evaluations"),
        ]

    def __str__(self) -> str:
        return f"{self.op} on {self.device} {self.id}: {self.verdict or self.state}"

    @property
    def terms(self) -> Terms:
        return Terms(Mode(self.mode), self.seed, Policy(self.policy), Timer(self.timer))

    @property
    def is_house(self) -> bool:
        """Whether the site handed it in by itself."""
        return self.purpose in HOUSE


class Samples(models.Model):
    """Raw samples of an evaluation's timed cases (`submissions/samples.py`), apart from the outcome that every page reads."""

    evaluation = models.OneToOneField(Evaluation, on_delete=models.CASCADE, primary_key=True, related_name="samples")
    packed = models.BinaryField(help_text="JSON, compressed by zlib.")

    def __str__(self) -> str:
        return f"samples of {self.evaluation_id}"


class Artefact(models.Model):
    """A file that a profiler left (`submissions/artefacts.py`). It shows the source, so who may read the source may read it."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="artefacts")
    name = models.CharField(max_length=80)
    kind = models.CharField(max_length=16, choices=[(k.value, k.value) for k in ArtefactKind])
    size_bytes = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64, help_text="Of its bytes before they were packed.")
    packed_bytes = models.PositiveIntegerField()
    packed = models.BinaryField(help_text="Its bytes, compressed by zlib.")

    class Meta:
        ordering = ("pk",)
        constraints = [models.UniqueConstraint(fields=["evaluation", "name"], name="one_artefact_per_name")]

    def __str__(self) -> str:
        return f"{self.name} of {self.evaluation_id}"


class Stream(models.Model):
    """A named stream of events and its last sequence number. The row lock on it puts the stream's events in order."""

    name = models.CharField(primary_key=True, max_length=250)
    last_seq = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return self.name


class Event(models.Model):
    """One event of a stream: `evaluation:<id>`, `board:<op>/<device>` or `feed`. Readers ask for rows after the last `seq` they saw."""

    stream = models.CharField(max_length=250)
    seq = models.BigIntegerField()
    at = models.DateTimeField(default=timezone.now)
    kind = models.CharField(max_length=32)
    data = models.JSONField(default=dict)

    class Meta:
        ordering = ("stream", "seq")
        constraints = [models.UniqueConstraint(fields=["stream", "seq"], name="one_event_per_seq")]

    def __str__(self) -> str:
        return f"{self.stream}#{self.seq} {self.kind}"


def lately_seen() -> models.Q:
    """Condition on a worker: it has reported itself within `WORKER_GONE_S`. Whoever has not is gone."""
    return models.Q(seen_at__gt=Now() - dt.timedelta(seconds=WORKER_GONE_S))


class WorkerQuerySet(models.QuerySet["Worker"]):
    """Workers by name of what is wanted."""

    def alive(self) -> WorkerQuerySet:
        return self.filter(lately_seen())

    def serving(self) -> WorkerQuerySet:
        """Those that are alive and take work."""
        return self.alive().filter(in_service=True)


class Worker(models.Model):
    """A worker process as it last reported itself."""

    name = models.CharField(primary_key=True, max_length=120)
    queue = models.CharField(max_length=64)
    device = models.CharField(max_length=32, blank=True, default="")
    device_name = models.CharField(max_length=120, blank=True, default="")
    host = models.CharField(max_length=120, default="")
    pid = models.PositiveIntegerField(default=0)
    in_service = models.BooleanField(default=True)
    note = models.TextField(blank=True, default="")
    environment = models.JSONField(default=dict, blank=True)
    sandbox = models.JSONField(default=dict, blank=True)
    calibration = models.JSONField(default=dict, blank=True, help_text="Ceilings measured there, or a note that says why there are none.")
    started_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)

    objects = WorkerQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


import submissions.decisions.models  # noqa: E402 (tables of their own, in files of their own)
import submissions.webhooks.models  # noqa: E402, F401
