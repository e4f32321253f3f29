"""Addresses of pictures and badges. An op's slug may hold slashes."""

from __future__ import annotations

from django.urls import path

from leaderboard.share.views import author_badge, evaluation_badge, evaluation_card

urlpatterns = [
    path("card/<slug:evaluation_id>.png", evaluation_card, name="card"),
    path("badge/<slug:evaluation_id>.svg", evaluation_badge, name="evaluation-badge"),
    path("badge/<path:op>/<slug:device>/<str:author>.svg", author_badge, name="author-badge"),
]
