"""The private PostgreSQL: nobody but its owner gets in, and whatever a crash leaves behind, the next start works or says why not."""

from __future__ import annotations

import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from kbweb.embedded import credentials, sockets
from kbweb.embedded.account import server_account
from kbweb.embedded.errors import StartError
from kbweb.embedded.postgres import EmbeddedPostgres, database_url


@pytest.fixture
def data_dir() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="kbpg-") as folder:
        Path(folder).chmod(0o711)
        yield Path(folder) / "d"


@pytest.fixture
def fresh(data_dir: Path) -> Iterator[EmbeddedPostgres]:
    """One that makes its database when it starts."""
    server = EmbeddedPostgres(data_dir, fsync=False)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """The data directory of a server that has been started once and stopped."""
    with tempfile.TemporaryDirectory(prefix="kbpg-") as folder:
        Path(folder).chmod(0o711)
        server = EmbeddedPostgres(Path(folder) / "d", fsync=False)
        server.start()
        server.stop()
        yield server.data_dir


@pytest.fixture
def server(made: Path, fresh: EmbeddedPostgres) -> EmbeddedPostgres:
    """One that finds a database made before: a copy, with its owners."""
    subprocess.run(["cp", "-a", str(made), str(fresh.data_dir)], check=True)
    return fresh


