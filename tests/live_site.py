"""The whole site as `kb up` runs it: real processes, a database of its own, a free port."""

from __future__ import annotations

import json
import os
import queue
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

ROOT = Path(__file__).parent.parent
START_S = 90.0
STOP_S = 45.0


class LiveSite:
    """A running `kb up` with short timings. `log` holds what it printed; `url`, `token` and `sign_in` are how to get in."""

    def __init__(self, data_dir: Path, **environment: str) -> None:
        self.data_dir = data_dir
        self.port = free_port()
        self.log: list[str] = []
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("KB_", "DATABASE_", "DJANGO_", "PYTEST_"))}
        self.environment |= {"KB_DATA_DIR": str(data_dir), "KB_PORT": str(self.port), "KB_LOG_LEVEL": "INFO"}
        # A device lock of its own, so that other judges on this host do not hold it up, and no kernels or baselines but the tests'.
        self.environment |= {
            "KB_LOCK_DIR": str(data_dir / "locks"),
            "KB_EXAMPLES": "off",
            "KB_BASELINES": "off",
            "KB_LIMITS": "timing_case_s=0.5",
            **environment,
        }
        self.url = f"http://127.0.0.1:{self.port}"
        self.sign_in = ""
        self._process: subprocess.Popen[str] | None = None
        # One for all questions, because to make one takes 20 ms. No connection is kept: tests end the server on its other end.
        self._http = httpx.Client(base_url=self.url, timeout=20, verify=False, limits=httpx.Limits(max_keepalive_connections=0))

    @property
    def process(self) -> subprocess.Popen[str]:
        assert self._process is not None, "the site was not started"
        return self._process

    @property
    def token(self) -> str:
        return str(json.loads((self.data_dir / "local.json").read_text())["token"])

    def start(self, *, ready: bool = True) -> None:
        """Start it and wait until it announces itself and, unless `ready` is false, until `/readyz` answers 200."""
        announced: queue.Queue[str] = queue.Queue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "kbweb.cli", "up", "--json"],
            cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=self._read_log, args=[self._process], daemon=True).start()
        threading.Thread(target=lambda: announced.put(_document(self.process)), daemon=True).start()
        try:
            document = announced.get(timeout=START_S)
            self.sign_in = str(json.loads(document)["sign_in"])
        except (queue.Empty, ValueError) as error:
            self.stop()
            raise AssertionError("kb up did not come up:\n" + "\n".join(self.log[-60:])) from error
        if ready:
            self.until(lambda: self.get("/readyz").status_code == 200, "it is ready")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Send `how` and wait for the end; returns the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise AssertionError("kb up did not stop:\n" + "\n".join(self.log[-60:])) from None

    def get(self, path: str) -> httpx.Response:
        return self._http.get(path)

    @contextmanager
    def client(self) -> Iterator[httpx.Client]:
        """A REST client with the administrator's token; paths are relative to `/api/v1/`."""
        headers = {"Authorization": f"Bearer {self.token}"}
        with httpx.Client(base_url=f"{self.url}/api/v1/", headers=headers, timeout=120, verify=False) as client:
            yield client

    def kb(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a `kb` command as someone on the same machine would."""
        command = [sys.executable, "-m", "kbweb.cli", *arguments]
        return subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=180)

    def until(self, condition: Callable[[], object], what: str, within_s: float = START_S) -> None:
        """Wait until `condition` is true (a refused connection counts as false); the log is shown when it never is."""
        deadline, pause = time.monotonic() + within_s, threading.Event()
        while time.monotonic() < deadline:
            assert self.process.poll() is None, "kb up ended:\n" + "\n".join(self.log[-60:])
            try:
                if condition():
                    return
            except httpx.HTTPError:
                pass
            pause.wait(0.1)
        raise AssertionError(f"waited {within_s:.0f} s until {what}:\n" + "\n".join(self.log[-60:]))

    def children(self) -> dict[str, int]:
        """Pids of the direct child processes by what their command line names: `web`, `build`, `device.cpu`, `postgres`."""
        found = {}
        for pid in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().rstrip("\0").split("\0")
            if words[0].endswith("/postgres"):
                found["postgres"] = int(pid)
            elif "uvicorn" in words:
                found["web"] = int(pid)
            elif "worker" in words:
                found[words[words.index("worker") + 1]] = int(pid)
        return found

    def restart_postgres(self) -> None:
        """End the database under the running site and wait until it is there again."""
        ended = os.pidfd_open(self.children()["postgres"])
        signal.pidfd_send_signal(ended, signal.SIGINT)
        assert select.select([ended], [], [], 30)[0]
        os.close(ended)
        self.until(lambda: self.get("/readyz").json()["parts"]["database"]["ok"], "the database is back")

    def _read_log(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        self.log.extend(line.rstrip("\n") for line in process.stderr)


def _document(process: subprocess.Popen[str]) -> str:
    """The JSON document that `kb up --json` prints, or what came instead of it."""
    assert process.stdout is not None
    lines = ""
    for line in process.stdout:
        lines += line
        if line.startswith("}"):
            break
    return lines


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def live_site(**environment: str) -> Iterator[LiveSite]:
    """A site in a temporary data directory, stopped and removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="kblive-"))
    folder.chmod(0o711)
    site = LiveSite(folder / "d", **environment)
    try:
        site.start()
        yield site
    finally:
        if site._process is not None:
            site.stop()
        shutil.rmtree(folder, ignore_errors=True)
