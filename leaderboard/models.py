"""Ops and devices as rows, the entries that stand on a board, and the records that fell there."""

from __future__ import annotations

from functools import reduce
from operator import or_

from django.conf import settings
from django.db import models
from django.utils import timezone

from leaderboard.eligibility import eligible
from submissions.models import Evaluation


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
    """A hardware class. A leaderboard is per (op, device). `facts` are its ceilings: bytes/s and FLOP/s per precision."""

    slug = models.CharField(primary_key=True, max_length=32)
    title = models.CharField(max_length=80)
    kind = models.CharField(max_length=8, default="cuda")
    facts = models.JSONField(default=dict)
    position = models.PositiveIntegerField(default=0)
    active = models.BooleanField(default=True)

    class Meta:
        ordering = ("position", "slug")

    def __str__(self) -> str:
        return self.slug


class EntryQuerySet(models.QuerySet["Entry"]):
    """Entries by name of what is wanted."""

    def eligible(self) -> EntryQuerySet:
        """Entries whose evaluation may stand on a board now (a moderator's decision takes effect at once)."""
        return self.filter(eligible("evaluation__"))

    def on(self, op: str, device: str) -> EntryQuerySet:
        return self.filter(op_id=op, device_id=device)

    def best_first(self) -> EntryQuerySet:
        """By speedup; among equals, who had it first."""
        return self.order_by("-speedup", "achieved_at", "pk")

    def for_rows(self) -> EntryQuerySet:
        """With all that a row shows in one query, and without the large columns (outcome, log, source)."""
        return self.select_related("author", "evaluation__submission").defer(
            "evaluation__outcome", "evaluation__log", "evaluation__build", "evaluation__submission__source"
        )


class Entry(models.Model):
    """The best eligible evaluation of one author on one (op, device); what a leaderboard row shows.

    Figures are medians over all runs of the same normalised source by that author; `evaluation` is the run nearest to the median.
    `interpreted` entries (Triton's interpreter on `cpu`) are ranked apart and never hold a record. `confirmed` when the source was
    run again in enough fresh processes with new seeds.
    """

    op = models.ForeignKey(Op, on_delete=models.CASCADE, related_name="entries")
    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="entries")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="entries")
    interpreted = models.BooleanField(default=False)
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
    confirmed = models.BooleanField(default=False)
    achieved_at = models.DateTimeField(default=timezone.now, help_text="When this source first finished here.")
    updated_at = models.DateTimeField(default=timezone.now)

    objects = EntryQuerySet.as_manager()

    class Meta:
        ordering = ("-speedup",)
        constraints = [models.UniqueConstraint(fields=["op", "device", "author", "interpreted"], name="one_entry_per_author_and_board")]
        indexes = [
            models.Index(fields=["op", "device", "interpreted", "-speedup"]),
            models.Index(fields=["-achieved_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.author} on {self.op_id}/{self.device_id}: {self.speedup:.3f}x"


class Record(models.Model):
    """An entry that took rank 1, and the time during which it held. `held_until` None: it stands.

    A tie takes no record: a record falls when its holder's entry leaves the first band.
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
