"""Groups, who belongs to them, links that let people in, and competitions: boards of their own with an opening and a closing time."""

from __future__ import annotations

import datetime as dt
import enum
import secrets

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.db import models
from django.utils import timezone
from django.utils.text import slugify

from evaluator.close_names import did_you_mean
from evaluator.devices import DEVICES
from evaluator.ops.registry import UnknownOp
from evaluator.ops.untimed import why_untimed
from submissions.known_ops import find

MAX_BOARDS = 100
MAX_ABOUT = 2000
MAX_RULES = 20_000
MOST_WRONG = 5
"""Ops that are named as wrong: looking for what was meant takes time, and nobody reads more."""
LONGEST = dt.timedelta(days=400)


def new_slug(name: str) -> str:
    """A readable slug that nobody can guess: it must not tell whether a private group or competition of some name exists."""
    return f"{slugify(name)[:40].strip('-') or 'x'}-{secrets.token_hex(4)}"


def new_key() -> str:
    return secrets.token_urlsafe(24)


class Group(models.Model):
    """People who see each other's competitions. Only they (and staff) know that it exists."""

    slug = models.SlugField(primary_key=True, max_length=60, editable=False)
    name = models.CharField(max_length=80)
    about = models.TextField(blank=True, default="", validators=[MaxLengthValidator(MAX_ABOUT)])
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("name", "slug")

    def __str__(self) -> str:
        return self.name

    def save(self, *args: object, **kwargs: object) -> None:
        self.slug = self.slug or new_slug(self.name)
        super().save(*args, **kwargs)  # type: ignore[arg-type]


class Membership(models.Model):
    """Somebody belongs to a group. Owners invite, remove and make competitions; a group has at least one as long as the account lasts."""

    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    is_owner = models.BooleanField(default=False)
    joined_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("-is_owner", "joined_at", "pk")
        constraints = [models.UniqueConstraint(fields=["group", "user"], name="one_membership_per_person")]

    def __str__(self) -> str:
        return f"{self.user} in {self.group}"


class Phase(enum.StrEnum):
    """Where a competition is in time; a closed one stays to read."""

    COMING = "coming"
    OPEN = "open"
    CLOSED = "closed"


class Admission(models.TextChoices):
    """Who may see a competition, and who may take part."""

    PUBLIC = "public", "Public: everybody sees it, whoever is signed in may take part"
    INVITATION = "invitation", "By invitation: the members of its group alone see it and take part"


class CompetitionQuerySet(models.QuerySet["Competition"]):
    """Competitions by phase. Opening is the first moment of being open, closing the first of being closed."""

    def in_phase(self, phase: Phase, now: dt.datetime) -> CompetitionQuerySet:
        if phase is Phase.COMING:
            return self.filter(opens_at__gt=now)
        if phase is Phase.OPEN:
            return self.filter(opens_at__lte=now, closes_at__gt=now)
        return self.filter(closes_at__lte=now)

    def covering(self, op: str, device: str) -> CompetitionQuerySet:
        return self.filter(ops__contains=[op], devices__contains=[device])


