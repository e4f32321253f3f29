"""`/me/`: my submissions, and what I may still hand in."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from submissions.models import HOUSE, Evaluation, Submission
from submissions.pages.quotas import api_rate, quotas
from submissions.pages.way_back import login_required
from submissions.webhooks.models import Webhook

PAGE = 50


@login_required
@never_cache
def me(request: HttpRequest) -> HttpResponse:
    asked_for = Evaluation.objects.exclude(purpose__in=HOUSE).light().order_by("queued_at")
    mine = Submission.objects.filter(author_id=request.user.pk).defer("source").prefetch_related(Prefetch("evaluations", asked_for))
    assert request.user.is_authenticated
    context = {
        "page": Paginator(mine, PAGE).get_page(request.GET.get("page")),
        "quotas": quotas(request.user),
        "api_rate": api_rate(),
        "switched_off": Webhook.objects.filter(user=request.user, active=False).exclude(off_because=""),
        "section": "me",
        "tab": "submissions",
    }
    return render(request, "submissions/me.html", context)
