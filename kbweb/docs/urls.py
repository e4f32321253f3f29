"""Addresses of the documents."""

from __future__ import annotations

from django.urls import path

from kbweb.docs.views import doc, index, llms, rules, source

urlpatterns = [
    path("docs/", index, name="docs"),
    path("docs/<slug:name>/", doc, name="doc"),
    path("docs/<slug:name>.md", source, name="doc-source"),
    path("rules/", rules, name="rules"),
    path("llms.txt", llms, name="llms"),
]
