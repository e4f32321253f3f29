"""What is shown when a form's secret does not fit: signing in changes it, also for forms that stand open in other tabs."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from kbweb.errors.views import csrf_failure
from submissions.pages.submit import submit_again


def failed(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """The submit form keeps what was written, and nothing is handed in; all else gets a page that says why."""
    if request.resolver_match is not None and request.resolver_match.view_name == "submit":
        return submit_again(request)
    return csrf_failure(request, reason)
