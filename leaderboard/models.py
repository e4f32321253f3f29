"""Ops and devices as rows, the entries that stand on a board, and the records that fell there."""

from __future__ import annotations

from functools import reduce
from operator import or_

from django.conf import settings
from django.db import models
from django.utils import timezone

from evaluator.contract import EPOCH, Verdict
from leaderboard.bands import Interval
from leaderboard.eligibility import OPEN_TO_ALL
from leaderboard.entry_queries import EntryQuerySet
from submissions.competitions.models import Competition
from submissions.confirming import Confirmation
from submissions.models import LARGE, Evaluation


class OpQuerySet(models.QuerySet["Op"]):
    """Ops by name of what is wanted."""

    def active(self) -> OpQuerySet:
        return self.filter(active=True)

    def search(self, *, suite: str = "", tag: str = "", text: str = "") -> OpQuerySet:
        """Of a suite, with a tag, with every word of `text` in slug, title, summary or signature; empty means any."""
        found = self
        if suite:
            found = found.filter(suites__contains=[suite])
        if tag:
            found = found.filter(tags__contains=[tag])
        for word in text.replace("\0", " ").split():
            fields = ("slug", "title", "summary", "signature")
            found = found.filter(reduce(or_, (models.Q(**{f"{field}__icontains": word}) for field in fields)))
        return found


class Op(models.Model):
    """A row of the catalogue, loaded from the evaluator's registry. `definition` is what pages and the API show of it."""

    slug = models.CharField(primary_key=True, max_length=200)
    title = models.CharField(max_length=120)
    summary = models.TextField(blank=True, default="")
    signature = models.TextField()
    precision = models.CharField(max_length=16)
    suites = models.JSONField(default=list)
    tags = models.JSONField(default=list)
    definition = models.JSONField(default=dict)
    position = models.PositiveIntegerField(default=0)
    active = models.BooleanField(default=True)

    objects = OpQuerySet.as_manager()

    class Meta:
        ordering = ("position", "slug")

    def __str__(self) -> str:
        return self.slug


class OpDocument(models.Model):
    """An imported op as data: what the evaluator judges by (`docs/recorded-ops.md`). Ops of the registry have none."""

    op = models.OneToOneField(Op, on_delete=models.CASCADE, primary_key=True, related_name="given")
    document = models.JSONField()
    source = models.CharField(max_length=40)
    imported_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.op_id} from {self.source}"


class Device(models.Model):
    """A hardware class. A leaderboard is per (op, device). `facts` are its ceilings: bytes/s and FLOP/s per precision.

    `environment` is what the worker that started last said of its machine: it stays when the worker is gone.
    """

    slug = models.CharField(primary_key=True, max_length=32)
    title = models.CharField(max_length=80)
    kind = models.CharField(max_length=8, default="cuda")
    facts = models.JSONField(default=dict)
    environment = models.JSONField(default=dict, blank=True)
    position = models.PositiveIntegerField(default=0)
    active = models.BooleanField(default=True)

    class Meta:
        ordering = ("position", "slug")

    def __str__(self) -> str:
        return self.slug


