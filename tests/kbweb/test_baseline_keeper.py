"""Who measures stale baselines again under `kb up`, and when."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from evaluator.ops import registry
from kbweb.supervisor.baselines import Keeper, Post, post_of
from kbweb.supervisor.machine import DeviceWorker
from kbweb.supervisor.up import House
from leaderboard import catalogue
from leaderboard.baselines import store
from submissions.intake import submit
from submissions.models import Evaluation, Worker
from tests.leaderboard.test_baselines import HERE, measured

STALE = ("softmax", ("torch_compile",))
NEWER = HERE | {"torch": "2.14.0"}


@pytest.fixture
def stale(db: None, monkeypatch: pytest.MonkeyPatch) -> Worker:
    """A row of softmax on the cpu, and a worker of this machine that has another torch."""
    for name in ("TVM_BENCH_CMD", "XLA_BENCH_CMD", "TENSORRT_BENCH_CMD", "GLOW_BENCH_CMD", "PYC_GPU_BENCH_CMD"):
        monkeypatch.delenv(name, raising=False)
    catalogue.load(registry.all_ops("smoke"))
    store(measured())
    return worker(NEWER)


def worker(environment: dict[str, Any], name: str = "here", **fields: Any) -> Worker:
    given = {"queue": "device.cpu", "device": "cpu", "host": socket.gethostname()[:60], "environment": environment}
    return Worker.objects.create(name=name, **(given | fields))


def test_a_stale_op_is_measured_once(stale: Worker) -> None:
    keeper = Keeper()

    assert keeper.next("cpu") == STALE
    assert keeper.next("cpu") is None, "it stays stale: tomorrow again"
    assert Keeper().next("h100") is None


def test_nothing_is_measured_while_anybody_waits(stale: Worker) -> None:
    alice = User.objects.create_user("alice")
    submit(alice, op="relu", source=b"def relu_kernel_impl(x):\n    return x\n", device="cpu", kernel_type="torch")
    keeper = Keeper()
    assert keeper.next("cpu") is None

    Evaluation.objects.update(state="done", verdict="accepted")

    assert keeper.next("cpu") == STALE


def test_nothing_is_measured_where_nothing_ever_was(db: None) -> None:
    catalogue.load(registry.all_ops("smoke"))
    worker(NEWER)

    assert Keeper().next("cpu") is None


def test_what_is_fresh_is_left_alone(stale: Worker) -> None:
    Worker.objects.update(environment=HERE)

    assert Keeper().next("cpu") is None


def test_of_several_machines_the_one_whose_worker_started_last_measures(stale: Worker) -> None:
    later = timezone.now() + timedelta(seconds=1)

    other = worker(NEWER | {"driver": "9"}, "there", host="elsewhere", started_at=later)
    assert Keeper().next("cpu") is None

    other.delete()
    assert Keeper().next("cpu") == STALE


def test_a_worker_that_is_gone_says_nothing(stale: Worker) -> None:
    Worker.objects.update(seen_at=timezone.now() - timedelta(minutes=5))

    assert Keeper().next("cpu") is None


def test_a_post_survives_the_command_line_and_names_its_gpu() -> None:
    posts = [Post("cpu"), Post("h100", 2)]

    assert [post_of(post.argument) for post in posts] == posts
    assert posts[0].command("mine/softmax.int", ())[-4:] == ["mine/softmax.int", "--stale-only", "--device", "cpu"]
    assert posts[1].command("softmax", ("tvm", "xla"))[-5:] == ["cuda:2", "--name", "tvm", "--name", "xla"]


def test_one_process_has_a_post_at_the_first_gpu_of_each_class(tmp_path: Any) -> None:
    house = House(tmp_path, "127.0.0.1", 1, print)

    child = house._baselines([DeviceWorker("device.h100", 0), DeviceWorker("device.h100", 1), DeviceWorker("device.l4", 2)])

    assert child.command[-2:] == ["h100:0", "l4:2"]


RUNS = """
import signal, sys
from kbweb.supervisor.baselines import STOP, run_until_stopped
signal.pthread_sigmask(signal.SIG_BLOCK, STOP)
print(run_until_stopped([sys.executable, "-c", "print('measured', flush=True)"]), flush=True)
print(run_until_stopped([sys.executable, "-c", "print('begun', flush=True); import time; time.sleep(600)"]), flush=True)
"""


def test_a_stop_signal_ends_what_it_has_begun() -> None:
    with subprocess.Popen([sys.executable, "-c", RUNS], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(3)] == ["measured\n", "True\n", "begun\n"]

        os.kill(process.pid, signal.SIGTERM)

        assert process.stdout.read() == "False\n"
        assert process.wait(30) == 0
