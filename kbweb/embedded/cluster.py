"""The server's data directory on disk: made in one step, recognised when half-made, freed of what a crash left behind."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
from pathlib import Path

from kbweb import launch
from kbweb.embedded import binaries
from kbweb.embedded.account import Account
from kbweb.embedded.credentials import SUPERUSER, Credentials, write_private
from kbweb.embedded.errors import StartError, out_of_space

HBA = "# Written by kb. Passwords for everyone, also on this machine.\nlocal all all scram-sha-256\n"
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
FRESH_BYTES = 300 * 1024**2
LEAST_BYTES = 50 * 1024**2


class Cluster:
    """`home/data` and its programs. `home/data.new` exists only while the directory is being made."""

    def __init__(self, home: Path, account: Account) -> None:
        self.home = home
        self.account = account
        self.data = home / "data"
        self.making = home / "data.new"

    def complete(self) -> bool:
        """Whether the data directory stands. Raises `StartError` when there is one that no server could have left so."""
        if not self.data.exists():
            return False
        if not any(self.data.iterdir()):
            self.data.rmdir()
            return False
        missing = [name for name in ("PG_VERSION", "global/pg_control", "base", "pg_wal") if not (self.data / name).exists()]
        if missing:
            raise StartError(
                f"{self.data} is not a complete database: {', '.join(missing)} is missing.",
                f"Restore it from a backup, or move it away to start with an empty site: mv {self.data} {self.data}.broken",
            )
        return True

    def programs(self) -> Path:
        version = int((self.data / "PG_VERSION").read_text().split(".")[0]) if self.complete() else binaries.NEWEST
        return binaries.bin_dir(version)

    def check_space(self) -> None:
        if shutil.disk_usage(self.home).free < (LEAST_BYTES if self.complete() else FRESH_BYTES):
            raise out_of_space(self.home)

    def make(self, credentials: Credentials, *, sync: bool) -> None:
        """Run `initdb` beside the final place and move the result there, so that a half-made directory is never mistaken for a database."""
        shutil.rmtree(self.making, ignore_errors=True)
        password_file = self.home / "initial-password"
        try:
            write_private(password_file, credentials.superuser_password)
            self.account.own(password_file)
            self._run(
                "initdb",
                f"--pgdata={self.making}",
                f"--username={SUPERUSER}",
                f"--pwfile={password_file}",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--locale=C",
                *([] if sync else ["--no-sync"]),
            )
        finally:
            password_file.unlink(missing_ok=True)
        (self.making / "pg_hba.conf").write_text(HBA)
        self.making.rename(self.data)

    def reset_superuser(self, credentials: Credentials) -> None:
        """Set the superuser's password without a running server, for a data directory whose password file was lost."""
        self._run("postgres", "--single", "-D", str(self.data), "-c", "password_encryption=scram-sha-256", "postgres",
                  stdin=f"ALTER ROLE {SUPERUSER} PASSWORD '{credentials.superuser_password}';\n")  # fmt: skip

    def clear_leftovers(self, socket_dir: Path) -> None:
        """End a server that outlived its supervisor, and remove a pid file whose process is not that server.

        PostgreSQL itself takes any live process of its user under the recorded pid for a running server, which is wrong after a
        restart of a container or a machine, where pids come again.
        """
        pid_file = self.data / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            pid = 0
        if pid > 1 and self._is_server(pid):
            end_server(pid)
        pid_file.unlink(missing_ok=True)
        for left in socket_dir.glob(".s.PGSQL.*"):
            left.unlink(missing_ok=True)

    def _is_server(self, pid: int) -> bool:
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return words[0].endswith(b"postgres") and os.fsencode(self.data) in words

    def _run(self, program: str, *arguments: str, stdin: str = "") -> None:
        path = str(self.programs() / program)
        uid, gid = (self.account.uid, self.account.gid) if self.account.switch else (None, None)
        done = subprocess.run(
            launch.command([path, *arguments], on_parent_death=signal.SIGTERM, uid=uid, gid=gid),
            input=stdin,
            capture_output=True,
            text=True,
            env=ENVIRONMENT,
            cwd="/",
            check=False,
        )
        if done.returncode != 0:
            if "No space left on device" in done.stderr:
                raise out_of_space(self.home)
            raise StartError(f"{program} failed in {self.home}: {done.stderr.strip() or f'exit status {done.returncode}'}")


def end_server(pid: int) -> None:
    """Stop a server that is not our child: fast, then at once, then by force. Returns when it is gone."""
    for how, wait_s in ((signal.SIGINT, 20.0), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 5.0)):
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        try:
            signal.pidfd_send_signal(handle, how)
            if _gone(handle, wait_s):
                return
        finally:
            os.close(handle)
    raise StartError(f"An old PostgreSQL server (process {pid}) cannot be stopped.", f"Stop it by hand: kill -9 {pid}")


def _gone(handle: int, wait_s: float) -> bool:
    ready, _, _ = select.select([handle], [], [], wait_s)
    return bool(ready)