class Entry(models.Model):
    """The best eligible evaluation of one author on one (op, device) in one epoch; what a leaderboard row shows.

    Figures are medians over all runs of the same normalised source by that author, and once the source is confirmed over its confirming
    runs alone (`submissions/confirming.py`); `evaluation` is the run nearest to the median. `interpreted` entries (Triton's interpreter
    on `cpu`) are ranked apart and never hold a record. Entries of an earlier epoch stay as they were. Those of a competition stand on its
    boards alone, those without one on the open boards.
    """

    op = models.ForeignKey(Op, on_delete=models.CASCADE, related_name="entries")
    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="entries")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="entries")
    interpreted = models.BooleanField(default=False)
    epoch = models.PositiveSmallIntegerField(default=1)
    competition = models.ForeignKey(Competition, null=True, blank=True, on_delete=models.CASCADE, related_name="entries", db_index=False)
    evaluation = models.OneToOneField(Evaluation, on_delete=models.CASCADE, related_name="entry")
    normalised_sha256 = models.CharField(max_length=64)
    speedup = models.FloatField()
    speedup_low = models.FloatField()
    speedup_high = models.FloatField()
    time_us = models.FloatField(help_text="Geometric mean of the performance cases' median times, in microseconds.")
    time_error_us = models.FloatField(null=True, help_text="Half-width of the 95 % interval of time_us.")
    baseline_us = models.FloatField(null=True, help_text="The same mean of torch_eager, timed beside it.")
    cases = models.PositiveIntegerField(default=0)
    cases_won = models.PositiveIntegerField(default=0, help_text="Performance cases whose interval lies above 1.")
    sol_share = models.FloatField(null=True, help_text="Geometric mean share of the speed of light.")
    audited = models.BooleanField(default=False, help_text="Whether the judge's own clock confirmed a case. A record needs it.")
    runs = models.PositiveIntegerField(default=1)
    confirmation = models.CharField(max_length=13, choices=Confirmation.choices, default=Confirmation.PROVISIONAL)
    confirming_runs = models.PositiveIntegerField(default=0, help_text="Those that were accepted and count.")
    stopped_by = models.ForeignKey(
        Evaluation,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The confirming run that refused the source. Empty, though it is not confirmed, where too many did not count.",
    )
    achieved_at = models.DateTimeField(default=timezone.now, help_text="When this source first finished here.")
    updated_at = models.DateTimeField(default=timezone.now)

    objects = EntryQuerySet.as_manager()

    class Meta:
        ordering = ("-speedup",)
        constraints = [
            models.UniqueConstraint(
                fields=["op", "device", "author", "interpreted", "epoch", "competition"],
                nulls_distinct=False,
                name="one_entry_per_author_board_and_epoch",
            )
        ]
        indexes = [
            models.Index(fields=["competition", "op", "device", "interpreted", "-speedup"], name="entries_of_a_board"),
            models.Index(fields=["-achieved_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.author} on {self.op_id}/{self.device_id}: {self.speedup:.3f}x"

    @property
    def confirmed(self) -> bool:
        return self.confirmation == Confirmation.CONFIRMED

    @property
    def interval(self) -> Interval:
        return Interval(self.speedup, self.speedup_low, self.speedup_high)


class RecordEnd(models.TextChoices):
    """Why a record stands no more. Empty: it stands, or ended before reasons were kept."""

    BEATEN = "beaten", "beaten"
    WITHDRAWN = "withdrawn", "withdrawn: a run of it does not count any more"
    EPOCH = "epoch", "closed with its epoch: the evaluator changed"


class RecordQuerySet(models.QuerySet["Record"]):
    """Records by name of what is wanted."""

    def current(self) -> RecordQuerySet:
        """Those that stand, in the evaluator's present epoch."""
        return self.filter(held_until__isnull=True, epoch=EPOCH)

    def shown(self) -> RecordQuerySet:
        """Those that anybody is told of, standing or not, with author and evaluation at hand and without the large columns.

        Neither one whose evaluation was refused since nor one of a hidden submission: the board has forgotten both.
        """
        seen = {"evaluation__verdict": Verdict.ACCEPTED, "evaluation__submission__visibility__in": OPEN_TO_ALL}
        large = [f"evaluation__{column}" for column in LARGE]
        return self.filter(**seen).select_related("author", "evaluation").defer(*large)

    def newer(self) -> RecordQuerySet:
        """Those that stand, of a later epoch than this process knows: it must leave their boards alone."""
        return self.filter(held_until__isnull=True, epoch__gt=EPOCH)

    def earlier(self) -> RecordQuerySet:
        """Those that stand, of an epoch that is over."""
        return self.filter(held_until__isnull=True, epoch__lt=EPOCH)


class Record(models.Model):
    """A confirmed source that led a board, and the time during which it did. `held_until` None: it stands.

    Its figures are the medians of its confirming runs. A tie takes no record (`leaderboard/records.py`).
    """

    op = models.ForeignKey(Op, on_delete=models.CASCADE, related_name="records")
    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="records")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="records")
    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="records")
    normalised_sha256 = models.CharField(max_length=64)
    speedup = models.FloatField()
    speedup_low = models.FloatField()
    speedup_high = models.FloatField()
    time_us = models.FloatField()
    held_from = models.DateTimeField(default=timezone.now)
    held_until = models.DateTimeField(null=True, blank=True)
    epoch = models.PositiveSmallIntegerField(default=1)
    ended_by = models.CharField(max_length=10, choices=RecordEnd.choices, blank=True, default="")

    objects = RecordQuerySet.as_manager()

    class Meta:
        ordering = ("held_from", "pk")
        constraints = [
            models.UniqueConstraint(
                fields=["op", "device"], condition=models.Q(held_until__isnull=True), name="one_standing_record_per_board"
            ),
        ]
        indexes = [models.Index(fields=["op", "device", "held_from"])]

    def __str__(self) -> str:
        return f"{self.op_id}/{self.device_id}: {self.speedup:.3f}x by {self.author}"

    @property
    def interval(self) -> Interval:
        return Interval(self.speedup, self.speedup_low, self.speedup_high)


import leaderboard.baseline_models  # noqa: E402, F401 (tables of their own, in a file of their own)
