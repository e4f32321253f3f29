"""Every address of the site."""

from __future__ import annotations

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from kbweb.api.reference import reference
from kbweb.errors import views as errors
from kbweb.health import healthz, readyz
from kbweb.metrics import metrics
from kbweb.signin import one_time
from kbweb.styleguide.views import styleguide

urlpatterns = [
    path("", include("leaderboard.pages.urls")),
    path("", include("submissions.pages.urls")),
    path("", include("leaderboard.share.urls")),
    path("", include("kbweb.docs.urls")),
    path("styleguide/", styleguide, name="styleguide"),
    path("accounts/", include("allauth.urls")),
    path("me/account/", include("kbweb.accounts.urls")),
    path("signin/<str:key>/", one_time, name="one-time-sign-in"),
    path("api/v1/", include("submissions.api.urls")),
    path("api/v1/", include("leaderboard.api.urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", reference, name="api-docs"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler429 = errors.too_many
handler500 = errors.server_error
