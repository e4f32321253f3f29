"""Webhooks over REST: what `/me/webhooks/` does."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib.auth.models import AbstractBaseUser
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kbweb.models import Scope
from submissions.api import shapes
from submissions.api.fields import ShortListField
from submissions.webhooks import owning
from submissions.webhooks.models import Delivery, Standing, Topic, Webhook
from submissions.webhooks.owning import WebhookError, access_webhook
from submissions.webhooks.switching import switch_off, switch_on

LATEST = 100


class WebhookWish(serializers.Serializer[object]):
    """Values are judged where the page's are."""

    url = serializers.CharField(max_length=2000, help_text="http or https, on the public internet.")
    topics = ShortListField(child=serializers.CharField(), max_length=16, help_text=f"Of {', '.join(Topic.values)}.")


class WebhookChange(serializers.Serializer[object]):
    """What is left out stays as it is."""

    url = serializers.CharField(max_length=2000, required=False)
    topics = serializers.ListField(child=serializers.CharField(), required=False)
    active = serializers.BooleanField(required=False, help_text="Switch it on or off. What happens while it is off is not sent later.")


class WebhookShape(serializers.ModelSerializer[Webhook]):
    class Meta:
        model = Webhook
        fields = ("id", "url", "topics", "active", "off_because", "failed_in_a_row", "failing_since", "created_at")
        read_only_fields = fields


class NewWebhook(WebhookShape):
    secret = serializers.CharField(help_text="Signs every delivery. Shown this once.")

    class Meta(WebhookShape.Meta):
        fields = (*WebhookShape.Meta.fields, "secret")  # type: ignore[assignment]


class DeliveryShape(serializers.ModelSerializer[Delivery]):
    standing = serializers.ChoiceField(choices=Standing.choices)

    class Meta:
        model = Delivery
        fields = ("id", "topic", "standing", "attempts", "status", "error", "took_ms", "created_at", "tried_at", "due_at")
        read_only_fields = fields


class WebhookView(APIView):
    """Every call needs the scope `manage`, reading too: an address can hold a secret of its own."""

    permission_classes = [IsAuthenticated, *APIView.permission_classes]
    token_scopes = dict.fromkeys(("GET", "POST", "PATCH", "DELETE"), Scope.MANAGE)


class Webhooks(WebhookView):
    """My webhooks."""

    @extend_schema(operation_id="webhooks_list", responses=WebhookShape(many=True), tags=["webhooks"])
    def get(self, request: Request) -> Response:
        """My webhooks, never their secrets."""
        return Response(WebhookShape(Webhook.objects.filter(user_id=_user(request).pk), many=True).data)

    @extend_schema(
        operation_id="webhooks_create",
        request=WebhookWish,
        responses={201: NewWebhook, 400: shapes.Problem, 403: shapes.Problem},
        tags=["webhooks"],
    )
    def post(self, request: Request) -> Response:
        """Make a webhook. Its secret is shown this once. docs/webhooks.md says what is sent and how to check it."""
        wish = WebhookWish(data=request.data)
        wish.is_valid(raise_exception=True)
        try:
            made = owning.make_webhook(_user(request), wish.validated_data["url"], wish.validated_data["topics"])
        except WebhookError as error:
            raise ValidationError(error.errors) from error
        return Response(NewWebhook(made).data, status=HTTPStatus.CREATED)


class WebhookDetail(WebhookView):
    """One of my webhooks."""

    @extend_schema(operation_id="webhooks_retrieve", responses={200: WebhookShape, 404: shapes.Problem}, tags=["webhooks"])
    def get(self, request: Request, webhook_id: str) -> Response:
        """A webhook and how it does."""
        return Response(WebhookShape(access_webhook(_user(request), webhook_id)).data)

    @extend_schema(
        operation_id="webhooks_partial_update",
        request=WebhookChange,
        responses={200: WebhookShape, 400: shapes.Problem, 404: shapes.Problem},
        tags=["webhooks"],
    )
    def patch(self, request: Request, webhook_id: str) -> Response:
        """Change its address and topics, or switch it on and off."""
        wish = WebhookChange(data=request.data)
        wish.is_valid(raise_exception=True)
        wanted = wish.validated_data
        hook = access_webhook(_user(request), webhook_id)
        try:
            if "url" in wanted or "topics" in wanted:
                owning.change_webhook(hook, wanted.get("url", hook.url), wanted.get("topics", hook.topics))
        except WebhookError as error:
            raise ValidationError(error.errors) from error
        if "active" in wanted and wanted["active"] != hook.active:
            switch_on(hook) if wanted["active"] else switch_off(hook)
        return Response(WebhookShape(hook).data)

    @extend_schema(operation_id="webhooks_destroy", responses={204: None, 404: shapes.Problem}, tags=["webhooks"])
    def delete(self, request: Request, webhook_id: str) -> Response:
        """Delete it with its log. Nothing more is sent."""
        access_webhook(_user(request), webhook_id).delete()
        return Response(status=HTTPStatus.NO_CONTENT)


class WebhookTest(WebhookView):
    """Try an address."""

    @extend_schema(
        operation_id="webhooks_test",
        request=None,
        responses={
            202: DeliveryShape,
            404: shapes.Problem,
            400: OpenApiResponse(shapes.Problem, description="It is off, or tests wait already."),
        },
        tags=["webhooks"],
    )
    def post(self, request: Request, webhook_id: str) -> Response:
        """Queue a delivery of the topic `test`; `deliveries` shows what came of it."""
        try:
            made = owning.send_test(access_webhook(_user(request), webhook_id))
        except WebhookError as error:
            raise ValidationError(error.errors) from error
        return Response(DeliveryShape(made).data, status=HTTPStatus.ACCEPTED)


class WebhookDeliveries(WebhookView):
    """What was sent."""

    @extend_schema(operation_id="webhooks_deliveries", responses={200: DeliveryShape(many=True), 404: shapes.Problem}, tags=["webhooks"])
    def get(self, request: Request, webhook_id: str) -> Response:
        """The last hundred deliveries, newest first."""
        found = access_webhook(_user(request), webhook_id).deliveries.defer("body")[:LATEST]
        return Response(DeliveryShape(found, many=True).data)


def _user(request: Request) -> AbstractBaseUser:
    assert isinstance(request.user, AbstractBaseUser)
    return request.user
