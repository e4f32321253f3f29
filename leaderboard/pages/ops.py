"""`/ops/` and `/ops/<slug>/`: the catalogue, and the contract of one op."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard.models import Device, Op
from leaderboard.overview import home_ops
from leaderboard.pages.contract import contract


@require_safe
def ops(request: HttpRequest) -> HttpResponse:
    """All ops with their boards; `?q=`, `?suite=`, `?tag=` narrow the list."""
    asked = {name: request.GET.get(name, "").replace("\0", "").strip()[:100] for name in ("q", "suite", "tag")}
    shelf = Op.objects.filter(active=True).values_list("suites", "tags")
    context = {
        "section": "ops",
        "asked": asked,
        "ops": home_ops(text=asked["q"], suite=asked["suite"], tag=asked["tag"]),
        "suites": sorted({name for suites, _ in shelf for name in suites}),
        "tags": sorted({name for _, tags in shelf for name in tags}),
    }
    return render(request, "leaderboard/ops.html", context)


@require_safe
def op(request: HttpRequest, slug: str) -> HttpResponse:
    """What a kernel for this op must do, on which inputs, how exactly; starters, and boards. `?device=` chooses the cases."""
    found = get_object_or_404(Op, pk=slug)
    devices = list(Device.objects.filter(active=True))
    summary = next((one for one in home_ops(text=slug) if one.op.pk == slug), None)
    standing = {board.device.slug: board for board in summary.boards} if summary else {}
    chosen = request.GET.get("device", "")
    if chosen not in {device.slug for device in devices}:
        chosen = next(iter(standing), devices[0].slug if devices else "")
    context = {
        "section": "ops",
        "op": found,
        "contract": contract(found.definition, chosen),
        "devices": devices,
        "chosen": chosen,
        "boards": [(device, standing.get(device.slug)) for device in devices],
    }
    return render(request, "leaderboard/op.html", context)


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
