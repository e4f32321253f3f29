"""My groups, and joining one by an invitation."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db.models import Count
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import APIException
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kbweb.api.problem import FieldErrors
from kbweb.models import Scope
from submissions.api import shapes
from submissions.competitions.access import access_group, visible_groups
from submissions.competitions.invitations import DeadInvitation, join
from submissions.competitions.models import Group, Membership


class GroupRow(serializers.ModelSerializer[Group]):
    """A group of yours."""

    members = serializers.IntegerField(read_only=True)

    class Meta:
        model = Group
        fields = ("slug", "name", "about", "members", "created_at")
        read_only_fields = fields


class MemberShape(serializers.ModelSerializer[Membership]):
    username = serializers.CharField(source="user.username", read_only=True)

    class Meta:
        model = Membership
        fields = ("username", "is_owner", "joined_at")
        read_only_fields = fields


class GroupShape(serializers.Serializer[object]):
    """A group with its people and its competitions."""

    slug = serializers.CharField()
    name = serializers.CharField()
    about = serializers.CharField()
    created_at = serializers.DateTimeField()
    members = MemberShape(many=True)
    competitions = serializers.ListField(child=serializers.CharField(), help_text="Slugs.")


class Joined(serializers.Serializer[object]):
    """Where an invitation led."""

    group = serializers.CharField(help_text="Slug of the group that you belong to now.")
    competition = serializers.CharField(allow_null=True, help_text="Slug of the competition that the invitation is to.")
    url = serializers.CharField(help_text="The page that it leads to.")


class Gone(APIException):
    """An invitation that works no more."""

    status_code = 410
    default_code = "invitation_over"


class Groups(APIView):
    """My groups."""

    permission_classes = [IsAuthenticated, *APIView.permission_classes]

    @extend_schema(operation_id="groups_list", responses={200: GroupRow(many=True), 401: shapes.Problem}, tags=["competitions"])
    def get(self, request: Request) -> Response:
        """The groups that you belong to; for staff all."""
        return Response(GroupRow(visible_groups(request.user).annotate(members=Count("memberships")), many=True).data)


class GroupDetail(APIView):
    """One group of mine."""

    permission_classes = [IsAuthenticated, *APIView.permission_classes]

    @extend_schema(
        operation_id="groups_retrieve",
        parameters=[OpenApiParameter("slug", str, OpenApiParameter.PATH)],
        responses={200: GroupShape, 401: shapes.Problem, 404: shapes.Problem},
        tags=["competitions"],
    )
    def get(self, request: Request, slug: str) -> Response:
        """Its people and its competitions."""
        group = access_group(request.user, slug)
        return Response(
            {
                "slug": group.slug,
                "name": group.name,
                "about": group.about,
                "created_at": group.created_at,
                "members": MemberShape(group.memberships.select_related("user"), many=True).data,
                "competitions": list(group.competitions.values_list("slug", flat=True)),
            }
        )


class AcceptInvitation(APIView):
    """Follow an invitation. It shows the group's people to the token's owner and the owner to them, which is no part of handing in."""

    permission_classes = [IsAuthenticated, *APIView.permission_classes]
    token_scopes = {"POST": Scope.MANAGE}

    @extend_schema(
        operation_id="invitations_accept",
        parameters=[OpenApiParameter("key", str, OpenApiParameter.PATH, description="What follows `/join/` in the link.")],
        request=None,
        responses={
            200: Joined,
            400: OpenApiResponse(shapes.Problem, description="The group is full."),
            401: shapes.Problem,
            404: shapes.Problem,
            410: OpenApiResponse(shapes.Problem, description="It has expired or was revoked."),
        },
        tags=["competitions"],
    )
    def post(self, request: Request, key: str) -> Response:
        """Join the group of an invitation, and so its competitions. Doing it again changes nothing."""
        assert request.user.is_authenticated
        try:
            invitation = join(request.user, key)
        except DeadInvitation as error:
            raise Gone(str(error)) from error
        except ValidationError as error:
            raise FieldErrors({"key": error.messages}) from error
        competition = invitation.competition
        page = reverse("competition", args=[competition.slug]) if competition else reverse("group", args=[invitation.group_id])
        found = {"group": invitation.group_id, "competition": competition.slug if competition else None}
        return Response({**found, "url": request.build_absolute_uri(page)})