class Competition(models.Model):
    """Boards of its own for chosen ops and devices, for what is handed in between two moments.

    What is handed in to it is stored as private and shared with those who may see the competition: the result at once, the source of its
    entries from the closing time on (`submissions/access.py`).
    """

    slug = models.SlugField(max_length=60, unique=True, editable=False)
    title = models.CharField(max_length=80)
    group = models.ForeignKey(Group, null=True, blank=True, on_delete=models.CASCADE, related_name="competitions")
    admission = models.CharField(max_length=10, choices=Admission.choices, default=Admission.INVITATION)
    ops = models.JSONField(default=list, help_text="Slugs of the ops, in the order in which they are shown.")
    devices = models.JSONField(default=list, help_text="Slugs of the devices.")
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    rules = models.TextField(blank=True, default="", validators=[MaxLengthValidator(MAX_RULES)], help_text="Markdown.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = CompetitionQuerySet.as_manager()

    class Meta:
        ordering = ("-opens_at", "pk")
        constraints = [
            models.CheckConstraint(name="it_closes_after_it_opens", condition=models.Q(closes_at__gt=models.F("opens_at"))),
            models.CheckConstraint(
                name="by_invitation_means_of_a_group", condition=models.Q(admission="public") | models.Q(group__isnull=False)
            ),
        ]
        indexes = [models.Index(fields=["closes_at"], name="competitions_by_closing")]

    def __str__(self) -> str:
        return self.title

    def save(self, *args: object, **kwargs: object) -> None:
        self.slug = self.slug or new_slug(self.title)
        super().save(*args, **kwargs)  # type: ignore[arg-type]

    def phase_at(self, now: dt.datetime) -> Phase:
        if now < self.opens_at:
            return Phase.COMING
        return Phase.OPEN if now < self.closes_at else Phase.CLOSED

    @property
    def phase(self) -> Phase:
        return self.phase_at(timezone.now())

    @property
    def is_public(self) -> bool:
        return self.admission == Admission.PUBLIC

    @property
    def boards(self) -> list[tuple[str, str]]:
        """(op, device) of each of its boards."""
        return [(op, device) for op in self.ops for device in self.devices]

    def clean(self) -> None:
        """Raises `ValidationError` with what is wrong beside its field."""
        errors: dict[str, str] = {}
        if self._state.adding or not self.opens_at or timezone.now() < self.opens_at:  # later an op may have left the catalogue
            errors = {name: found for name, found in (("ops", _wrong_ops(self.ops)), ("devices", _wrong_devices(self.devices))) if found}
            if not errors and (wrong := _wrong_boards(self.boards)):
                errors["ops"] = wrong
        if self.admission == Admission.INVITATION and self.group is None:
            errors["group"] = "A competition by invitation belongs to a group: its members are the invited."
        if self.opens_at and self.closes_at:
            if self.closes_at <= self.opens_at:
                errors["closes_at"] = "It must close after it opens."
            elif self.closes_at - self.opens_at > LONGEST:
                errors["closes_at"] = f"It may be open for at most {LONGEST.days} days."
        if errors:
            raise ValidationError(errors)


class Invitation(models.Model):
    """A link that makes whoever follows it a member of a group, until it expires or is revoked. `competition`: where it leads then."""

    key = models.CharField(primary_key=True, max_length=40, default=new_key, editable=False)
    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="invitations")
    competition = models.ForeignKey(Competition, null=True, blank=True, on_delete=models.SET_NULL, related_name="invitations")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    used = models.PositiveIntegerField(default=0, editable=False, help_text="How many people joined by it.")

    class Meta:
        ordering = ("-created_at", "pk")

    def __str__(self) -> str:
        return f"invitation to {self.group} until {self.expires_at:%Y-%m-%d}"

    def is_live(self, now: dt.datetime) -> bool:
        return self.revoked_at is None and now < self.expires_at


def _wrong_ops(ops: object) -> str:
    if not isinstance(ops, list) or not ops or not all(isinstance(op, str) for op in ops):
        return "Name at least one op by its slug."
    if len(ops) > MAX_BOARDS:
        return f"These are {len(ops)} ops; at most {MAX_BOARDS} boards are taken."
    if len(set(ops)) != len(ops):
        return "An op is named twice."
    wrong = []
    for op in ops:
        try:
            find(op)
        except UnknownOp as unknown:
            wrong.append(f"There is no op {op[:80]!r}." + did_you_mean(unknown.close))
        if len(wrong) == MOST_WRONG:
            break
    return " ".join(wrong)


def _wrong_boards(boards: list[tuple[str, str]]) -> str:
    if len(boards) > MAX_BOARDS:
        return f"These ops and devices make {len(boards)} boards; at most {MAX_BOARDS} are taken."
    untimed = [op for op, device in boards if why_untimed(find(op), device)]
    return f"{untimed[0]} cannot be ranked on every device that you chose: it has no performance case there." if untimed else ""


def _wrong_devices(devices: object) -> str:
    if not isinstance(devices, list) or not devices:
        return f"Name at least one device: {', '.join(DEVICES)}."
    wrong = [str(device)[:40] for device in devices if device not in DEVICES]
    if wrong:
        return f"There is no device {wrong[0]!r}. There are {', '.join(DEVICES)}."
    return "A device is named twice." if len(set(devices)) != len(devices) else ""
