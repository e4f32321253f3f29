"""Addresses of the sockets."""

from __future__ import annotations

from django.urls import path

from submissions.live.competition import CompetitionConsumer
from submissions.live.consumers import BoardConsumer, EvaluationConsumer, FeedConsumer

urlpatterns = [
    path("ws/evaluations/<str:evaluation_id>/", EvaluationConsumer.as_asgi()),
    path("ws/boards/<path:op>/<slug:device>/", BoardConsumer.as_asgi()),
    path("ws/competitions/<slug:slug>/", CompetitionConsumer.as_asgi()),
    path("ws/feed/", FeedConsumer.as_asgi()),
]
