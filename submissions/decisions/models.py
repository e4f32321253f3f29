"""A moderator's decision on one evaluation: an audit row that is never changed, but for its withdrawal."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from submissions.models import Evaluation, new_id


class Kind(models.TextChoices):
    """What was decided."""

    ACCEPT = "accept", "accepted as it is"
    REFUSE = "refuse", "refused"
    HIDE = "hide", "hidden"


class DecisionQuerySet(models.QuerySet["Decision"]):
    """Decisions by name of what is wanted."""

    def standing(self) -> DecisionQuerySet:
        return self.filter(withdrawn_at__isnull=True)

    def last_on_source(self, op: str, normalised_sha256: str) -> Decision | None:
        """The newest standing word on a source, accepted or refused, whoever handed it in and on whatever device."""
        source = {"evaluation__op": op, "evaluation__submission__normalised_sha256": normalised_sha256}
        return self.standing().filter(kind__in=(Kind.ACCEPT, Kind.REFUSE), **source).order_by("-made_at", "-pk").first()


class Decision(models.Model):
    """`batch` joins the decisions that were made in one go, on several runs of one source. The two `_before` are what withdrawal restores.

    An actor who deletes the account leaves the row without a name.
    """

    id = models.CharField(primary_key=True, max_length=12, default=new_id, editable=False)
    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="decisions")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    reason = models.TextField()
    batch = models.CharField(max_length=12, db_index=True)
    verdict_before = models.CharField(max_length=20)
    visibility_before = models.CharField(max_length=16)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="decisions_made")
    made_at = models.DateTimeField(default=timezone.now)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="decisions_withdrawn"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_because = models.TextField(blank=True, default="")

    objects = DecisionQuerySet.as_manager()

    class Meta:
        ordering = ("-made_at", "-pk")
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation"], condition=models.Q(withdrawn_at__isnull=True), name="one_standing_decision_per_evaluation"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.evaluation_id} {self.get_kind_display()}"

    @property
    def stands(self) -> bool:
        return self.withdrawn_at is None
