"""Baselines as `kb baseline` measures them, and runs over many ops that are kept under a tag."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from evaluator.baselines.figures import Clock, Status


class SuiteRun(models.Model):
    """One call of `kb baseline --tag`. `ops` and `names` are what was asked for; `ended_at` is NULL while it goes on, or when it broke off.

    `environment` is the machine's at the beginning.
    """

    tag = models.CharField(max_length=64, unique=True)
    device = models.ForeignKey("leaderboard.Device", on_delete=models.CASCADE, related_name="suite_runs")
    suite = models.CharField(max_length=64, blank=True, default="", help_text="Empty where ops were named one by one.")
    ops = models.JSONField(default=list)
    names = models.JSONField(default=list)
    environment = models.JSONField(default=dict)
    began_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-began_at", "-pk")

    def __str__(self) -> str:
        return f"{self.tag} on {self.device_id}"


class BaselineQuerySet(models.QuerySet["BaselineResult"]):
    """Baselines by name of what is wanted."""

    def current(self) -> BaselineQuerySet:
        """The newest row of each (op, device, name)."""
        names = ("op_id", "device_id", "name")
        return self.order_by(*names, "-measured_at", "-pk").distinct(*names)


class BaselineResult(models.Model):
    """A baseline of an op on a device as `kb baseline` measured it. The newest row of each (op, device, name) counts, older ones stay.

    `cases` are the evaluator's `CaseFigures` as JSON. `environment_sha256` and `command_sha256` tell whether it is stale.
    """

    run = models.ForeignKey(
        SuiteRun, on_delete=models.SET_NULL, null=True, blank=True, related_name="results", help_text="Where it was measured under a tag."
    )
    op = models.ForeignKey("leaderboard.Op", on_delete=models.CASCADE, related_name="baselines")
    device = models.ForeignKey("leaderboard.Device", on_delete=models.CASCADE, related_name="baselines")
    name = models.CharField(max_length=32)
    status = models.CharField(max_length=16, choices=[(s.value, s.value) for s in Status])
    clock = models.CharField(max_length=16, choices=[(c.value, c.value) for c in Clock])
    why = models.TextField(blank=True, default="", help_text="Why there are no figures.")
    time_us = models.FloatField(null=True, help_text="Geometric mean of the performance cases' median times, in microseconds.")
    eager_us = models.FloatField(null=True, help_text="The same mean of torch_eager, of the same minutes.")
    speedup = models.FloatField(null=True, help_text="Over torch_eager. Without an interval where it was not interleaved.")
    speedup_low = models.FloatField(null=True)
    speedup_high = models.FloatField(null=True)
    cases = models.JSONField(default=list)
    flags = models.JSONField(default=list)
    environment = models.JSONField(default=dict)
    environment_sha256 = models.CharField(max_length=32)
    command_sha256 = models.CharField(max_length=64, blank=True, default="")
    measured_at = models.DateTimeField(default=timezone.now)

    objects = BaselineQuerySet.as_manager()

    class Meta:
        ordering = ("op", "device", "name", "-measured_at")
        indexes = [models.Index(fields=["op", "device", "name", "-measured_at"], name="newest_baseline_first")]
        constraints = [
            models.CheckConstraint(
                name="a_time_or_a_reason",
                condition=models.Q(status="ok", time_us__isnull=False, why="")
                | (models.Q(status="unavailable", time_us__isnull=True) & ~models.Q(why="")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} on {self.op_id}/{self.device_id}: {self.status}"
