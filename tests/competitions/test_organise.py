"""Make and change competitions by the form: who may, what is fixed from when on, what is wrong beside its field."""

from __future__ import annotations

import datetime as dt
import difflib
import time

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.safestring import SafeString

from submissions.competitions.models import MAX_RULES, Competition, Group
from submissions.competitions.rules import as_html
from tests.competitions.conftest import HOUR, client_of, closed, competition

MINUTE = "%Y-%m-%dT%H:%M"


def sent(group: Group | None = None, **fields: object) -> dict[str, object]:
    now = timezone.now()
    return {
        "title": "Softmax week",
        "group": group.pk if group else "",
        "admission": "invitation" if group else "public",
        "ops": "softmax\nrelu",
        "devices": ["cpu"],
        "opens_at": f"{now + HOUR:{MINUTE}}",
        "closes_at": f"{now + 2 * HOUR:{MINUTE}}",
        "rules": "# Be kind",
        **fields,
    }


def as_sent(one: Competition, **fields: object) -> dict[str, object]:
    """What the form of a competition sends when nothing is touched."""
    return {
        "title": one.title,
        "admission": one.admission,
        "ops": "\n".join(one.ops),
        "devices": one.devices,
        "opens_at": f"{one.opens_at:{MINUTE}}",
        "closes_at": f"{one.closes_at:{MINUTE}}",
        "rules": one.rules,
        **fields,
    }


def on_the_minute(one: Competition) -> Competition:
    """The form knows minutes."""
    one.opens_at, one.closes_at = one.opens_at.replace(second=0, microsecond=0), one.closes_at.replace(second=0, microsecond=0)
    one.save()
    return one


def test_an_owner_makes_one_for_the_group(lab: Group, alice: User) -> None:
    answer = client_of(alice).post("/competitions/new/", sent(lab))

    one = Competition.objects.get()
    assert answer.headers["Location"] == f"/competitions/{one.slug}/"
    assert (one.group, one.admission, one.ops, one.phase) == (lab, "invitation", ["softmax", "relu"], "coming")
    assert one.slug.startswith("softmax-week-")
    assert one.opens_at.tzinfo is not None


def test_staff_make_public_ones_without_a_group(charlie: User) -> None:
    client_of(charlie).post("/competitions/new/", sent())

    assert Competition.objects.get().is_public


@pytest.mark.parametrize("who", ["bob", "dana"])
def test_who_owns_no_group_makes_none(lab: Group, people: dict[str, User], who: str) -> None:
    client = client_of(people[who])

    assert client.get("/competitions/new/").status_code == 404
    assert client.post("/competitions/new/", sent(lab)).status_code == 404
    assert not Competition.objects.exists()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"title": ""}, "title"),
        ({"ops": "softmax sotfmax"}, "ops"),
        ({"devices": []}, "devices"),
        ({"closes_at": "2001-01-01T00:00"}, "closes_at"),
        ({"closes_at": "soon"}, "closes_at"),
        ({"group": "another-group"}, "group"),
        ({"admission": "public"}, "admission"),
        ({"rules": "x" * 20_001}, "rules"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(lab: Group, alice: User, fields: dict[str, object], field: str) -> None:
    answer = client_of(alice).post("/competitions/new/", sent(lab) | fields)

    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert not Competition.objects.exists()


def test_before_it_opens_everything_can_be_changed(lab: Group, alice: User) -> None:
    one = on_the_minute(competition(lab, opens_in=HOUR, closes_in=2 * HOUR))

    answer = client_of(alice).post(f"/competitions/{one.slug}/edit/", as_sent(one, title="Changed", ops="mm", devices=["h100"]))

    one.refresh_from_db()
    assert answer.status_code == 302
    assert (one.title, one.ops, one.devices) == ("Changed", ["mm"], ["h100"])


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"ops": "softmax"}, "ops"),
        ({"devices": ["cpu", "h100"]}, "devices"),
        ({"opens_at": "2001-01-01T00:00"}, "opens_at"),
        ({"closes_in": -dt.timedelta(minutes=10)}, "closes_at"),
    ],
)
def test_once_it_is_open_people_rely_on_it(private: Competition, alice: User, fields: dict[str, object], field: str) -> None:
    one = on_the_minute(private)
    if "closes_in" in fields:
        fields = {"closes_at": f"{one.closes_at + fields['closes_in']:{MINUTE}}"}  # type: ignore[operator]

    answer = client_of(alice).post(f"/competitions/{one.slug}/edit/", as_sent(one, **fields))

    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in answer.content.decode()


def test_while_it_is_open_it_may_be_renamed_and_close_later(private: Competition, alice: User) -> None:
    one = on_the_minute(private)
    later = one.closes_at + HOUR

    client_of(alice).post(f"/competitions/{one.slug}/edit/", as_sent(one, title="New name", closes_at=f"{later:{MINUTE}}"))

    one.refresh_from_db()
    assert (one.title, one.closes_at) == ("New name", later)


