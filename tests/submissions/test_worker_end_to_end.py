"""Real worker processes, the real sandbox, real kernels, over real HTTP; then killing and restarting things in the middle."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import cast

import httpx
import pytest

from tests.live_site import LiveSite

pytestmark = pytest.mark.slow
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
GOOD = (EXAMPLES / "softmax_torch.py").read_text()
WRONG = (EXAMPLES / "softmax_wrong.py").read_text()
SLOW = "import time\nimport torch\n\n\ndef softmax_kernel_impl(x, dim=-1):\n    time.sleep(0.05)\n    return torch.softmax(x, dim)\n"
FASTER = """def var__correction_kernel_impl(x, dim, correction=1):
    rest = x - x.mean(dim, keepdim=True)
    return rest.mul_(rest).sum(dim) / (x.shape[dim[0]] - correction)
"""
"""Some ten times as fast as torch's own on a CPU, so that it leads its board clearly."""
Json = dict[str, object]


@pytest.fixture
def client(own: LiveSite) -> Iterator[httpx.Client]:
    with own.client() as client:
        yield client


def hand_in(client: httpx.Client, source: str, **fields: object) -> Json:
    """Hand in `source`; returns its only evaluation."""
    body = {"op": "softmax", "device": "cpu", "source": source, **fields}
    answer = client.post("submissions", json=body)
    assert answer.status_code == 201, answer.text
    return cast("Json", answer.json()["evaluations"][0])


def judged(client: httpx.Client, source: str, **fields: object) -> Json:
    """Hand in `source`; returns its only evaluation once it is done."""
    return evaluation(client, hand_in(client, source, **fields))


def evaluation(client: httpx.Client, run: Json) -> Json:
    """The evaluation once it is done, or as it is after two minutes."""
    for _ in range(2):
        found = cast("Json", client.get(f"evaluations/{run['id']}", params={"wait": 60}).json())
        if found["state"] == "done":
            break
    return found


def history(client: httpx.Client, run: Json) -> list[Json]:
    events = client.get(f"evaluations/{run['id']}/events", params={"limit": 1000}).json()["events"]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    return cast("list[Json]", events)


def states(client: httpx.Client, run: Json) -> list[str]:
    return [str(cast("Json", event["data"])["state"]) for event in history(client, run) if event["kind"] == "state"]


def until_state(site: LiveSite, client: httpx.Client, run: Json, *wanted: str) -> None:
    site.until(lambda: client.get(f"evaluations/{run['id']}").json()["state"] in wanted, f"{run['id']} is {' or '.join(wanted)}")


def test_a_right_kernel_is_accepted_and_ranked(own: LiveSite, client: httpx.Client) -> None:
    run = judged(client, GOOD)

    assert run["verdict"] == "accepted", run
    assert isinstance(run["performance_score"], float)
    assert states(client, run) == ["queued", "building", "waiting", "checking", "timing", "done"]
    kinds = [event["kind"] for event in history(client, run)]
    assert kinds[-1] == "verdict"
    assert kinds.count("verdict") == 1
    assert "case" in kinds


def test_a_wrong_one_is_refused_with_its_first_wrong_elements(client: httpx.Client) -> None:
    run = judged(client, WRONG)

    assert run["verdict"] == "wrong_result"
    cases = cast("list[Json]", cast("Json", run["outcome"])["cases"])
    assert any(case["mismatches"] for case in cases)
    assert states(client, run)[-1] == "done"


IN_TURN = [
    ("def softmax_kernel_impl(:\n", "compile_error"),
    ("def softmax_kernel_impl(x, dim=-1):\n    raise KeyError('no')\n", "runtime_error"),
    ("import os\n\n\ndef softmax_kernel_impl(x, dim=-1):\n    os._exit(0)\n", "crashed"),
    ("def softmax_kernel_impl(x, dim=-1):\n    return x[..., :1]\n", "wrong_shape"),
    ("import ctypes\n\n\ndef softmax_kernel_impl(x, dim=-1):\n    ctypes.string_at(0)\n", "crashed"),
    ("def other(x):\n    return x\n", "compile_error"),
    (GOOD, "accepted"),
]
"""No two that follow each other end alike, so a verdict that stuck would show."""


def test_after_a_bad_one_the_next_is_judged_right(client: httpx.Client) -> None:
    runs = [hand_in(client, source, mode="test") for source, _ in IN_TURN]

    assert [evaluation(client, run)["verdict"] for run in runs] == [verdict for _, verdict in IN_TURN]


