"""Addresses below `/api/v1/`. An op's slug may hold slashes (`kernelbench/level1/19_ReLU`)."""

from __future__ import annotations

from django.urls import path

from leaderboard.api import result_views, views

urlpatterns = [
    path("ops", views.Ops.as_view(), name="api-ops"),
    path("ops/<path:slug>", views.OpDetail.as_view(), name="api-op"),
    path("devices", views.Devices.as_view(), name="api-devices"),
    path("leaderboards/<path:op>/<str:device>", views.Leaderboard.as_view(), name="api-leaderboard"),
    path("suites", result_views.Suites.as_view(), name="api-suites"),
    path("results", result_views.Results.as_view(), name="api-results"),
    path("status", views.Status.as_view(), name="api-status"),
    path("stats", views.Stats.as_view(), name="api-stats"),
]
