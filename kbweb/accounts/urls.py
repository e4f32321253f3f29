"""Addresses of the account's pages; those of signing in are allauth's, below `/accounts/`."""

from __future__ import annotations

from django.urls import path

from kbweb.accounts.pages import account, delete, export

urlpatterns = [
    path("", account, name="account"),
    path("export/", export, name="export-account"),
    path("delete/", delete, name="delete-account"),
]
