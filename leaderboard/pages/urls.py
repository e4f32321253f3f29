"""Addresses of the leaderboard pages. An op's slug may hold slashes, so the longer patterns come first."""

from __future__ import annotations

from django.urls import path

from leaderboard.pages.board import board
from leaderboard.pages.home import home, rules
from leaderboard.pages.ops import op, ops, starter
from leaderboard.pages.results import results
from leaderboard.pages.status import status

urlpatterns = [
    path("", home, name="home"),
    path("ops/", ops, name="ops"),
    path("ops/<path:slug>/starters/<slug:kernel_type>.py", starter, name="starter"),
    path("ops/<path:slug>/<slug:device>/", board, name="board"),
    path("ops/<path:slug>/", op, name="op"),
    path("results/", results, name="results"),
    path("status/", status, name="status"),
    path("rules/", rules, name="rules"),
]
