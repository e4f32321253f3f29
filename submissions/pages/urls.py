"""Addresses of the submission pages."""

from __future__ import annotations

from django.urls import path

from submissions.pages.me import make_token, me, revoke_token
from submissions.pages.result import source, stop, submission
from submissions.pages.submit import submit

urlpatterns = [
    path("submit/", submit, name="submit"),
    path("s/<slug:submission_id>/", submission, name="submission"),
    path("s/<slug:submission_id>/source/", source, name="source"),
    path("evaluations/<slug:evaluation_id>/cancel/", stop, name="cancel"),
    path("me/", me, name="me"),
    path("me/tokens/", make_token, name="make-token"),
    path("me/tokens/<str:token_key>/revoke/", revoke_token, name="revoke-token"),
]
