"""Ops, devices, leaderboards and status over REST."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from evaluator.contract import Flag, KernelType
from kbweb.api.csv_answers import cell
from leaderboard.models import Op
from submissions.models import Visibility, Worker
from tests.leaderboard.conftest import Finish, unfinished

BOARD = "/api/v1/leaderboards/softmax/cpu"


def get(client: Client, path: str, **headers: str) -> Any:
    return client.get(path, headers=headers)


def test_ops_are_listed_and_filtered(loaded: None, client: Client) -> None:
    assert {op["slug"] for op in get(client, "/api/v1/ops").json()} >= {"softmax", "relu", "mm"}
    assert [op["slug"] for op in get(client, "/api/v1/ops?text=cross").json()] == ["cross_entropy"]
    assert get(client, "/api/v1/ops?suite=none").json() == []
    assert "softmax" in {op["slug"] for op in get(client, "/api/v1/ops?tag=reduction&suite=smoke").json()}


def test_one_op_has_all_that_an_author_needs(loaded: None, client: Client) -> None:
    op = get(client, "/api/v1/ops/softmax").json()

    assert op["definition"]["entry_point"] == "softmax_kernel_impl"
    assert op["definition"]["cases"]["cpu"]
    assert "torch" in op["definition"]["starters"]


def test_a_slug_with_slashes_has_its_address(loaded: None, client: Client) -> None:
    Op.objects.create(slug="kernelbench/level1/19_ReLU", title="ReLU", signature="relu(x)", precision="ieee_fp32")

    assert get(client, "/api/v1/ops/kernelbench/level1/19_ReLU").json()["title"] == "ReLU"
    assert get(client, "/api/v1/leaderboards/kernelbench/level1/19_ReLU/h100").json()["op"] == "kernelbench/level1/19_ReLU"


def test_an_unknown_op_is_a_problem_that_says_what_may_be_meant(loaded: None, client: Client) -> None:
    answer = get(client, "/api/v1/ops/softmux")

    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert "softmax" in answer.json()["detail"]


@pytest.mark.parametrize(
    "path", ["leaderboards/nothing/cpu", "leaderboards/softmax/abacus", "leaderboards/softmax", "ops/a%00b", "ops/%F0%9F%A6%84"]
)
def test_what_is_not_there_is_404(loaded: None, client: Client, path: str) -> None:
    assert get(client, f"/api/v1/{path}").status_code == 404


@pytest.mark.parametrize("query", ["author_kind=cat", "mine=perhaps", "kernel_type=" + "x" * 99])
def test_a_wrong_filter_names_its_field(loaded: None, client: Client, query: str) -> None:
    answer = get(client, f"{BOARD}?{query}")

    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == [query.split("=")[0]]


def test_devices_have_their_ceilings(loaded: None, client: Client) -> None:
    devices = {device["slug"]: device for device in get(client, "/api/v1/devices").json()}

    assert devices["h200"]["facts"]["dram_bytes_per_s"] == 4.8e12
    assert devices["cpu"]["kind"] == "cpu"


def test_a_board_as_json(finish: Finish, alice: User, bob: User, client: Client) -> None:
    evaluation = finish(alice, 2.0, visibility=Visibility.RESULT)
    finish(bob, 9.0, kernel_type=KernelType.TRITON, flags=(Flag.INTERPRETED,))

    board = get(client, BOARD).json()

    (row,) = board["rows"]
    assert (row["rank"], row["author"], row["speedup"], row["evaluation"]) == (1, "alice", 2.0, evaluation.pk)
    assert row["may_read_source"] is False
    assert [row["author"] for row in board["interpreted"]] == ["bob"]
    assert board["baseline"]["name"] == "torch_eager"


def test_mine_is_the_readers_own(finish: Finish, alice: User, bob: User, client: Client) -> None:
    finish(alice)
    finish(bob)
    client.force_login(bob)

    assert [row["author"] for row in get(client, f"{BOARD}?mine=true").json()["rows"]] == ["bob"]


@pytest.mark.parametrize(("path", "headers"), [(f"{BOARD}?format=csv", {}), (BOARD, {"accept": "text/csv"})])
def test_a_board_as_csv(finish: Finish, alice: User, client: Client, path: str, headers: dict[str, str]) -> None:
    finish(alice, 2.0, agent="=cmd|' /C calc'!A0")

    answer = get(client, path, **headers)

    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert answer["Content-Type"].startswith("text/csv")
    assert "softmax_cpu.csv" in answer["Content-Disposition"]
    assert [row["author"] for row in rows] == ["alice", "torch_eager"]
    assert float(rows[0]["speedup"]) == 2.0
    assert rows[0]["agent"] == "'=cmd|' /C calc'!A0"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1"])  # noqa: RUF001
def test_no_cell_is_a_formula(text: str) -> None:
    assert cell(text) == f"'{text}"


def test_cells_keep_full_precision() -> None:
    assert [cell(value) for value in (0.1 + 0.2, 3, True, None, "alice")] == ["0.30000000000000004", "3", "true", "", "alice"]


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/api/v1/leaderboards/softmux/cpu", 404, "softmax"),
        (f"{BOARD}?epoch=0", 400, "epoch"),
        ("/api/v1/results?suite=trail&device=h100", 400, "suite"),
        ("/api/v1/competitions/none/standings", 404, "see it"),
    ],
)
def test_an_error_is_a_problem_document_for_who_asked_for_csv_too(loaded: None, client: Client, path: str, status: int, said: str) -> None:
    answer = get(client, path, accept="text/csv")

    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert answer.json()["status"] == status
    assert said in answer.content.decode()
    assert "Content-Disposition" not in answer


def test_a_board_of_an_agent(finish: Finish, alice: User, bob: User, client: Client) -> None:
    finish(alice, 2.0, agent="a bot")
    finish(bob, 3.0)

    (row,) = get(client, f"{BOARD}?agent=a+bot").json()["rows"]
    text = get(client, f"{BOARD}?agent=a+bot&format=csv").content.decode()

    assert (row["author"], row["rank"]) == ("alice", 2)
    assert "alice" in text and "bob" not in text
    assert get(client, f"{BOARD}?agent=nobody").json()["rows"] == []


@pytest.mark.parametrize("suffix", ["", "?format=csv"])
def test_a_board_that_did_not_change_is_not_sent_again(finish: Finish, alice: User, client: Client, suffix: str) -> None:
    finish(alice, 1.5)
    etag = get(client, BOARD + suffix)["ETag"]

    again = get(client, BOARD + suffix, if_none_match=etag)
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", etag)
    assert {"Accept", "Authorization", "Cookie"} <= {name.strip() for name in again["Vary"].split(",")}

    finish(alice, 2.5)
    changed = get(client, BOARD + suffix, if_none_match=etag)
    assert changed.status_code == 200
    assert changed["ETag"] != etag


def test_formats_have_different_etags(loaded: None, client: Client) -> None:
    assert get(client, BOARD)["ETag"] != get(client, f"{BOARD}?format=csv")["ETag"]


def test_an_op_has_an_etag_too(loaded: None, client: Client) -> None:
    etag = get(client, "/api/v1/ops/softmax")["ETag"]

    assert get(client, "/api/v1/ops/softmax", if_none_match=f'"other", {etag}').status_code == 304


def test_status_tells_queues_workers_and_versions(loaded: None, alice: User, client: Client) -> None:
    unfinished(alice, device="h100")
    Worker.objects.create(name="w1", queue="device.cpu", device="cpu", sandbox={"seccomp": "active"})
    Worker.objects.create(name="w0", queue="device.h100", device="h100", seen_at=timezone.now() - timedelta(hours=1))

    status = get(client, "/api/v1/status").json()

    assert status["judging"] is True
    assert {w["name"]: w["alive"] for w in status["workers"]} == {"w1": True, "w0": False}
    queues = {q["name"]: (q["waiting"], q["running"]) for q in status["queues"]}
    assert queues == {"device.cpu": (0, 0), "device.h100": (0, 1)}
    assert {"kbweb", "django", "postgresql", "contract"} <= set(status["versions"])


def test_stats_count(finish: Finish, alice: User, client: Client) -> None:
    finish(alice)

    stats = get(client, "/api/v1/stats").json()

    assert (stats["submissions"], stats["evaluations"], stats["entries"], stats["authors"]) == (1, {"accepted": 1}, 1, 1)
