"""One evaluation at a time per device, between processes."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from evaluator.sandbox.lock import LockBusy, device_lock, lock_directory

HOLD = """
import sys
from evaluator.sandbox.lock import device_lock
with device_lock(sys.argv[1], shared=sys.argv[2] == "shared", purpose="timing"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KB_LOCK_DIR", str(tmp_path / "locks"))
    return tmp_path / "locks"


def holder(device: str, kind: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLD, device, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_told_who_holds_it() -> None:
    with holder("cpu", "exclusive") as other:
        with (
            pytest.raises(LockBusy, match=rf"cpu is in use by process {other.pid} of uid \d+: timing; waited 0.05 s"),
            device_lock("cpu", timeout_s=0.05),
        ):
            pass
        other.kill()


def test_a_lock_is_free_again_when_its_holder_dies() -> None:
    with holder("GPU-1234", "exclusive") as other:
        other.kill()
        other.wait()

        with device_lock("GPU-1234", timeout_s=5):
            pass


def test_builds_share_and_keep_a_timed_run_out() -> None:
    with holder("cpu", "shared") as other:
        with device_lock("cpu", shared=True):
            pass
        with pytest.raises(LockBusy), device_lock("cpu"):
            pass
        other.kill()


def test_who_lets_it_go_and_wants_it_again_comes_after_who_waits(own_directory: Path) -> None:
    """A waiter looks fifty times a second, and one that takes the lock again at once would win every time."""
    took: list[str] = []

    def wait() -> None:
        with device_lock("cpu", timeout_s=30):
            took.append("waiter")

    waiter = threading.Thread(target=wait)
    with device_lock("cpu"):
        waiter.start()
        while not somebody_waits(own_directory):
            os.sched_yield()
    with device_lock("cpu", timeout_s=30):
        took.append("again")
    waiter.join()

    assert took == ["waiter", "again"]


def somebody_waits(locks: Path) -> bool:
    """Whether somebody has taken the turn."""
    with (locks / "cpu.turn.lock").open() as turn:
        try:
            fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_devices_do_not_share_a_lock() -> None:
    with device_lock("GPU-a"), device_lock("GPU-b"), device_lock("cpu"):
        pass


def test_other_users_can_take_the_same_lock(own_directory: Path) -> None:
    with device_lock("cpu"):
        assert stat.S_IMODE(own_directory.stat().st_mode) == 0o1777
        assert stat.S_IMODE((own_directory / "cpu.lock").stat().st_mode) == 0o666


def test_a_link_in_place_of_a_lock_is_not_followed(own_directory: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("keep")
    (lock_directory() / "cpu.lock").symlink_to(victim)

    with pytest.raises(OSError), device_lock("cpu"):
        pass
    assert victim.read_text() == "keep"


@pytest.mark.parametrize("name", ["", "../cpu", "a/b", ".hidden", "a\0b"])
def test_a_name_that_is_not_a_device_is_refused(name: str) -> None:
    with pytest.raises(ValueError), device_lock(name):
        pass
