"""`/ops/` and `/ops/<slug>/`: the catalogue, and the contract of one op."""

from __future__ import annotations

from collections.abc import Container, Sequence

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard import shelf
from leaderboard.models import Device, Op
from leaderboard.overview import summaries
from leaderboard.pages.asked import asked_for, query
from leaderboard.pages.contract import contract
from submissions.access import Reader, visible_evaluations
from submissions.models import HOUSE, Evaluation
from submissions.pages.devices import offers

OWN = 5
"""How many evaluations of one's own the page of an op shows."""


@require_safe
@vary_on_headers("HX-Request")
def ops(request: HttpRequest) -> HttpResponse:
    """The ops that match the filters in the address, a page at a time; the list alone for a request with `HX-Request`."""
    asked = asked_for(request, shelf.FILTERS, shelf.KNOWN)
    pages = Paginator(shelf.search(asked).defer("definition"), shelf.PAGE)
    page = pages.get_page(request.GET.get("page"))
    context: dict[str, object] = {
        "section": "ops",
        "asked": asked,
        "filtered": any(asked.values()),
        "page": page,
        "ops": summaries(list(page.object_list), device=asked["device"]),
        "newer": query(asked, page=page.previous_page_number()) if page.has_previous() else "",
        "older": query(asked, page=page.next_page_number()) if page.has_next() else "",
    }
    if request.headers.get("HX-Request"):
        return render(request, "leaderboard/_ops.html", context)
    return render(request, "leaderboard/ops.html", context | {"choices": shelf.choices()})


@require_safe
def op(request: HttpRequest, slug: str) -> HttpResponse:
    """What a kernel for this op must do, on which inputs, how exactly; starters, and boards. `?device=` chooses the cases."""
    found = get_object_or_404(Op, pk=slug)
    devices = list(Device.objects.filter(active=True))
    (summary,) = summaries([found])
    standing = {board.device.slug: board for board in summary.boards}
    chosen = request.GET.get("device", "")
    if chosen not in {device.slug for device in devices}:
        chosen = _first_choice([device.slug for device in devices], set(standing))
    context = {
        "section": "ops",
        "op": found,
        "contract": contract(found.definition, chosen),
        "devices": devices,
        "chosen": chosen,
        "boards": [(device, standing.get(device.slug)) for device in devices],
        "mine": _own(request.user, slug),
    }
    return render(request, "leaderboard/op.html", context)


def _first_choice(devices: Sequence[str], standing: Container[str]) -> str:
    """The device whose cases are shown unasked: one with a worker, a GPU before the CPU; else one with entries."""
    served = {offer.slug for offer in offers() if offer.workers}
    return min(devices, key=lambda slug: (slug not in served, slug == "cpu" and slug in served, slug not in standing), default="")


def _own(reader: Reader, slug: str) -> list[Evaluation]:
    """The reader's last evaluations of the op, newest first."""
    if not reader.is_authenticated:
        return []
    own = visible_evaluations(reader).filter(author_id=reader.pk, op=slug).exclude(purpose__in=HOUSE)
    return list(own.light().order_by("-queued_at")[:OWN])


@require_safe
def starter(request: HttpRequest, slug: str, kernel_type: str) -> HttpResponse:
    """A starter file as a download."""
    found = get_object_or_404(Op, pk=slug)
    text = found.definition.get("starters", {}).get(kernel_type)
    if text is None:
        raise Http404(f"{slug} has no starter file for {kernel_type}.")
    response = HttpResponse(text, content_type="text/x-python; charset=utf-8")
    name = slug.rpartition("/")[2]
    response["Content-Disposition"] = f'attachment; filename="{name}_{kernel_type}.py"'
    return response