def test_seconds_that_the_form_does_not_show_stay_and_are_in_nobodys_way(private: Competition, alice: User) -> None:
    before = private.opens_at, private.closes_at
    assert any(moment.second or moment.microsecond for moment in before)

    answer = client_of(alice).post(f"/competitions/{private.slug}/edit/", as_sent(private, title="Another name"))

    private.refresh_from_db()
    assert answer.status_code == 302
    assert private.title == "Another name"
    assert (private.opens_at, private.closes_at) == before


def test_one_that_is_made_opens_on_the_minute(lab: Group, alice: User) -> None:
    opens = timezone.now() + HOUR

    client_of(alice).post("/competitions/new/", sent(lab, opens_at=f"{opens:%Y-%m-%dT%H:%M}:30"))

    assert Competition.objects.get().opens_at == opens.replace(second=0, microsecond=0)


@pytest.mark.parametrize("ops", ["nonsense " * 900_000, " ".join(f"softmux{number}" for number in range(101))], ids=["long", "many"])
def test_a_list_of_ops_without_end_is_refused_before_it_is_looked_at(
    lab: Group, alice: User, ops: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(difflib.SequenceMatcher, "set_seq2", refuse)

    answer = client_of(alice).post("/competitions/new/", sent(lab, ops=ops))

    assert answer.status_code == 422
    assert "There is no op" not in answer.content.decode()


def test_of_many_wrong_ops_five_are_named(lab: Group, alice: User) -> None:
    page = client_of(alice).post("/competitions/new/", sent(lab, ops=" ".join(f"softmux{number}" for number in range(9)))).content.decode()

    assert page.count("There is no op") == 5


def refuse(*given: object) -> None:
    raise AssertionError("names were compared")


def test_what_has_closed_never_opens_again(private: Competition, alice: User) -> None:
    one = on_the_minute(closed(private))
    later = timezone.now() + HOUR

    answer = client_of(alice).post(f"/competitions/{one.slug}/edit/", as_sent(one, closes_at=f"{later:{MINUTE}}"))
    renamed = client_of(alice).post(f"/competitions/{one.slug}/edit/", as_sent(one, rules="Bob has won."))

    assert "its sources are open to read" in answer.content.decode()
    assert renamed.status_code == 302
    one.refresh_from_db()
    assert (one.rules, one.phase) == ("Bob has won.", "closed")


def test_staff_cannot_hide_a_public_one_that_has_no_group(charlie: User) -> None:
    one = on_the_minute(competition(None, opens_in=HOUR, closes_in=2 * HOUR))

    answer = client_of(charlie).post(f"/competitions/{one.slug}/edit/", as_sent(one, admission="invitation"))

    assert answer.status_code == 422
    assert "belongs to a group" in answer.content.decode()


def test_rules_are_markdown_and_nothing_else(private: Competition, bob: User) -> None:
    private.rules = "# Prizes\n\n**cake** <script>alert(1)</script> [x](javascript:alert(1)) ![i](https://e.org/i.png)\n\n<b onclick=x>"
    private.save()

    page = client_of(bob).get(f"/competitions/{private.slug}/").content.decode()

    assert "<h3>Prizes</h3>" in page
    assert "<strong>cake</strong>" in page
    assert "&lt;script&gt;" in page
    for forbidden in ("<script>alert", 'href="javascript', "<img", "<b onclick"):
        assert forbidden not in page


def test_a_table_that_would_fill_pages_with_empty_cells_stays_text() -> None:
    wide = "|a" * 500 + "|\n" + "|-" * 500 + "|\n" + "|\n" * 8_000
    begun = time.thread_time()

    shown = as_html(wide)

    assert time.thread_time() - begun < 1
    assert "<table" not in shown
    assert len(shown) < 2 * MAX_RULES
    assert "<table" in as_html("| what | points |\n| --- | --- |\n| first | 3 |\n")


def test_rules_are_the_same_html_when_they_are_asked_for_again() -> None:
    first, again = as_html("*a* & <b>"), as_html("*a* & <b>")

    assert first == again == "<p><em>a</em> &amp; &lt;b&gt;</p>\n"
    assert isinstance(again, SafeString)


def test_staff_may_end_one_early_and_not_in_the_past(private: Competition, charlie: User) -> None:
    one = on_the_minute(private)
    earlier = timezone.now() + dt.timedelta(minutes=10)

    ended = client_of(charlie).post(f"/competitions/{one.slug}/edit/", as_sent(one, closes_at=f"{earlier:{MINUTE}}"))
    one.refresh_from_db()
    too_late = client_of(charlie).post(f"/competitions/{one.slug}/edit/", as_sent(one, closes_at=f"{timezone.now() - HOUR / 2:{MINUTE}}"))

    assert ended.status_code == 302
    assert one.closes_at <= earlier
    assert "This moment has passed" in too_late.content.decode()
