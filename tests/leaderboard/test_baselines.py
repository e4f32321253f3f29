"""Baselines on a board: stored, newest first, stale when the machine changes, marked and without a rank."""

from __future__ import annotations

import csv
import dataclasses
import io
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from evaluator.baselines.figures import CaseFigures, Clock, Figures, Status, unavailable
from evaluator.epoch import EPOCH
from leaderboard.baseline_models import BaselineResult
from leaderboard.baselines import due, first_stale, rows_of, store
from leaderboard.catalogue import remember_environments
from leaderboard.models import Op
from leaderboard.ranking import board
from submissions.events import board_stream, last_seq
from submissions.models import Worker
from tests.leaderboard.conftest import Finish

BOARD = "/api/v1/leaderboards/softmax/cpu"
HERE: dict[str, Any] = {"device_name": "Some CPU", "torch": "2.13.0", "epoch": EPOCH, "clocks": {"sm_mhz": 1}}


def measured(name: str = "torch_compile", speedup: float | None = 1.4, **fields: Any) -> Figures:
    own = name != "torch_compile" and name != "torch_eager"
    low, high = (None, None) if own or speedup is None else (speedup * 0.99, speedup * 1.01)
    case = CaseFigures("large", "float32[4096, 4096], -1", 700, 710, 730, 690, 800, 1000, speedup, low, high)
    given: dict[str, Any] = {"time_us": 700.0, "eager_us": 1000.0, "speedup": speedup, "low": low, "high": high, "cases": (case,)}
    clock = Clock.OWN if own else Clock.INTERLEAVED
    return Figures("softmax", "cpu", name, Status.OK, clock, **(given | {"environment": HERE} | fields))


def worker(environment: dict[str, Any], *, device: str = "cpu", name: str = "w1") -> None:
    """Start one and let the sweeper's next round pass."""
    Worker.objects.create(name=name, queue=f"device.{device}", device=device, environment=environment, started_at=timezone.now())
    remember_environments()


def absent(name: str = "torch_compile", why: str = "suspect: two clocks disagree", **fields: Any) -> Figures:
    clock = Clock.INTERLEAVED if name == "torch_compile" else Clock.OWN
    return unavailable("softmax", "cpu", name, clock, why, **({"environment": HERE} | fields))


def test_all_figures_are_kept(loaded: None) -> None:
    row = store(measured())

    again = BaselineResult.objects.get()
    assert row == again
    assert (again.time_us, again.eager_us, again.speedup, again.speedup_low) == (700, 1000, 1.4, 1.4 * 0.99)
    assert again.cases[0]["p95_us"] == 730
    assert again.environment == HERE


def test_readers_of_the_board_are_told(loaded: None) -> None:
    before = last_seq(board_stream("softmax", "cpu"))

    store(measured())

    assert last_seq(board_stream("softmax", "cpu")) == before + 1


def test_the_newest_row_counts_and_older_ones_stay(loaded: None) -> None:
    for speedup in (1.1, 1.3):
        store(measured(speedup=speedup))
    store(unavailable("softmax", "cpu", "tvm", Clock.OWN, "TVM_BENCH_CMD is not set", environment=HERE))

    rows = rows_of("softmax", "cpu")

    assert [(row.name, row.speedup, row.status) for row in rows] == [("torch_compile", 1.3, "ok"), ("tvm", None, "unavailable")]
    assert BaselineResult.objects.count() == 3
    assert rows_of("softmax", "h100") == rows_of("relu", "cpu") == []


def test_a_gpu_of_no_class_gets_its_device(loaded: None) -> None:
    store(dataclasses.replace(measured(), device="rtx-9999"))

    assert [row.name for row in rows_of("softmax", "rtx-9999")] == ["torch_compile"]


