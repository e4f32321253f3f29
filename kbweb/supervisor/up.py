"""`kb up` from start to end."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from kbweb.embedded.errors import StartError
from kbweb.embedded.lock import FileLock
from kbweb.embedded.postgres import EmbeddedPostgres, make_data_dir
from kbweb.env import env_bool, env_int, env_str
from kbweb.supervisor.baselines import Post
from kbweb.supervisor.machine import DeviceWorker, device_workers
from kbweb.supervisor.process import FIRST_PAUSE_S, LONGEST_PAUSE_S, Child

STOP = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TICK_S = 0.2
WORKER_STOP_S = 15.0
WEB_STOP_S = 10.0


class Interrupted(BaseException):
    """Someone asked for the end while things were still starting."""


class House:
    """The processes of one `kb up`."""

    def __init__(self, data_dir: Path, host: str, port: int, announce: Callable[[str, str], None]) -> None:
        self.data_dir = data_dir
        self.host = host
        self.port = port
        self.announce = announce
        self.postgres: EmbeddedPostgres | None = None
        self.children: list[Child] = []
        self.url = self.link = ""
        self._printing = threading.Lock()
        self._postgres_pause_s = FIRST_PAUSE_S
        self._postgres_again_at = 0.0

    def say(self, name: str, line: str) -> None:
        with self._printing, contextlib.suppress(OSError, ValueError):
            print(f"{name:<12}| {line}", file=sys.stderr, flush=True)

    def run(self) -> None:
        """Start everything, keep it going until SIGINT, SIGTERM or SIGHUP, stop everything. Raises `StartError`."""
        make_data_dir(self.data_dir, shared=os.geteuid() == 0)
        lock = FileLock(self.data_dir / "up.lock")
        lock.acquire()
        try:
            with _raising_interrupted():
                self.start()
            self.tend()
        except Interrupted:
            pass
        finally:
            _ignore_signals()
            self.stop()
            lock.release()

    def start(self) -> None:
        check_port(self.host, self.port)
        if not env_str("DATABASE_URL"):
            self.say("kb", f"starting PostgreSQL in {self.data_dir}")
            self.postgres = EmbeddedPostgres(self.data_dir)
            self.postgres.start()
            for folder in self.postgres.passages:
                self.say("kb", f"{folder} is closed to others: the database's own user may now pass through it (not list it)")
        workers, why = device_workers()
        self.say("kb", why)
        self._household(workers)
        beside = [self._worker("build"), self._worker("webhooks")] if workers else []
        self.children = [self._web(), *beside, *(self._worker(w.queue, w.gpu_index) for w in workers)]
        if workers and env_bool("KB_BASELINES", True):
            self.children.append(self._baselines(workers))
        for child in self.children:
            child.start()

    def tend(self) -> None:
        """Look after the children until a stop signal comes; say where the site is once it answers."""
        announced = False
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP)
        while True:
            got = signal.sigtimedwait(STOP, TICK_S)
            if got is not None:
                self.say("kb", f"stopping ({signal.Signals(got.si_signo).name})")
                return
            self._tend_postgres()
            for child in self.children:
                child.tend()
            if not announced and answers(self.host, self.port):
                announced = True
                self.announce(self.url, self.link)

    def stop(self) -> None:
        """Workers first (they give back what they hold), then web, then the database."""
        web, workers = self.children[:1], self.children[1:]
        for group, wait_s in ((workers, WORKER_STOP_S), (web, WEB_STOP_S)):
            for child in group:
                child.ask_to_stop()
            deadline = time.monotonic() + wait_s
            for child in group:
                child.wait_stopped(deadline)
        if self.postgres is not None:
            self.postgres.stop()
        self.say("kb", "stopped")

    def _household(self, workers: list[DeviceWorker]) -> None:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbweb.settings")
        import django
        from django.db import OperationalError, connections

        try:
            django.setup()
            from django.conf import settings

            from kbweb import signin
            from kbweb.supervisor import household

            home = household.prepare(self.data_dir)
            self.url, self.link = f"{settings.SITE_URL}/", signin.issue(home.admin)
            devices = [worker.queue.removeprefix("device.") for worker in workers]
            if settings.EXAMPLES:
                for line in household.hand_in_examples(Path(settings.BASE_DIR) / "examples", devices):
                    self.say("kb", line)
        except OperationalError as error:
            raise StartError(
                f"The database cannot be used: {str(error).strip()}", "Check DATABASE_URL and that the server runs."
            ) from error
        finally:
            connections.close_all()

    def _tend_postgres(self) -> None:
        if self.postgres is None or self.postgres.pid is not None or time.monotonic() < self._postgres_again_at:
            return
        self.say("postgres", "ended; starting again")
        try:
            self.postgres.stop()
            self.postgres.start()
            self._postgres_pause_s = FIRST_PAUSE_S
        except StartError as error:
            self.say("postgres", f"{error}; trying again in {self._postgres_pause_s:g} s")
            self._postgres_again_at = time.monotonic() + self._postgres_pause_s
            self._postgres_pause_s = min(self._postgres_pause_s * 2, LONGEST_PAUSE_S)

    def _web(self) -> Child:
        command = [sys.executable, "-m", "uvicorn", "kbweb.asgi:application", "--host", self.host, "--port", str(self.port)]
        options = [
            "--lifespan",
            "on",
            "--no-access-log",
            "--no-server-header",
            "--log-level",
            "warning",
            "--timeout-graceful-shutdown",
            "5",
        ]
        environment = {**self._environment(), "KB_DB_POOL": os.environ.get("KB_DB_POOL", "10")}
        return Child("web", [*command, *options], self.say, environment)

    def _worker(self, queue: str, gpu_index: int | None = None) -> Child:
        command = [sys.executable, "-m", "kbweb.cli", "worker", queue]
        if gpu_index is not None:
            command += ["--gpu", str(gpu_index)]
        name = queue if gpu_index is None else f"{queue}:{gpu_index}"
        return Child(name, command, self.say, self._environment())

    def _baselines(self, workers: list[DeviceWorker]) -> Child:
        """On the first GPU of each class."""
        posts: dict[str, Post] = {}
        for worker in workers:
            device = worker.queue.removeprefix("device.")
            posts.setdefault(device, Post(device, worker.gpu_index))
        command = [sys.executable, "-m", "kbweb.supervisor.baselines", *(post.argument for post in posts.values())]
        return Child("baselines", command, self.say, self._environment())

    def _environment(self) -> dict[str, str]:
        return {"KB_DATA_DIR": str(self.data_dir), "KB_PORT": str(self.port), "DJANGO_SETTINGS_MODULE": "kbweb.settings"}


def check_port(host: str, port: int) -> None:
    """Raise `StartError` when something else listens there already."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise StartError(
                    f"Port {port} on {host} is in use by another program.", f"Stop that one, or choose another port: KB_PORT={port + 1}"
                ) from error
            raise StartError(f"Cannot listen on {host} port {port}: {error.strerror}.", "Choose another port with KB_PORT.") from error


def answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=1.0):
            return True
    except OSError:
        return False


def port_from_environment() -> int:
    return env_int("KB_PORT", 8000, low=1, high=65535)


@contextlib.contextmanager
def _raising_interrupted() -> Iterator[None]:
    def interrupt(number: int, frame: object) -> None:
        raise Interrupted

    before = {one: signal.signal(one, interrupt) for one in STOP}
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP)
        for one, handler in before.items():
            signal.signal(one, handler)


def _ignore_signals() -> None:
    """From here on nothing cuts the orderly end short; it has bounds of its own."""
    for one in STOP:
        signal.signal(one, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP)