def query(url: str, text: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(text.encode()).fetchone()
        return row[0] if row else None


def test_site_role_owns_its_database_and_nothing_else(fresh: EmbeddedPostgres) -> None:
    url = fresh.start()

    assert query(url, "SELECT current_user || '/' || current_database()") == "kbweb/kbweb"
    assert (
        query(url, "SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication FROM pg_roles WHERE rolname = current_user") is False
    )
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        query(url, "SELECT pg_read_file('/etc/passwd')")


def test_data_is_flushed_outside_tests(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    try:
        assert query(server.start(), "SELECT current_setting('fsync') || current_setting('full_page_writes')") == "onon"
    finally:
        server.stop()


def test_no_connection_without_the_password(server: EmbeddedPostgres, data_dir: Path) -> None:
    server.start()
    known = credentials.read(data_dir)
    assert known is not None

    for user in ("kbweb", "postgres"):
        for password in ("", "wrong"):
            with pytest.raises(psycopg.OperationalError, match=r"password|authentication"):
                psycopg.connect(f"postgresql://{user}:{password}@/kbweb?host={known.socket_dir}")


def test_does_not_listen_on_tcp(server: EmbeddedPostgres) -> None:
    assert query(server.start(), "SELECT current_setting('listen_addresses')") == ""


def test_secrets_are_readable_by_the_owner_alone(fresh: EmbeddedPostgres, data_dir: Path) -> None:
    fresh.start()
    known = credentials.read(data_dir)
    assert known is not None

    assert stat.S_IMODE((data_dir / credentials.FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(known.socket_dir).stat().st_mode) == 0o700
    assert stat.S_IMODE((data_dir / "postgres" / "data").stat().st_mode) == 0o700
    assert known.password not in Path(f"/proc/{fresh.pid}/cmdline").read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be another user")
def test_another_user_cannot_reach_the_socket_even_with_the_password(fresh: EmbeddedPostgres) -> None:
    url = fresh.start()
    path = Path(str(psycopg.conninfo.conninfo_to_dict(url)["host"])) / sockets.SOCKET_NAME
    script = f"import os, socket; os.setgid(65534); os.setuid(65534); socket.socket(socket.AF_UNIX).connect({str(path)!r})"

    tried = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True)

    assert "PermissionError" in tried.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to leave it")
def test_the_server_of_root_runs_as_another_user(fresh: EmbeddedPostgres) -> None:
    fresh.start()

    assert Path(f"/proc/{fresh.pid}").stat().st_uid == server_account().uid != 0


def test_data_survives_a_restart_and_the_url_stays(server: EmbeddedPostgres, data_dir: Path) -> None:
    first = server.start()
    with psycopg.connect(first) as connection:
        connection.execute("CREATE TABLE kept (n int)")
        connection.execute("INSERT INTO kept VALUES (7)")
    server.stop()

    again = server.start()

    assert again == first == database_url(data_dir)
    assert query(again, "SELECT n FROM kept") == 7


def test_a_killed_server_keeps_what_was_committed(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    try:
        url = server.start()
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE kept (n int)")
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        server.stop()

        server.start()

        assert query(url, "SELECT count(*) FROM kept") == 0
    finally:
        server.stop()


def test_a_pid_file_that_names_another_process_is_no_obstacle(server: EmbeddedPostgres, data_dir: Path) -> None:
    server.start()
    server.stop()
    (data_dir / "postgres/data/postmaster.pid").write_text(f"{os.getpid()}\n{data_dir / 'postgres/data'}\n1\n5432\n\n\n")

    assert query(server.start(), "SELECT 1") == 1


def test_the_server_ends_with_the_process_that_started_it(data_dir: Path) -> None:
    script = (
        "import os, pathlib, signal, sys; from kbweb.embedded.postgres import EmbeddedPostgres;"
        f"s = EmbeddedPostgres(pathlib.Path({str(data_dir)!r}), fsync=False); s.start(); print(s.pid, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        handle = os.pidfd_open(int(starter.stdout.readline()))
        starter.kill()

    assert select.select([handle], [], [], 20)[0], "the server went on without its parent"
    os.close(handle)


def test_a_second_start_names_the_process_in_the_way(server: EmbeddedPostgres, data_dir: Path) -> None:
    server.start()

    with pytest.raises(StartError, match=f"in use by process {os.getpid()}"):
        EmbeddedPostgres(data_dir).start()


def test_an_unfinished_initdb_is_done_again(fresh: EmbeddedPostgres, data_dir: Path) -> None:
    (data_dir / "postgres/data.new/global").mkdir(parents=True)
    (data_dir / "postgres/data.new/PG_VERSION").write_text("18\n")

    assert query(fresh.start(), "SELECT 1") == 1
    assert not (data_dir / "postgres/data.new").exists()


def test_a_damaged_data_directory_is_named_and_kept(server: EmbeddedPostgres, data_dir: Path) -> None:
    server.start()
    server.stop()
    (data_dir / "postgres/data/global/pg_control").rename(data_dir / "control")

    with pytest.raises(StartError, match=r"not a complete database: global/pg_control is missing"):
        server.start()
    assert (data_dir / "postgres/data/base").exists()


def test_a_lost_password_file_is_made_anew(server: EmbeddedPostgres, data_dir: Path) -> None:
    first = server.start()
    server.stop()
    (data_dir / credentials.FILE).unlink()

    second = server.start()

    assert second != first
    assert query(second, "SELECT 1") == 1


def test_a_deep_data_directory_gets_a_short_socket_path(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir / ("deep" * 12) / ("deeper" * 10), fsync=False)
    try:
        url = server.start()
        folder = Path(str(psycopg.conninfo.conninfo_to_dict(url)["host"]))

        assert query(url, "SELECT 1") == 1
        assert len(str(folder / sockets.SOCKET_NAME)) <= sockets.LONGEST_PATH
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        server.stop()
        assert server.start() == url
    finally:
        server.stop()
        if known := credentials.read(server.data_dir):
            shutil.rmtree(known.socket_dir)


def test_a_data_directory_that_cannot_be_made_is_named() -> None:
    with pytest.raises(StartError, match="/dev/null/x"):
        EmbeddedPostgres(Path("/dev/null/x")).start()


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "none", str(small)], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("needs the right to mount a small disk")
    try:
        with pytest.raises(StartError, match=r"disk that holds .* is full"):
            EmbeddedPostgres(small / "d").start()
    finally:
        subprocess.run(["umount", str(small)], check=True)