def test_a_row_without_figures_or_reason_is_refused_by_the_database(loaded: None) -> None:
    row = store(measured())
    assert row is not None

    for changes in ({"time_us": None}, {"status": "unavailable"}, {"why": "a reason"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            BaselineResult.objects.filter(pk=row.pk).update(**changes)


def test_a_row_is_stale_when_the_newest_worker_has_another_environment(loaded: None) -> None:
    store(measured())
    assert rows_of("softmax", "cpu")[0].stale == ""

    worker(HERE | {"clocks": {"sm_mhz": 2}})
    worker({"torch": "1.0"}, device="h100", name="w2")
    assert rows_of("softmax", "cpu")[0].stale == ""

    worker(HERE | {"torch": "2.14.0", "epoch": EPOCH + 1}, name="w3")
    assert rows_of("softmax", "cpu")[0].stale == f"torch 2.13.0 → 2.14.0, epoch {EPOCH} → {EPOCH + 1}"

    worker({}, name="starting")
    assert rows_of("softmax", "cpu")[0].stale != ""

    Worker.objects.all().delete()
    remember_environments()
    assert rows_of("softmax", "cpu")[0].stale != "", "what the worker said is known when it is gone"


def test_a_row_of_an_earlier_epoch_is_stale_whoever_was_there_since(loaded: None) -> None:
    store(measured(environment=HERE | {"epoch": EPOCH - 1}))

    assert rows_of("softmax", "cpu")[0].stale == f"epoch {EPOCH - 1} → {EPOCH}"
    worker(HERE | {"epoch": EPOCH - 1})
    assert rows_of("softmax", "cpu")[0].stale == f"epoch {EPOCH - 1} → {EPOCH}"


def test_what_is_unavailable_now_does_not_replace_figures_of_the_same_machine_and_command(loaded: None) -> None:
    store(measured())

    assert store(absent()) is None
    assert [row.status for row in rows_of("softmax", "cpu")] == ["ok"]

    newer = HERE | {"torch": "2.14.0"}
    assert store(absent(environment=newer)) is not None
    assert store(absent(environment=newer)) is not None
    assert [row.status for row in rows_of("softmax", "cpu")] == ["unavailable"]


def test_figures_of_another_command_are_replaced_by_whatever_the_new_one_gave(loaded: None) -> None:
    store(measured("tvm", command_sha256="a" * 64))

    store(absent("tvm", command_sha256="b" * 64))

    assert [row.status for row in rows_of("softmax", "cpu")] == ["unavailable"]


def test_a_board_of_an_earlier_epoch_shows_what_was_measured_in_it(loaded: None) -> None:
    for epoch, speedup in ((EPOCH - 1, 1.1), (EPOCH - 1, 1.2), (EPOCH, 1.3)):
        store(measured(speedup=speedup, environment=HERE | {"epoch": epoch}))

    assert [row.speedup for row in rows_of("softmax", "cpu", EPOCH - 1)] == [1.2]
    assert [row.speedup for row in rows_of("softmax", "cpu")] == [1.3]


def test_what_is_missing_or_stale_is_due(loaded: None) -> None:
    names = ("torch_compile", "tvm")
    store(measured())
    store(measured("tvm", command_sha256="a" * 64))

    def found(environment: dict[str, Any] = HERE, tvm: str = "a" * 64) -> dict[str, tuple[str, ...]]:
        return due(["softmax", "relu"], "cpu", names, environment=environment, commands={"tvm": tvm})

    assert found() == {"relu": names}
    assert found(tvm="b" * 64) == {"softmax": ("tvm",), "relu": names}
    assert found(tvm="") == {"softmax": ("tvm",), "relu": names}
    assert found(HERE | {"driver": "600"})["softmax"] == names
    assert due(["softmax"], "h100", names, environment=HERE, commands={}) == {"softmax": names}


def test_what_was_unavailable_is_due_again_where_something_can_measure_it(loaded: None) -> None:
    names = ("torch_compile", "tvm", "xla")
    for figures in (absent(), absent("tvm", command_sha256="a" * 64), absent("xla", "XLA_BENCH_CMD is not set")):
        store(figures)

    def found(**more: Any) -> dict[str, tuple[str, ...]]:
        return due(["softmax"], "cpu", names, environment=HERE, commands={"tvm": "a" * 64, "xla": ""}, **more)

    assert found() == {"softmax": ("torch_compile", "tvm")}
    assert found(patience=timedelta(days=1)) == {}


def test_the_first_stale_op_is_one_that_was_measured_once(loaded: None) -> None:
    def found(environment: dict[str, Any] = HERE, tvm: str = "a" * 64, **more: Any) -> tuple[str, tuple[str, ...]] | None:
        return first_stale("cpu", environment=environment, commands={"tvm": tvm}, patience=timedelta(days=1), **more)

    newer = HERE | {"torch": "2.14.0"}
    assert found(newer) is None, "nothing was ever measured"
    store(measured("tvm", command_sha256="a" * 64))
    store(absent())

    assert found() is None
    assert found(newer) == ("softmax", ("torch_compile", "tvm"))
    assert found(tvm="b" * 64) == ("softmax", ("tvm",))
    assert found(newer, but=["softmax"]) is None
    BaselineResult.objects.filter(name="torch_compile").update(measured_at=timezone.now() - timedelta(days=2))
    assert found() == ("softmax", ("torch_compile",))
    Op.objects.filter(pk="softmax").update(active=False)
    assert found(newer) is None


def test_torch_eager_is_the_median_beside_entries_or_else_what_was_stored(finish: Finish, alice: User) -> None:
    store(measured("torch_eager", 1.0, time_us=900.0))
    assert [(row.name, row.time_us, row.measured) for row in board("softmax", "cpu").baselines] == [("torch_eager", 900, 0)]

    finish(alice)

    assert [(row.name, row.time_us, row.measured) for row in board("softmax", "cpu").baselines] == [("torch_eager", pytest.approx(1000), 1)]


def test_baselines_can_be_hidden_and_take_no_rank(finish: Finish, alice: User) -> None:
    finish(alice, 1.2)
    store(measured(speedup=9.0))

    shown, hidden = board("softmax", "cpu"), board("softmax", "cpu", baselines=False)

    assert [row.name for row in shown.baselines] == ["torch_eager", "torch_compile"]
    assert hidden.baselines == ()
    assert [row.rank for row in shown.rows] == [row.rank for row in hidden.rows] == [1]
    assert shown.standing == 1


def test_a_board_costs_two_queries(finish: Finish, alice: User, django_assert_num_queries: Any) -> None:
    finish(alice)
    worker(HERE)
    for name in ("torch_compile", "tvm", "xla"):
        store(measured(name))

    with django_assert_num_queries(2):
        assert len(board("softmax", "cpu").baselines) == 4


def test_json_has_baselines_by_kind(finish: Finish, alice: User, client: Client) -> None:
    finish(alice, 2.0)
    store(measured())
    store(measured("tvm"))
    store(unavailable("softmax", "cpu", "xla", Clock.OWN, "status 4\nit said: /opt/secret", environment=HERE))

    found = client.get(BOARD).json()

    assert [row["kind"] for row in found["rows"]] == ["entry"]
    assert found["baseline"] == found["baselines"][0]
    baselines = {row["name"]: row for row in found["baselines"]}
    assert list(baselines) == ["torch_eager", "torch_compile", "tvm", "xla"]
    assert {row["kind"] for row in baselines.values()} == {"baseline"}
    compiled, tvm, xla = baselines["torch_compile"], baselines["tvm"], baselines["xla"]
    assert (compiled["clock"], compiled["speedup_low"], compiled["per_case"][0]["time_us"]) == ("interleaved", 1.4 * 0.99, 700)
    assert (tvm["clock"], tvm["speedup"], tvm["speedup_low"]) == ("own", 1.4, None)
    assert (xla["status"], xla["why"], xla["time_us"]) == ("unavailable", "status 4", None)
    assert "secret" not in str(found)


def test_json_without_baselines(finish: Finish, alice: User, client: Client) -> None:
    finish(alice)
    store(measured())

    found = client.get(f"{BOARD}?baselines=false").json()

    assert (found["baselines"], found["baseline"], len(found["rows"])) == ([], None, 1)


def test_csv_has_a_row_for_each(finish: Finish, alice: User, client: Client) -> None:
    finish(alice)
    store(measured())
    store(unavailable("softmax", "cpu", "tvm", Clock.OWN, "=it is not set", environment=HERE))

    rows = list(csv.DictReader(io.StringIO(client.get(f"{BOARD}?format=csv").content.decode())))

    assert [(row["author"], row["kind"]) for row in rows] == [
        ("alice", "entry"),
        ("torch_eager", "baseline"),
        ("torch_compile", "baseline"),
        ("tvm", "baseline"),
    ]
    assert (rows[2]["speedup"], rows[2]["rank"], rows[2]["clock"]) == ("1.4", "", "interleaved")
    assert (rows[3]["status"], rows[3]["why"], rows[3]["time_us"]) == ("unavailable", "'=it is not set", "")
