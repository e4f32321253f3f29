"""What a submission finds when it looks around: reported by itself, and checked from outside where it could lie."""

from __future__ import annotations

import json
import os
import socket
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.contract import EvaluationRequest, Event, KernelType, Mode, Outcome, Verdict
from evaluator.judge.judge import Judge
from evaluator.sandbox.tree import descendants, status
from tests.evaluator.judge.conftest import LIMITS
from tests.evaluator.judge.kernels import relu

SECRET = "postgresql://kbweb:a-secret-that-nobody-may-see@127.0.0.1/kbweb"
LOOK = """
import ctypes, glob, json, os, socket, torch

def tried(what, *args):
    try:
        return repr(what(*args))[:200]
    except BaseException as error:
        return "refused: " + type(error).__name__

def read(path):
    return open(path, "rb").read(4096)

def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as channel:
        channel.settimeout(2)
        channel.connect(address)
        return "connected"

def environments():
    texts = []
    for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
        try:
            texts.append(read(path).decode(errors="replace"))
        except OSError:
            pass
    return "\\n".join(texts)

def threads_of_openblas():
    import numpy
    maps = {line.split()[-1] for line in open("/proc/self/maps") if "openblas" in line.lower()}
    found = []
    for library in map(ctypes.CDLL, sorted(maps)):
        names = [prefix + "openblas_get_num_threads" + suffix for prefix in ("", "scipy_") for suffix in ("", "64_", "_64_")]
        found += [getattr(library, name)() for name in names if hasattr(library, name)]
    return found

found = {
    "uids": os.getresuid(),
    "become root": tried(os.setuid, 0),
    "shadow": tried(read, "/etc/shadow"),
    "other submission": tried(read, SECRET_FILE),
    "working tree": tried(read, WORKING_TREE + "/pyproject.toml"),
    "tcp": tried(connect, socket.AF_INET, ("127.0.0.1", TCP_PORT)),
    "postgresql port": tried(connect, socket.AF_INET, ("127.0.0.1", 5432)),
    "internet": tried(connect, socket.AF_INET, ("1.1.1.1", 53)),
    "udp": tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", TCP_PORT))),
    "unix socket": tried(connect, socket.AF_UNIX, UNIX_SOCKET),
    "abstract socket": tried(connect, socket.AF_UNIX, "\\0" + ABSTRACT_SOCKET),
    "postgresql sockets": glob.glob("/tmp/**/.s.PGSQL*", recursive=True) + glob.glob("/run/**/.s.PGSQL*", recursive=True),
    "environment": dict(os.environ),
    "all environments": environments(),
    "threads of OpenBLAS": threads_of_openblas(),
    "processes": len(glob.glob("/proc/[0-9]*")),
    "write to site-packages": tried(open, os.path.dirname(torch.__file__) + "/planted.py", "w"),
    "host's devices": sorted(glob.glob("/dev/sd*") + glob.glob("/dev/vd*") + glob.glob("/dev/kvm")),
}
print("FOUND" + json.dumps(found), flush=True)
"""


class Look(typing.NamedTuple):
    """What one look found, and the uids that its processes had as the host sees them."""

    found: dict[str, typing.Any]
    outcome: Outcome
    host_uids: list[tuple[int, ...]]


@pytest.fixture(scope="module")
def look(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Look]:
    folder = tmp_path_factory.mktemp("neighbour")
    for parent in (folder, *folder.parents[:3]):
        if parent.stat().st_uid == os.getuid() and parent != Path("/tmp"):
            parent.chmod(0o755)
    (folder / "other.py").write_text(SECRET)
    abstract = f"kb-test-{os.getpid()}"
    constants = {
        "SECRET_FILE": str(folder / "other.py"),
        "WORKING_TREE": str(Path(__file__).parents[3]),
        "UNIX_SOCKET": str(folder / "s"),
        "ABSTRACT_SOCKET": abstract,
    }
    host_uids: list[tuple[int, ...]] = []

    def emit(event: Event) -> None:
        if event.kind == "case" and not host_uids:
            host_uids.extend(status(pid).uids for pid in descendants(os.getpid()) if b"bootstrap.py" in _command(pid) and _is_python(pid))

    with (
        pytest.MonkeyPatch.context() as patch,
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_UNIX) as unix,
        socket.socket(socket.AF_UNIX) as nameless,
    ):
        unix.bind(constants["UNIX_SOCKET"])
        (folder / "s").chmod(0o777)
        unix.listen()
        nameless.bind("\0" + abstract)
        nameless.listen()
        for name in ("DATABASE_URL", "KB_TOKEN", "SECRET_KEY"):
            patch.setenv(name, SECRET)
        lines = "".join(f"{name} = {value!r}\n" for name, value in constants.items()) + f"TCP_PORT = {tcp.getsockname()[1]}\n"
        judge = Judge("cpu")
        try:
            source = relu("return torch.relu(x)", lines + LOOK)
            outcome = judge.evaluate(EvaluationRequest("relu", source, KernelType.TORCH, "cpu", Mode.TEST, limits=LIMITS), emit=emit)
        finally:
            judge.close()
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.log)
    (text,) = (line.removeprefix("FOUND") for line in outcome.log.splitlines() if line.startswith("FOUND"))
    yield Look(json.loads(text), outcome, host_uids)


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _is_python(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/exe").readlink().name.startswith("python")
    except OSError:
        return False


def test_it_is_never_the_hosts_root(look: Look) -> None:
    assert look.host_uids
    assert all(0 not in uids for uids in look.host_uids)
    assert look.found["become root"].startswith("refused")
    assert look.outcome.sandbox["host_uid"] == "active" or str(look.outcome.sandbox["host_uid"]).startswith("active (")


@pytest.mark.parametrize("what", ["shadow", "other submission", "working tree", "write to site-packages"])
def test_files_that_are_not_its_own(look: Look, what: str) -> None:
    assert look.found[what].startswith("refused"), look.found[what]


@pytest.mark.parametrize("what", ["tcp", "postgresql port", "internet", "udp", "unix socket", "abstract socket"])
def test_nothing_can_be_connected_to(look: Look, what: str) -> None:
    assert look.found[what].startswith("refused"), look.found[what]


def test_no_socket_of_postgresql_is_visible(look: Look) -> None:
    assert look.found["postgresql sockets"] == []


def test_the_workers_environment_is_absent(look: Look) -> None:
    assert "a-secret-that-nobody-may-see" not in look.outcome.log
    assert not {"DATABASE_URL", "KB_TOKEN", "SECRET_KEY", "KB_LOCK_DIR"} & set(look.found["environment"])
    assert "a-secret" not in look.found["all environments"]
    assert "DATABASE_URL" not in look.found["all environments"]


def test_numpy_and_so_the_interpreter_computes_on_one_thread(look: Look) -> None:
    assert set(look.found["threads of OpenBLAS"]) == {1}


def test_it_sees_its_own_processes_only(look: Look) -> None:
    assert look.found["processes"] < 10


def test_no_disk_of_the_host_is_there(look: Look) -> None:
    assert look.found["host's devices"] == []


def test_every_layer_is_in_the_outcome(look: Look) -> None:
    layers = look.outcome.sandbox

    assert {"host_uid", "capabilities", "no_new_privs", "seccomp", "landlock", "rlimits", "network_namespace"} <= set(layers)
    assert all(str(layers[name]).startswith(("active", "unavailable: ")) for name in layers)
