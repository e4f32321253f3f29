"""Try what a hostile submission would try: `python -m evaluator.sandbox.inside.probe QUESTION_FD ANSWER_FD`.

Every attempt answers (held, detail): `held` is True when the sandbox stopped it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import mmap
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from evaluator.sandbox.inside import kernel

Answer = tuple[bool, str]
_PTRACE = {"x86_64": 101, "aarch64": 117}
_UNSHARE = {"x86_64": 272, "aarch64": 97}
_PTRACE_PEEKDATA = 2
_CLONE_NEWUSER = 0x1000_0000
_GET_NO_NEW_PRIVS = 39
_SYS_IO_URING_SETUP = 425


def main() -> None:
    with os.fdopen(int(sys.argv[1]), "rb") as file:
        question = json.load(file)
    answers: dict[str, Answer] = {}
    for name, attempt in attempts(question).items():
        try:
            answers[name] = attempt()
        except Exception as error:
            answers[name] = (False, f"the probe itself failed: {type(error).__name__}: {error}")
    with os.fdopen(int(sys.argv[2]), "wb") as file:
        file.write(json.dumps(answers).encode())


def attempts(question: dict[str, object]) -> dict[str, Callable[[], Answer]]:
    """Name of each attempt and the attempt, in the order in which they run: those that use things up come last."""
    port = int(str(question["port"]))
    neighbour, shared = str(question["neighbour_file"]), str(question["shared_directory"])
    found: dict[str, Callable[[], Answer]] = {
        "not_root": _not_root,
        "read_shadow": lambda: _cannot_read("/etc/shadow"),
        "read_neighbour": lambda: _cannot_read(neighbour),
        "see_processes": _cannot_see_processes,
        "see_worker_environment": lambda: _cannot_read_environment(question["worker_environment"]),
        "internet_socket": _no_internet_socket,
        "tcp_connect": lambda: _cannot_connect(socket.AF_INET, ("127.0.0.1", port)),
        "unix_connect": lambda: _cannot_connect(socket.AF_UNIX, str(question["socket_path"])),
        "abstract_connect": lambda: _cannot_connect(socket.AF_UNIX, f"\0{question['abstract_name']}"),
        "write_outside": lambda: _cannot_write(["/", "/usr", "/etc", "/var", "/kb", shared]),
        "write_packages": lambda: _cannot_write([*(str(path) for path in _list(question["packages"])), str(Path(os.__file__).parent)]),
        "ptrace": lambda: _refused(_PTRACE[kernel.MACHINE], _PTRACE_PEEKDATA, 1, 0, 0),
        "new_namespace": _no_new_namespace,
        "second_layer": _second_layer,
        "io_uring": lambda: _refused(_SYS_IO_URING_SETUP, 0, 0),
        "no_new_privs": lambda: (kernel.prctl(_GET_NO_NEW_PRIVS) == 1, ""),
        "no_capabilities": _no_capabilities,
        "core_limit": lambda: (resource.getrlimit(resource.RLIMIT_CORE) == (0, 0), "no core files"),
        "host_name": lambda: (os.uname().nodename != question["host_name"], os.uname().nodename),
        "memory_limit": lambda: _memory_limit(int(str(question["memory_bytes"]))),
        "disk_limit": lambda: _disk_limit(int(str(question["scratch_bytes"]))),
        "process_limit": lambda: _process_limit(int(str(question["processes"]))),
    }
    if question["gpu"]:
        found["cuda_kernel"] = _cuda_kernel
        found["other_gpus"] = lambda: _other_gpus(str(question["gpu_node"]))
    return found


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _not_root() -> Answer:
    return 0 not in os.getresuid() and 0 not in os.getresgid(), f"uid {os.getuid()}, gid {os.getgid()}"


def _cannot_read(path: str) -> Answer:
    try:
        with Path(path).open("rb") as file:
            file.read(1)
    except OSError as error:
        return True, f"{path}: {error.strerror}"
    return False, f"{path} was readable"


def _cannot_see_processes() -> Answer:
    own = {os.getpid(), os.getppid()}
    others = [pid for pid in _pids() if pid not in own]
    return not others, f"{len(others)} other processes are visible" if others else "no other process is visible"


def fingerprint(salt: bytes, entry: bytes) -> str:
    """Hash of an environment's entry `NAME=value`."""
    return hashlib.blake2b(entry, key=salt, digest_size=16).hexdigest()


