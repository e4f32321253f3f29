"""Which devices can be asked for, and whether a worker for them is there now."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from evaluator.devices import DEVICES
from submissions.models import Worker


@dataclass(frozen=True, slots=True)
class Offer:
    slug: str
    title: str
    workers: int

    @property
    def words(self) -> str:
        if not self.workers:
            return f"{self.title} (no worker now: it waits)"
        return f"{self.title} ({self.workers} worker{'s' if self.workers > 1 else ''})"


def offers() -> list[Offer]:
    """Every device class, those with a worker first."""
    alive = Worker.objects.serving().exclude(device="")
    counts = dict(alive.values_list("device").annotate(n=Count("pk")).order_by())
    found = [Offer(device.slug, device.title, counts.get(device.slug, 0)) for device in DEVICES.values()]
    return sorted(found, key=lambda offer: offer.workers == 0)
