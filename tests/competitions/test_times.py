"""A competition is coming, open or closed at every moment, and the same everywhere: words, lists, hand-in."""

from __future__ import annotations

import datetime as dt

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from hypothesis import given
from hypothesis import strategies as st

from submissions.competitions.entering import check_open
from submissions.competitions.models import Competition, Phase
from submissions.intake_errors import IntakeError
from submissions.templatetags.moments import in_words
from tests.competitions.conftest import HOUR, competition

moments = st.datetimes(dt.datetime(2000, 1, 1), dt.datetime(2100, 1, 1), timezones=st.just(dt.UTC))
distances = st.timedeltas(dt.timedelta(0), dt.timedelta(days=1000))


@given(opens_at=moments, length=st.timedeltas(dt.timedelta(microseconds=1), dt.timedelta(days=400)), now=moments)
def test_something_is_taken_exactly_while_it_is_open(opens_at: dt.datetime, length: dt.timedelta, now: dt.datetime) -> None:
    one = Competition(title="x", opens_at=opens_at, closes_at=opens_at + length)

    phase = one.phase_at(now)

    assert (phase is Phase.OPEN) == (one.opens_at <= now < one.closes_at)
    assert (phase is Phase.COMING) == (now < one.opens_at)
    try:
        check_open(one, now)
        taken = True
    except IntakeError as refused:
        assert list(refused.errors) == ["competition"]
        taken = False
    assert taken == (phase is Phase.OPEN)


@given(opens_at=moments, length=st.timedeltas(dt.timedelta(microseconds=1), dt.timedelta(days=400)), step=distances)
def test_phases_follow_each_other_and_never_return(opens_at: dt.datetime, length: dt.timedelta, step: dt.timedelta) -> None:
    one = Competition(title="x", opens_at=opens_at, closes_at=opens_at + length)
    order = list(Phase)

    for start in (opens_at - dt.timedelta(days=1), opens_at, opens_at + length):
        assert order.index(one.phase_at(start)) <= order.index(one.phase_at(start + step))


@pytest.mark.parametrize("offset", [dt.timedelta(0), dt.timedelta(microseconds=1), -dt.timedelta(microseconds=1), HOUR, -HOUR])
@pytest.mark.parametrize("edge", ["opens_at", "closes_at"])
def test_lists_and_phases_agree_at_the_edges(edge: str, offset: dt.timedelta, db: None) -> None:
    one = competition(None)
    now = getattr(one, edge) + offset

    found = [phase for phase in Phase if Competition.objects.in_phase(phase, now).exists()]

    assert found == [one.phase_at(now)]


@given(distance=st.timedeltas(dt.timedelta(days=-900), dt.timedelta(days=900)))
def test_words_say_on_which_side_and_never_nothing(distance: dt.timedelta) -> None:
    said = in_words(distance)

    assert said.startswith("in ") == (distance > dt.timedelta(0))
    assert said.endswith(" ago") == (distance <= dt.timedelta(0))
    assert " 0 " not in f" {said}"


@pytest.mark.parametrize(
    ("distance", "said"),
    [
        (dt.timedelta(days=3, hours=4, minutes=5), "in 3 days 4 h"),
        (dt.timedelta(days=1), "in 1 day"),
        (dt.timedelta(days=40, hours=3), "in 40 days"),
        (dt.timedelta(hours=2, minutes=1, seconds=59), "in 2 h 1 min"),
        (dt.timedelta(seconds=59), "in less than a minute"),
        (-dt.timedelta(minutes=12), "12 min ago"),
        (dt.timedelta(0), "less than a minute ago"),
    ],
)
def test_words(distance: dt.timedelta, said: str) -> None:
    assert in_words(distance) == said


def test_the_database_keeps_what_must_hold(db: None) -> None:
    for wrong in ({"closes_in": -HOUR}, {"admission": "invitation"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            competition(None, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"ops": []}, "ops", "at least one op"),
        ({"ops": ["sotfmax"]}, "ops", "Did you mean softmax"),
        ({"ops": ["softmax", "softmax"]}, "ops", "twice"),
        ({"ops": "softmax"}, "ops", "by its slug"),
        ({"devices": []}, "devices", "at least one device"),
        ({"devices": ["abacus"]}, "devices", "no device 'abacus'"),
        ({"closes_in": -HOUR}, "closes_at", "after it opens"),
        ({"closes_in": 500 * 24 * HOUR}, "closes_at", "at most 400 days"),
        ({"admission": "invitation"}, "group", "belongs to a group"),
        ({"rules": "x" * 20_001}, "rules", "at most 20000 characters"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(db: None, fields: dict[str, object], field: str, said: str) -> None:
    right = competition(None)
    changed = {"opens_in": -HOUR, "closes_in": HOUR, **fields}
    one = Competition(
        title="x",
        admission=changed.get("admission", "public"),
        ops=changed.get("ops", right.ops),
        devices=changed.get("devices", right.devices),
        opens_at=right.opens_at,
        closes_at=right.opens_at + HOUR + changed["closes_in"],  # type: ignore[operator]
        rules=changed.get("rules", ""),
    )

    with pytest.raises(ValidationError) as refused:
        one.full_clean()

    assert list(refused.value.message_dict) == [field]
    assert said in " ".join(refused.value.message_dict[field])
