"""Atom feeds of a board and of all records."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from django.contrib.auth.models import User
from django.test import Client

from tests.leaderboard.conftest import confirm, finish_evaluation

ATOM = "{http://www.w3.org/2005/Atom}"


def entries(client: Client, address: str) -> list[ET.Element]:
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("application/atom+xml")
    return ET.fromstring(answer.content).findall(f"{ATOM}entry")


def test_a_record_and_its_entry_are_told(client: Client, alice: User) -> None:
    finish_evaluation(alice, 2.0, agent="a <bot> &")
    assert entries(client, "/records.atom") == []
    confirm(2.0, 2.0, 2.0)

    (record,) = entries(client, "/records.atom")
    board = entries(client, "/ops/softmax/cpu/feed.atom")

    assert record.findtext(f"{ATOM}title") == "Record: 2.00× on softmax, cpu, by alice"
    assert {str(one.findtext(f"{ATOM}title")) for one in board} == {
        "Record: 2.00× on softmax, cpu, by alice",
        "2.00× by alice with a <bot> & (torch)",
    }
    assert len({one.findtext(f"{ATOM}id") for one in board}) == 2
    link = record.find(f"{ATOM}link")
    assert link is not None
    assert client.get(str(link.get("href")).partition("testserver")[2]).status_code == 200


def test_a_board_that_is_none_has_no_feed(client: Client) -> None:
    assert client.get("/ops/softmax/nothing/feed.atom").status_code == 404
    assert client.get("/ops/nothing/cpu/feed.atom").status_code == 404
    assert entries(client, "/ops/softmax/h100/feed.atom") == []
