"""Addresses of the submission pages."""

from __future__ import annotations

from django.urls import path

from submissions.pages import groups
from submissions.pages import webhooks as hooks
from submissions.pages.artefacts import artefact, ask
from submissions.pages.me import me
from submissions.pages.result import rerun, source, stop, submission
from submissions.pages.submit import submit
from submissions.pages.tokens import revoke_token, tokens

urlpatterns = [
    path("submit/", submit, name="submit"),
    path("s/<slug:submission_id>/", submission, name="submission"),
    path("s/<slug:submission_id>/source/", source, name="source"),
    path("s/<slug:submission_id>/artefacts/<str:name>", artefact, name="artefact"),
    path("evaluations/<slug:evaluation_id>/profile/", ask, name="profile"),
    path("evaluations/<slug:evaluation_id>/cancel/", stop, name="cancel"),
    path("evaluations/<slug:evaluation_id>/rerun/", rerun, name="rerun"),
    path("groups/", groups.groups, name="groups"),
    path("groups/<slug:slug>/", groups.group, name="group"),
    path("groups/<slug:slug>/change/", groups.change, name="change-group"),
    path("groups/<slug:slug>/links/", groups.make_link, name="make-link"),
    path("groups/<slug:slug>/links/<str:key>/revoke/", groups.revoke_link, name="revoke-link"),
    path("groups/<slug:slug>/members/<int:member_id>/remove/", groups.remove, name="remove-member"),
    path("groups/<slug:slug>/members/<int:member_id>/owner/", groups.make_owner, name="make-owner"),
    path("groups/<slug:slug>/leave/", groups.leave, name="leave-group"),
    path("join/<str:key>/", groups.join, name="join"),
    path("me/", me, name="me"),
    path("me/tokens/", tokens, name="tokens"),
    path("me/tokens/<str:token_key>/revoke/", revoke_token, name="revoke-token"),
    path("me/webhooks/", hooks.webhooks, name="webhooks"),
    path("me/webhooks/<slug:webhook_id>/", hooks.webhook, name="webhook"),
    path("me/webhooks/<slug:webhook_id>/test/", hooks.send_test, name="test-webhook"),
    path("me/webhooks/<slug:webhook_id>/switch/", hooks.switch, name="switch-webhook"),
    path("me/webhooks/<slug:webhook_id>/secret/", hooks.renew, name="renew-webhook-secret"),
    path("me/webhooks/<slug:webhook_id>/delete/", hooks.delete, name="delete-webhook"),
    path("me/webhooks/<slug:webhook_id>/deliveries/<slug:delivery_id>/again/", hooks.again, name="send-again"),
]
