"""Every address of the site."""

from __future__ import annotations

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from kbweb.api.docs import ApiDocs
from kbweb.health import healthz, readyz
from kbweb.metrics import metrics
from kbweb.signin import one_time

urlpatterns = [
    path("", include("leaderboard.pages.urls")),
    path("", include("submissions.pages.urls")),
    path("accounts/", include("allauth.urls")),
    path("signin/<str:key>/", one_time, name="one-time-sign-in"),
    path("api/v1/", include("submissions.api.urls")),
    path("api/v1/", include("leaderboard.api.urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", ApiDocs.as_view(), name="api-docs"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]
