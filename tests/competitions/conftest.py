"""Alice owns a group to which Bob belongs, Charlie is staff, Dana belongs to nothing; competitions that are coming, open and closed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import dramatiq
import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.test import Client
from django.utils import timezone

from submissions.competitions.groups import make_group
from submissions.competitions.models import Admission, Competition, Group, Membership
from tests.pages.cast import person

HOUR = dt.timedelta(hours=1)


@pytest.fixture(scope="session", autouse=True)
def _broker_lets_the_database_go(django_db_setup: None) -> Iterator[None]:
    yield
    dramatiq.get_broker().close()


@pytest.fixture(autouse=True)
def _catalogue(smoke_ops: None) -> None:
    pass


@pytest.fixture
def people(db: None) -> dict[str, User | AnonymousUser]:
    """By name; `nobody` is not signed in."""
    names: dict[str, User | AnonymousUser] = {name: person(name) for name in ("alice", "bob", "dana")}
    return {**names, "charlie": person("charlie", is_staff=True), "nobody": AnonymousUser()}


@pytest.fixture
def alice(people: dict[str, User]) -> User:
    return people["alice"]


@pytest.fixture
def bob(people: dict[str, User]) -> User:
    return people["bob"]


@pytest.fixture
def dana(people: dict[str, User]) -> User:
    return people["dana"]


@pytest.fixture
def charlie(people: dict[str, User]) -> User:
    return people["charlie"]


@pytest.fixture
def lab(alice: User, bob: User) -> Group:
    group = make_group(alice, "A private lab")
    Membership.objects.create(group=group, user=bob)
    return group


@pytest.fixture
def private(lab: Group) -> Competition:
    """Open, by invitation."""
    return competition(lab)


@pytest.fixture
def public(db: None) -> Competition:
    """Open, for everybody."""
    return competition(None)


def competition(group: Group | None, *, opens_in: dt.timedelta = -HOUR, closes_in: dt.timedelta = HOUR, **fields: object) -> Competition:
    """By invitation of a group, else public; open unless said otherwise."""
    now = timezone.now()
    given = {
        "title": "A secret sprint" if group else "An open sprint",
        "admission": Admission.INVITATION if group else Admission.PUBLIC,
        "ops": ["softmax", "relu"],
        "devices": ["cpu"],
        "opens_at": now + opens_in,
        "closes_at": now + closes_in,
        **fields,
    }
    return Competition.objects.create(group=group, **given)


def closed(found: Competition) -> Competition:
    """Let its time be over."""
    now = timezone.now()
    Competition.objects.filter(pk=found.pk).update(opens_at=now - 2 * HOUR, closes_at=now)
    found.refresh_from_db()
    return found


def client_of(reader: User | AnonymousUser) -> Client:
    client = Client()
    if isinstance(reader, User):
        client.force_login(reader)
    return client
