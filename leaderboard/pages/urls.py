"""Addresses of the leaderboard pages. An op's slug may hold slashes, so the longer patterns come first."""

from __future__ import annotations

from django.urls import path

from leaderboard.pages.atom import BoardAtom, RecordsAtom
from leaderboard.pages.author import author_page
from leaderboard.pages.board import board
from leaderboard.pages.compare import compare_page
from leaderboard.pages.competitions import competition, competitions
from leaderboard.pages.feed import feed_page
from leaderboard.pages.home import home
from leaderboard.pages.moderation import moderate, moderation, take_back
from leaderboard.pages.ops import op, ops, starter
from leaderboard.pages.results import results
from leaderboard.pages.status import status
from leaderboard.pages.suite_runs import suite_run, suite_runs
from submissions.pages.organise import edit_competition, new_competition

urlpatterns = [
    path("", home, name="home"),
    path("ops/", ops, name="ops"),
    path("ops/<path:slug>/starters/<slug:kernel_type>.py", starter, name="starter"),
    path("ops/<path:slug>/<slug:device>/feed.atom", BoardAtom(), name="board-feed"),
    path("ops/<path:slug>/<slug:device>/", board, name="board"),
    path("ops/<path:slug>/", op, name="op"),
    path("compare/", compare_page, name="compare"),
    path("records.atom", RecordsAtom(), name="records-feed"),
    path("feed/", feed_page, name="feed"),
    path("u/<str:name>/", author_page, name="author"),
    path("results/", results, name="results"),
    path("runs/", suite_runs, name="runs"),
    path("runs/<str:tag>/", suite_run, name="run"),
    path("moderation/", moderation, name="moderation"),
    path("moderation/decisions/<slug:decision_id>/withdraw/", take_back, name="withdraw-decision"),
    path("moderation/<slug:evaluation_id>/", moderate, name="moderate"),
    path("competitions/", competitions, name="competitions"),
    path("competitions/new/", new_competition, name="new-competition"),
    path("competitions/<slug:slug>/edit/", edit_competition, name="edit-competition"),
    path("competitions/<slug:slug>/", competition, name="competition"),
    path("status/", status, name="status"),
]
