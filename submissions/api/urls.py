"""Addresses below `/api/v1/`. A trailing slash is accepted and never needed."""

from __future__ import annotations

from django.urls import re_path

from submissions.api.evaluations import CancelEvaluation, EvaluationDetail, EvaluationEvents, EvaluationFeedback, EvaluationLog
from submissions.api.me import MeView
from submissions.api.submissions import SubmissionDetail, Submissions
from submissions.api.tokens import TokenDetail, Tokens

urlpatterns = [
    re_path(r"^submissions/?$", Submissions.as_view(), name="api-submissions"),
    re_path(r"^submissions/(?P<submission_id>\w+)/?$", SubmissionDetail.as_view(), name="api-submission"),
    re_path(r"^evaluations/(?P<evaluation_id>\w+)/?$", EvaluationDetail.as_view(), name="api-evaluation"),
    re_path(r"^evaluations/(?P<evaluation_id>\w+)/events/?$", EvaluationEvents.as_view(), name="api-evaluation-events"),
    re_path(r"^evaluations/(?P<evaluation_id>\w+)/log/?$", EvaluationLog.as_view(), name="api-evaluation-log"),
    re_path(r"^evaluations/(?P<evaluation_id>\w+)/feedback/?$", EvaluationFeedback.as_view(), name="api-evaluation-feedback"),
    re_path(r"^evaluations/(?P<evaluation_id>\w+)/cancel/?$", CancelEvaluation.as_view(), name="api-evaluation-cancel"),
    re_path(r"^tokens/?$", Tokens.as_view(), name="api-tokens"),
    re_path(r"^tokens/(?P<token_id>[\w-]+)/?$", TokenDetail.as_view(), name="api-token"),
    re_path(r"^me/?$", MeView.as_view(), name="api-me"),
]
