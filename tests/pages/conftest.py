"""The catalogue loaded, and Alice, Bob and Charlie, in a database of the test."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluator.ops import registry
from leaderboard import catalogue
from tests.pages.cast import person


@pytest.fixture(autouse=True)
def _catalogue(db: None) -> None:
    catalogue.load(registry.all_ops("smoke"))


@pytest.fixture
def alice() -> User:
    return person("alice")


@pytest.fixture
def bob() -> User:
    return person("bob")


@pytest.fixture
def charlie() -> User:
    """Staff."""
    return person("charlie", is_staff=True)


@pytest.fixture
def as_alice(alice: User) -> Client:
    return signed_in(alice)


@pytest.fixture
def as_bob(bob: User) -> Client:
    return signed_in(bob)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
