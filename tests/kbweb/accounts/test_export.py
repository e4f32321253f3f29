"""The export holds all that the site keeps of somebody, and nothing of anybody else."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluator.ops import registry
from kbweb.accounts.export import write_export
from kbweb.models import Token
from leaderboard import catalogue
from leaderboard.moderation import decide
from submissions.competitions.groups import make_group
from submissions.decisions.models import Kind
from submissions.models import Submission
from submissions.webhooks import owning
from tests.leaderboard.conftest import confirm, finish_evaluation


@pytest.fixture
def alice(db: None) -> User:
    catalogue.load(registry.all_ops("smoke"))
    return User.objects.create_user("alice", "alice@example.org")


def opened(user: User) -> zipfile.ZipFile:
    file = io.BytesIO()
    write_export(user, file)
    return zipfile.ZipFile(file)


def test_everything_is_in_it(alice: User) -> None:
    staff = User.objects.create_user("charlie", is_staff=True)
    finish_evaluation(User.objects.create_user("bob"), 0.9, source="bobs own words")
    evaluation = finish_evaluation(alice, 1.5, source="söme wörds")
    confirm(1.5, 1.5, 1.5)
    decide(staff, evaluation.pk, Kind.REFUSE, "not this one", every_run=False)
    _, secret = Token.objects.create(user=alice, name="laptop")
    hook = owning.make_webhook(alice, "https://example.org/hook", ["done"])
    owning.send_test(hook)
    group = make_group(alice, "A lab")

    archive = opened(alice)

    texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert archive.testzip() is None
    folder = f"submissions/{evaluation.submission_id}"
    assert texts[f"{folder}/source/submission.py"] == "söme wörds"
    runs = json.loads(texts[f"{folder}/evaluations.json"])
    assert [run["verdict"] for run in runs] == ["rejected", "accepted", "accepted", "accepted"]
    assert runs[0]["outcome"]["cases"]
    assert json.loads(texts["profile.json"])["email"] == "alice@example.org"
    assert [token["name"] for token in json.loads(texts["tokens.json"])] == ["laptop"]
    assert json.loads(texts["webhooks.json"])[0]["deliveries"][0]["topic"] == "test"
    assert json.loads(texts["decisions.json"])[0]["reason"] == "not this one"
    assert [(row["group__slug"], row["is_owner"]) for row in json.loads(texts["groups.json"])] == [(group.pk, True)]
    assert {"entries", "records"} == set(json.loads(texts["boards.json"]))
    assert [row["id"] for row in json.loads(texts["submissions.json"])] == [evaluation.submission_id]
    together = "".join(texts.values())
    assert secret not in together and hook.secret not in together
    assert "bobs own words" not in together


def test_a_file_name_cannot_take_anothers_place(alice: User) -> None:
    evaluation = finish_evaluation(alice, 1.5)
    Submission.objects.update(filename="evaluations.json")

    names = opened(alice).namelist()

    assert len(names) == len(set(names))
    assert f"submissions/{evaluation.submission_id}/source/evaluations.json" in names


def test_it_is_a_download_for_its_owner(alice: User) -> None:
    client = Client()
    client.force_login(alice)

    answer = client.post("/me/account/export/")
    body = b"".join(answer)

    assert answer.headers["Content-Type"] == "application/zip"
    assert "attachment" in answer.headers["Content-Disposition"]
    assert int(answer.headers["Content-Length"]) == len(body)
    assert "profile.json" in zipfile.ZipFile(io.BytesIO(body)).namelist()


def test_it_is_not_made_without_end(alice: User) -> None:
    client = Client()
    client.force_login(alice)

    statuses = [client.post("/me/account/export/").status_code for _ in range(7)]

    assert statuses == [200] * 6 + [429]
