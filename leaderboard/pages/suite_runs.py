"""`/runs/`: what `kb baseline --tag` measured, run by run, and one run held against another."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from evaluator.baselines.fingerprint import PARTS
from leaderboard.baseline_models import SuiteRun
from leaderboard.suite_runs import LATEST, comparison, latest, lines, sums


@require_safe
@never_cache
def suite_runs(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboard/runs.html", {"section": "results", "runs": latest(), "most": LATEST})


@require_safe
@never_cache
def suite_run(request: HttpRequest, tag: str) -> HttpResponse:
    """Everything that one run measured; with `?against=<tag>` how many times as fast that is as in another."""
    run = get_object_or_404(SuiteRun.objects.select_related("device"), tag=tag)
    asked = request.GET.get("against", "").replace("\0", "")
    base = get_object_or_404(SuiteRun.objects.select_related("device"), tag=asked) if asked else None
    context = {
        "section": "results",
        "run": run,
        "machine": [(part, run.environment.get(part)) for part in PARTS],
        "asked": asked,
        "others": SuiteRun.objects.filter(device=run.device_id).exclude(pk=run.pk).values_list("tag", flat=True)[:LATEST],
        "found": comparison(base, run) if base else None,
        "lines": [] if base else lines(run),
        "sums": sums([run])[0],
    }
    return render(request, "leaderboard/run.html", context)
