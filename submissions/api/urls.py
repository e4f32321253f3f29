"""Addresses below `/api/v1/`. A trailing slash is accepted and never needed."""

from __future__ import annotations

from django.urls import re_path

from submissions.api.artefacts import EvaluationArtefact, EvaluationArtefacts
from submissions.api.evaluation_events import EvaluationEvents
from submissions.api.evaluation_list import Evaluations
from submissions.api.evaluations import (
    CancelEvaluation,
    EvaluationDetail,
    EvaluationFeedback,
    EvaluationLog,
    ProfileEvaluation,
    RerunEvaluation,
)
from submissions.api.groups import AcceptInvitation, GroupDetail, Groups
from submissions.api.me import MeView
from submissions.api.samples import EvaluationSamples
from submissions.api.submissions import SubmissionDetail, Submissions
from submissions.api.tokens import TokenDetail, Tokens
from submissions.api.webhooks import WebhookDeliveries, WebhookDetail, Webhooks, WebhookTest

urlpatterns = [
    re_path(r"^submissions/?$", Submissions.as_view(), name="api-submissions"),
    re_path(r"^submissions/(?P<submission_id>\w+)/?$", SubmissionDetail.as_view(), name="api-submission"),
    re_path(r"^evaluations/?$", Evaluations.as_view(), name="api-evaluations"),
    re_path(r"^evaluations/(?P<evaluation_id>\w+)/?$", EvaluationDetail.as_view(), name="api-evaluation"),
    re_path(r"^evaluations/(?P<evaluation_id>\w+)/events/?$", EvaluationEvents.as_view(), name="api-evaluation-events"),
    re_path(r"^evaluations/(?P<evaluation_id>\w+)/log/?$", EvaluationLog.as_view(), name="api-evaluation-log"),
    re_path(r"^evaluations/(?P<evaluation_id>\w+)/feedback/?$", EvaluationFeedback.as_view(), name="api-evaluation-feedback"),
    re_path(r"^evaluations/(?P<evaluation_id>\w+)/samples/?$", EvaluationSamples.as_view(), name="api-evaluation-samples"),
    re_path(r"^evaluations/(?P<evaluation_id>\w+)/artefacts/?$", EvaluationArtefacts.as_view(), name="api-evaluation-artefacts"),
    re_path(
        r"^evaluations/(?P<evaluation_id>\w+)/artefacts/(?P<name>\w[\w.-]*)/?$",
        EvaluationArtefact.as_view(),
        name="api-evaluation-artefact",
    ),
    re_path(r"^evaluations/(?P<evaluation_id>\w+)/cancel/?$", CancelEvaluation.as_view(), name="api-evaluation-cancel"),
    re_path(r"^evaluations/(?P<evaluation_id>\w+)/rerun/?$", RerunEvaluation.as_view(), name="api-evaluation-rerun"),
    re_path(r"^evaluations/(?P<evaluation_id>\w+)/profile/?$", ProfileEvaluation.as_view(), name="api-evaluation-profile"),
    re_path(r"^groups/?$", Groups.as_view(), name="api-groups"),
    re_path(r"^groups/(?P<slug>[\w-]+)/?$", GroupDetail.as_view(), name="api-group"),
    re_path(r"^invitations/(?P<key>[\w-]+)/accept/?$", AcceptInvitation.as_view(), name="api-accept-invitation"),
    re_path(r"^tokens/?$", Tokens.as_view(), name="api-tokens"),
    re_path(r"^tokens/(?P<token_id>[\w-]+)/?$", TokenDetail.as_view(), name="api-token"),
    re_path(r"^webhooks/?$", Webhooks.as_view(), name="api-webhooks"),
    re_path(r"^webhooks/(?P<webhook_id>\w+)/?$", WebhookDetail.as_view(), name="api-webhook"),
    re_path(r"^webhooks/(?P<webhook_id>\w+)/test/?$", WebhookTest.as_view(), name="api-webhook-test"),
    re_path(r"^webhooks/(?P<webhook_id>\w+)/deliveries/?$", WebhookDeliveries.as_view(), name="api-webhook-deliveries"),
    re_path(r"^me/?$", MeView.as_view(), name="api-me"),
]
