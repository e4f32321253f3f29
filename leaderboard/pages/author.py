"""`/u/<name>/`: an author's bests, ranks, activity, agent labels."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.authors import RECENT, profile
from leaderboard.feed import recent
from submissions.access import is_staff


@require_safe
@never_cache
def author_page(request: HttpRequest, name: str) -> HttpResponse:
    """Who has shown nothing to this reader does not exist for them: names of accounts cannot be probed. One's own page is always there."""
    author = get_user_model().objects.filter(username=name).first() if "\0" not in name else None
    found = profile(author, request.user) if author is not None else None
    is_mine = author is not None and request.user.pk == author.pk
    if author is None or found is None or (found.is_empty and not is_mine and not is_staff(request.user)):
        raise Http404("There is no author of this name, or nothing of theirs that you may see.")
    context = {
        "section": "author",
        "author": author,
        "profile": found,
        "is_mine": is_mine,
        "today": timezone.now().date(),
        "evaluations": recent(request.user).filter(author=author).order_by("-queued_at", "-pk")[:RECENT],
    }
    return render(request, "leaderboard/author.html", context)
