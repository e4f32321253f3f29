"""What the judge can rely on about a process in the sandbox."""

from __future__ import annotations

import gc
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from evaluator.contract import Limits
from evaluator.sandbox import Sandbox, SandboxError
from evaluator.sandbox.tree import descendants
from tests.evaluator.sandbox.running import LIMITS, output, start, wait_until

MODES = ["best-effort", "off"]
SETSID_CHILD = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            print("child", flush=True)
            time.sleep(600)
        os._exit(0)
time.sleep(600)
"""


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("pass", "exited with status 0"),
        ("import os; os._exit(3)", "exited with status 3"),
        ("import ctypes; ctypes.string_at(0)", "killed by SIGSEGV"),
        ("import os; os.abort()", "killed by SIGABRT"),
        ("import os; os.kill(os.getpid(), 9)", "killed by SIGKILL"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_the_exit_is_described(mode: str, code: str, ended: str) -> None:
    with start(code, Sandbox(mode)) as process:
        process.wait(20)

        assert process.exit_description() == ended


def test_a_running_process_is_not_described_as_ended() -> None:
    with start("import time; time.sleep(600)") as process:
        assert process.poll() is None
        assert process.exit_description() == "still running"
        with pytest.raises(TimeoutError):
            process.wait(0.05)


def test_a_hundred_megabytes_of_output_are_swallowed_fast_and_cut() -> None:
    started = time.monotonic()

    with start(
        "import sys\nsys.stdout.write('begin')\nfor _ in range(100): sys.stdout.write('x' * 1_000_000)\nsys.stderr.write('end')"
    ) as process:
        assert process.wait(20) == 0
        process.kill()
        text, cut = process.log()

    assert cut
    assert "bytes cut" in text
    assert text.startswith("begin")
    assert "end" in text[-200:]
    assert len(text) < LIMITS.log_bytes + 200
    assert time.monotonic() - started < 10


def test_bytes_that_are_not_text_are_replaced_in_the_log() -> None:
    assert "\ufffd" in output("import os; os.write(1, b'\\xff\\xfe')")


def test_standard_input_is_empty() -> None:
    assert "b''" in output("import os; print(os.read(0, 10))")


@pytest.mark.parametrize("mode", MODES)
def test_only_the_given_descriptors_are_open_and_keep_their_numbers(mode: str) -> None:
    ours, theirs = socket.socketpair()
    secret = os.open("/etc/hostname", os.O_RDONLY)
    os.set_inheritable(secret, True)
    code = (
        "import os, socket\nprint([int(n) for n in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/' + n)])\n"
        f"socket.socket(fileno={theirs.fileno()}).send(b'hi')"
    )

    with ours, theirs, start(code, Sandbox(mode), fds=[theirs.fileno()]) as process:
        assert process.wait(20) == 0, process.log()[0]
        assert ours.recv(10) == b"hi"
        process.kill()
        assert str([0, 1, 2, theirs.fileno()]) in process.log()[0]
    os.close(secret)


def test_the_channel_closes_when_the_process_ends() -> None:
    ours, theirs = socket.socketpair()
    ours.settimeout(20)

    with ours, start("import time; time.sleep(600)", fds=[theirs.fileno()]) as process:
        theirs.close()
        process.kill()

        assert ours.recv(1) == b""


def test_home_and_temporary_files_are_in_the_work_directory() -> None:
    text = output("import os, tempfile; print(os.getcwd(), os.environ['HOME'], tempfile.mkdtemp(), os.environ['TRITON_CACHE_DIR'])")

    for path in text.split()[:4]:
        assert path.startswith("/box")


def test_the_work_directory_of_a_process_without_namespaces_is_removed() -> None:
    with start("open('left', 'w').write('x')", Sandbox("off")) as process:
        process.wait(20)
        box = Path(process.box)
        assert (box / "left").exists()

    assert not box.exists()


@pytest.mark.parametrize("mode", MODES)
def test_kill_ends_children_that_left_the_session(mode: str) -> None:
    process = start(SETSID_CHILD, Sandbox(mode))
    wait_until(lambda: process.log()[0].count("child") == 3)
    members = [process.pid, *descendants(process._handle.root_pid)]

    assert process.usage().processes >= 4
    assert process.kill()
    assert process.left_processes >= 3
    assert not [pid for pid in members if Path(f"/proc/{pid}").exists()]
    assert process.kill(), "a second kill does nothing"
    assert process.usage().processes == 0


@pytest.mark.parametrize("mode", MODES)
def test_nothing_is_left_when_the_main_process_ends_by_itself(mode: str) -> None:
    process = start(SETSID_CHILD, Sandbox(mode))
    wait_until(lambda: process.log()[0].count("child") == 3)
    members = descendants(process._handle.root_pid)
    os.kill(process.pid, 9)

    process.wait(20)
    assert process.kill()
    assert not [pid for pid in members if Path(f"/proc/{pid}").exists()]


def test_a_process_that_ignores_signals_is_killed() -> None:
    process = start(
        "import signal, time\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\nprint('ready', flush=True)\ntime.sleep(600)"
    )
    wait_until(lambda: "ready" in process.log()[0])

    assert process.kill()


def test_a_fork_bomb_is_stopped_by_its_limit_and_killed() -> None:
    process = start("import os\nwhile True:\n    try: os.fork()\n    except OSError: print('refused', flush=True)")
    wait_until(lambda: "refused" in process.log()[0])

    assert process.usage().processes <= LIMITS.processes
    assert process.kill()


@pytest.mark.parametrize(
    "code",
    [
        "block = bytearray(b'x' * (200 << 20))",
        "import os\nfor _ in range(4):\n    fd = os.memfd_create('m')\n    for _ in range(50): os.write(fd, b'x' * (1 << 20))",
        "import mmap; m = mmap.mmap(-1, 200 << 20)\nfor i in range(0, 200 << 20, 4096): m[i] = 1",
        "for name in 'xyzt':\n    f = open('/dev/shm/' + name, 'wb')\n    for _ in range(50): f.write(b'x' * (1 << 20))\n    f.close()",
    ],
    ids=["private", "memory file", "shared mapping", "shared memory directory"],
)
def test_usage_counts_private_and_shared_memory(code: str) -> None:
    with start(f"{code}\nprint('ready', flush=True)\nimport time; time.sleep(600)") as process:
        wait_until(lambda: "ready" in process.log()[0])

        assert 195 << 20 < process.usage().memory_bytes < 300 << 20


def test_usage_does_not_count_memory_that_we_gave() -> None:
    given = os.memfd_create("given")
    os.write(given, b"x" * (200 << 20))
    ours, theirs = socket.socketpair()
    code = (
        f"import mmap, os, socket, time\n_, (fd,), _, _ = socket.recv_fds(socket.socket(fileno={theirs.fileno()}), 1, 1)\n"
        "m = mmap.mmap(fd, 0)\nos.close(fd)\nfor i in range(0, 200 << 20, 4096): m[i]\nprint('ready', flush=True)\ntime.sleep(600)"
    )

    with ours, theirs, start(code, fds=[theirs.fileno()]) as process:
        socket.send_fds(ours, [b"x"], [given])
        wait_until(lambda: "ready" in process.log()[0])

        assert process.usage().memory_bytes < 100 << 20
    os.close(given)


def test_a_process_survives_the_thread_that_started_it() -> None:
    started = []
    thread = threading.Thread(target=lambda: started.append(start("import time; time.sleep(600)")))
    thread.start()
    thread.join()

    with started[0] as process, pytest.raises(TimeoutError):
        process.wait(0.3)


@pytest.mark.parametrize("mode", MODES)
def test_a_run_dies_with_the_worker(mode: str) -> None:
    program = (
        "import time\nfrom evaluator.sandbox import Sandbox\nfrom evaluator.contract import Limits\n"
        f"p = Sandbox({mode!r}).start('timeit', ['-n1', '-r1', 'import time; time.sleep(600)'], limits=Limits())\n"
        "print(p.pid, p.box, flush=True)\ntime.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout
        pid, box = worker.stdout.readline().split()
        assert Path(f"/proc/{pid}").exists()

        worker.kill()

        wait_until(lambda: not Path(f"/proc/{pid}").exists() and not Path(box).exists())


def test_two_runs_have_different_users_and_neither_sees_the_other() -> None:
    with start("import time; time.sleep(600)") as first, start("import time; time.sleep(600)") as second:
        owners = {Path(f"/proc/{process.pid}").stat().st_uid for process in (first, second)}

        assert 0 not in owners
        if os.geteuid() == 0:
            assert len(owners) == 2


def test_a_module_that_does_not_exist_fails_with_its_reason() -> None:
    with Sandbox("best-effort").start("no_such_module", limits=LIMITS) as process:
        assert process.wait(20) == 1
        process.kill()
        assert "no_such_module" in process.log()[0]


def test_descriptors_do_not_leak() -> None:
    sandbox = Sandbox("best-effort")
    start("pass", sandbox).kill()
    before = _descriptors()

    for _ in range(5):
        with start("pass", sandbox) as process:
            process.wait(20)

    assert _descriptors() == before


def _descriptors() -> int:
    gc.collect()  # what earlier tests left must not be closed in between
    return len(list(Path("/proc/self/fd").iterdir()))


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="best-effort, strict, off"):
        Sandbox("strickt")


def test_a_gpu_that_is_not_there_is_refused() -> None:
    with pytest.raises(LookupError, match="no GPU 99"):
        Sandbox("best-effort", gpu_index=99)


def test_a_broken_limit_is_our_fault_with_a_reason() -> None:
    with pytest.raises(SandboxError):
        start("pass", limits=Limits(scratch_bytes=-1))