def test_a_running_one_is_cancelled_within_seconds(own: LiveSite, client: httpx.Client) -> None:
    run = hand_in(client, SLOW)
    until_state(own, client, run, "checking", "timing")

    client.post(f"evaluations/{run['id']}/cancel")

    end = evaluation(client, run)
    assert end["verdict"] == "cancelled"
    assert judged(client, GOOD, mode="test")["verdict"] == "accepted"


def test_killing_the_device_worker_costs_an_attempt_and_nothing_else(own: LiveSite, client: httpx.Client) -> None:
    run = hand_in(client, SLOW, mode="test")
    until_state(own, client, run, "checking")

    os.kill(own.children()["device.cpu"], signal.SIGKILL)

    end = evaluation(client, run)
    assert (end["verdict"], end["attempt"]) == ("accepted", 2), own.log[-40:]
    assert states(client, run) == ["queued", "building", "waiting", "checking", "waiting", "checking", "done"]
    assert [event["kind"] for event in history(client, run)].count("verdict") == 1


def test_a_worker_told_to_stop_gives_back_at_once_without_an_attempt(own: LiveSite, client: httpx.Client) -> None:
    run = hand_in(client, SLOW, mode="test")
    until_state(own, client, run, "checking")

    os.kill(own.children()["device.cpu"], signal.SIGTERM)
    end = evaluation(client, run)
    assert (end["verdict"], end["attempt"]) == ("accepted", 1)
    assert states(client, run)[3:6] == ["checking", "waiting", "checking"], "it was not judged to its end first"


def test_killing_the_builder_loses_nothing(own: LiveSite, client: httpx.Client) -> None:
    os.kill(own.children()["build"], signal.SIGKILL)
    run = hand_in(client, GOOD, mode="test")

    assert evaluation(client, run)["verdict"] == "accepted"


def test_a_database_restart_in_the_middle_loses_and_doubles_nothing(own: LiveSite, client: httpx.Client) -> None:
    run = hand_in(client, SLOW, mode="test")
    until_state(own, client, run, "checking")

    own.restart_postgres()

    end = evaluation(client, run)
    assert end["verdict"] == "accepted", own.log[-60:]
    assert end["attempt"] == 1
    assert [event["kind"] for event in history(client, run)].count("verdict") == 1
    assert judged(client, GOOD, mode="test")["verdict"] == "accepted"


def test_an_imported_op_is_judged_by_a_worker_that_does_not_know_it(own: LiveSite, client: httpx.Client, tmp_path: Path) -> None:
    trace = tmp_path / "trace.txt"
    trace.write_text("Operator: aten.var.correction\ncnt: 2, ((T([64, 1024], f32), [1]), {'correction': 1})\n")
    imported = own.kb("import", "backendbench", str(trace), "--suite", "mine")
    assert imported.returncode == 0, imported.stderr
    assert "1 added" in imported.stdout
    op = "mine/aten.var.correction"

    run = judged(client, FASTER, op=op)

    assert run["verdict"] == "accepted", run
    assert isinstance(run["performance_score"], float)
    assert client.get(f"leaderboards/{op}/cpu").json()["rows"][0]["submission"] == run["submission"]

    def confirming() -> Json:
        return cast("Json", client.get(f"evaluations/{run['id']}").json()["confirming"])

    own.until(lambda: confirming()["confirmation"] != "confirming", "the site has confirmed the lead by itself", within_s=180)
    assert (confirming()["confirmation"], confirming()["counted"]) == ("confirmed", 3), confirming()
    (row,) = client.get(f"leaderboards/{op}/cpu").json()["rows"]
    assert (row["confirmed"], row["runs"], row["evaluation"] != run["id"]) == (True, 4, True)
    assert '<span class="badge tone-good">stands</span>' in own.get(f"/ops/{op}/cpu/").text


def test_what_the_queue_adds_is_little(client: httpx.Client) -> None:
    """Between hand-in and verdict, what is not the evaluator's own stages: claims, doorbells, rows. About 0.15 s on an idle machine."""
    overheads = []
    for number in range(5):
        run = judged(client, f"{GOOD}# {number}\n", mode="test")
        events = history(client, run)
        whole_s = _seconds_between(str(events[0]["at"]), str(events[-1]["at"]))
        stages = cast("dict[str, float]", cast("Json", run["outcome"])["stage_seconds"])
        overheads.append(whole_s - sum(stages.values()))
        if overheads[-1] < 1.0:
            return
    raise AssertionError(overheads)


def _seconds_between(first: str, last: str) -> float:
    return (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()
