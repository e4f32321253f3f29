"""Ops and devices as rows, and the entries that stand on a board."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from submissions.models import Evaluation


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

    class Meta:
        ordering = ("position", "slug")

    def __str__(self) -> str:
        return self.slug


class Device(models.Model):
    """A hardware class. A leaderboard is per (op, device)."""

    slug = models.CharField(primary_key=True, max_length=32)
    title = models.CharField(max_length=80)
    position = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("position", "slug")

    def __str__(self) -> str:
        return self.slug


class Entry(models.Model):
    """The best eligible evaluation of one author on one (op, device); what a leaderboard row shows.

    `speedup` is the median over all runs of the same normalised source by that author; `interpreted` entries (Triton's
    interpreter on `cpu`) are ranked apart and never hold a record.
    """

    op = models.ForeignKey(Op, on_delete=models.CASCADE, related_name="entries")
    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="entries")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="entries")
    interpreted = models.BooleanField(default=False)
    evaluation = models.OneToOneField(Evaluation, on_delete=models.CASCADE, related_name="entry")
    speedup = models.FloatField()
    speedup_low = models.FloatField()
    speedup_high = models.FloatField()
    time_us = models.FloatField()
    runs = models.PositiveIntegerField(default=1)
    confirmed = models.BooleanField(default=False)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-speedup",)
        constraints = [models.UniqueConstraint(fields=["op", "device", "author", "interpreted"], name="one_entry_per_author_and_board")]
        indexes = [models.Index(fields=["op", "device", "interpreted", "-speedup"])]

    def __str__(self) -> str:
        return f"{self.author} on {self.op_id}/{self.device_id}: {self.speedup:.3f}x"