def _cannot_read_environment(worker: object) -> Answer:
    """`worker` is {salt, entries} of the worker's environment: an entry counts only with the worker's value."""
    assert isinstance(worker, dict)
    salt, wanted = bytes.fromhex(str(worker["salt"])), {str(entry) for entry in _list(worker["entries"])}

    def leaked(entries: Iterable[bytes]) -> str:
        return ", ".join(sorted(os.fsdecode(entry.split(b"=")[0]) for entry in entries if fingerprint(salt, entry) in wanted)[:5])

    if inherited := leaked(name + b"=" + value for name, value in os.environb.items()):
        return False, f"inherited {inherited}"
    for pid in _pids():
        if pid != os.getpid():
            with contextlib.suppress(OSError):
                if found := leaked(Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")):
                    return False, f"read {found} of process {pid}"
    return True, "the worker's environment is not visible"


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _no_internet_socket() -> Answer:
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET):
        try:
            socket.socket(family, socket.SOCK_RAW if family in (socket.AF_NETLINK, socket.AF_PACKET) else socket.SOCK_STREAM).close()
        except OSError:
            continue
        return False, f"a socket of family {family.name} could be made"
    return True, "only Unix sockets can be made"


def _cannot_connect(family: int, address: object) -> Answer:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as client:
            client.settimeout(2)
            client.connect(address)  # type: ignore[arg-type]
    except OSError as error:
        return True, error.strerror or str(error)
    return False, f"connected to {address!r}"


def _cannot_write(directories: list[str]) -> Answer:
    for directory in directories:
        path = Path(directory) / f".probe-{os.getpid()}"
        try:
            with path.open("xb") as file:
                file.write(b"x")
        except OSError:
            continue
        path.unlink()
        return False, f"a file could be made in {directory}"
    return True, f"{len(directories)} directories refused"


def _refused(number: int, *args: int) -> Answer:
    try:
        kernel.syscall(number, *args)
    except OSError as error:
        return error.errno == errno.EPERM, error.strerror or ""
    return False, "the kernel carried it out"


def _no_new_namespace() -> Answer:
    # In a child, because success would change this process.
    child = os.fork()
    if child == 0:
        held, _ = _refused(_UNSHARE[kernel.MACHINE], _CLONE_NEWUSER)
        os._exit(0 if held else 1)
    _, status = os.waitpid(child, 0)
    return status == 0, "" if status == 0 else "a user namespace could be made"


def _second_layer() -> Answer:
    """The mounts allow to list the root directory; only Landlock refuses it."""
    try:
        names = os.listdir("/")  # noqa: PTH208 (the call itself is what is tried)
    except OSError as error:
        return True, error.strerror or ""
    return False, f"the root directory could be listed: {len(names)} names"


def _no_capabilities() -> Answer:
    lines = Path("/proc/self/status").read_text().splitlines()
    sets = {line.split()[0]: int(line.split()[1], 16) for line in lines if line.startswith("Cap")}
    held = {name: value for name, value in sets.items() if value and name != "CapBnd:"}
    return not held, f"held: {held}" if held else "all sets are empty"


def _memory_limit(limit_bytes: int) -> Answer:
    try:
        block = mmap.mmap(-1, limit_bytes + (64 << 20), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, MemoryError, ValueError) as error:
        return True, f"{type(error).__name__} past {limit_bytes >> 20} MiB"
    block.close()
    return False, f"more than {limit_bytes >> 20} MiB could be mapped"


def _disk_limit(limit_bytes: int) -> Answer:
    chunk = b"\0" * (1 << 20)
    written = 0
    paths = [Path(f"fill-{index}") for index in range(4)]
    try:
        for path in paths:
            with path.open("wb") as file:
                for _ in range(limit_bytes // (2 << 20)):
                    written += file.write(chunk)
    except OSError as error:
        return written <= limit_bytes, f"{error.strerror} after {written >> 20} MiB"
    finally:
        for path in paths:
            path.unlink(missing_ok=True)
    return False, f"{written >> 20} MiB could be written where {limit_bytes >> 20} are allowed"


def _process_limit(limit: int) -> Answer:
    children: list[int] = []
    held = False
    try:
        for _ in range(limit + 8):
            child = os.fork()
            if child == 0:
                time.sleep(60)
                os._exit(0)
            children.append(child)
    except OSError as error:
        held = error.errno == errno.EAGAIN
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return held, f"{len(children)} children could be started, the limit is {limit}"


def _cuda_kernel() -> Answer:
    # In a child: a driver that dies must not take the answers with it.
    program = Path(__file__).with_name("cuda.py")
    done = subprocess.run([sys.executable, "-I", "-B", "-S", str(program)], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode == 0, (done.stdout + done.stderr).strip()[-300:]


def _other_gpus(own_node: str) -> Answer:
    others = [str(path) for path in Path("/dev").glob("nvidia[0-9]*") if path.name[6:].isdigit() and str(path) != own_node]
    reachable = [node for node in others if _opens(node)]
    return not reachable, f"also reachable: {', '.join(reachable)}" if reachable else "no other GPU can be opened"


def _opens(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDWR))
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
