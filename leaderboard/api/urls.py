"""Addresses below `/api/v1/`. An op's slug may hold slashes (`kernelbench/level1/19_ReLU`); a trailing one is accepted and never needed."""

from __future__ import annotations

from django.urls import re_path

from leaderboard.api import compare_views, competition_views, result_views, suite_run_views, views

urlpatterns = [
    re_path(r"^ops/?$", views.Ops.as_view(), name="api-ops"),
    re_path(r"^ops/(?P<slug>.+?)/?$", views.OpDetail.as_view(), name="api-op"),
    re_path(r"^devices/?$", views.Devices.as_view(), name="api-devices"),
    re_path(r"^leaderboards/(?P<op>.+?)/(?P<device>[^/]+)/?$", views.Leaderboard.as_view(), name="api-leaderboard"),
    re_path(r"^compare/?$", compare_views.Compare.as_view(), name="api-compare"),
    re_path(r"^suites/?$", result_views.Suites.as_view(), name="api-suites"),
    re_path(r"^runs/?$", suite_run_views.Runs.as_view(), name="api-runs"),
    re_path(r"^runs/(?P<tag>[^/]+)/?$", suite_run_views.Run.as_view(), name="api-run"),
    re_path(r"^results/?$", result_views.Results.as_view(), name="api-results"),
    re_path(r"^competitions/?$", competition_views.Competitions.as_view(), name="api-competitions"),
    re_path(r"^competitions/(?P<slug>[\w-]+)/?$", competition_views.CompetitionDetail.as_view(), name="api-competition"),
    re_path(
        r"^competitions/(?P<slug>[\w-]+)/standings/?$", competition_views.CompetitionStandings.as_view(), name="api-competition-standings"
    ),
    re_path(r"^status/?$", views.Status.as_view(), name="api-status"),
    re_path(r"^stats/?$", views.Stats.as_view(), name="api-stats"),
]
