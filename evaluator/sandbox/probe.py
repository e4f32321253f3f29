"""Prove the sandbox: run a program inside that tries the forbidden things, and say what held.

Configured is not active. The table is shown by `kb doctor`, the status page and `/readyz`, and stands in every outcome.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import site
import socket
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from evaluator.contract import JSON, Limits
from evaluator.sandbox import environment
from evaluator.sandbox.errors import SandboxError
from evaluator.sandbox.inside.probe import fingerprint
from evaluator.sandbox.layers import CONSEQUENCE, OPTIONAL, Layer, is_active
from evaluator.sandbox.sandbox import Sandbox

_MODULE = "evaluator.sandbox.inside.probe"
PROBE_S = 120.0
"""What the program inside may take."""
_LIMITS = Limits(memory_bytes=512 << 20, processes=24, scratch_bytes=16 << 20, log_bytes=64 << 10)
_GPU_MEMORY_BYTES = 4 << 30

# attempt → (layer it mainly proves, what is wanted)
WANTED: Mapping[str, tuple[Layer | None, str]] = {
    "not_root": (Layer.HOST_UID, "runs as a user of its own, never root"),
    "read_shadow": (Layer.HOST_UID, "cannot read /etc/shadow"),
    "read_neighbour": (Layer.MOUNT_NAMESPACE, "cannot read a file of the worker or of another submission"),
    "see_processes": (Layer.PID_NAMESPACE, "sees no other process"),
    "see_worker_environment": (Layer.PID_NAMESPACE, "cannot see the worker's environment"),
    "internet_socket": (Layer.SECCOMP, "can make only Unix sockets"),
    "tcp_connect": (Layer.NETWORK_NAMESPACE, "cannot connect to a port of this host"),
    "unix_connect": (Layer.MOUNT_NAMESPACE, "cannot connect to a socket file outside"),
    "abstract_connect": (Layer.NETWORK_NAMESPACE, "cannot connect to an abstract socket outside"),
    "write_outside": (Layer.LANDLOCK, "cannot write outside its work directory"),
    "write_packages": (Layer.MOUNT_NAMESPACE, "cannot write to Python's packages"),
    "ptrace": (Layer.SECCOMP, "cannot trace processes"),
    "new_namespace": (Layer.SECCOMP, "cannot make namespaces"),
    "io_uring": (Layer.SECCOMP, "cannot use io_uring"),
    "second_layer": (Layer.LANDLOCK, "a second layer refuses what the mounts allow"),
    "no_new_privs": (Layer.NO_NEW_PRIVS, "cannot gain rights through setuid programs"),
    "no_capabilities": (Layer.CAPABILITIES, "holds no capability"),
    "core_limit": (Layer.RLIMITS, "writes no core files"),
    "host_name": (Layer.UTS_NAMESPACE, "does not see the host's name"),
    "memory_limit": (Layer.RLIMITS, "cannot allocate past its memory limit"),
    "disk_limit": (Layer.MOUNT_NAMESPACE, "cannot write past the size of its work directory"),
    "process_limit": (Layer.RLIMITS, "cannot start processes past its limit"),
    "cuda_kernel": (None, "a CUDA kernel runs"),
    "other_gpus": (Layer.MOUNT_NAMESPACE, "cannot open another GPU"),
}
_LOST = {
    "read_shadow": "submitted code could read password hashes",
    "tcp_connect": "submitted code could reach PostgreSQL and other services of this host",
    "unix_connect": "submitted code could reach services through their socket files",
    "write_outside": "submitted code could leave something behind for the next run",
    "write_packages": "submitted code could change Python for the next run",
    "disk_limit": "submitted code could fill the disk",
    "memory_limit": "submitted code could use up the host's memory until the judge's watchdog sees it",
    "process_limit": "submitted code could use up the host's processes",
    "cuda_kernel": "no kernel can be judged on this GPU",
    "other_gpus": "submitted code could disturb runs on other GPUs",
}


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """One attempt or one layer. `proven` None: not tried, or seen from outside only."""

    name: str
    layer: str
    wanted: str
    proven: bool | None
    detail: str
    consequence: str


@dataclass(frozen=True, slots=True)
class ProbeTable:
    """All rows and one overall state: `enforcing` (everything held), `degraded`, or `off`."""

    mode: str
    overall: Literal["enforcing", "degraded", "off"]
    rows: tuple[ProbeRow, ...]
    layers: dict[str, JSON] = field(default_factory=dict)
    seconds: float = 0.0
    error: str = ""

    @property
    def failures(self) -> tuple[ProbeRow, ...]:
        return tuple(row for row in self.rows if row.proven is False)


def probe(mode: str = "best-effort", gpu_index: int | None = None, *, sandbox: Sandbox | None = None) -> ProbeTable:
    """Run the probe in a sandbox of `mode`. Never raises because of the sandbox: what fails is a row, or `error`."""
    started = time.monotonic()
    if mode == "off":
        rows = tuple(_layer_row(layer, "unavailable: KB_SANDBOX=off") for layer in Layer)
        return ProbeTable(mode, "off", rows, {layer.value: "unavailable: KB_SANDBOX=off" for layer in Layer})
    try:
        sandbox = sandbox or Sandbox(mode, gpu_index=gpu_index)
        answers, layers = attempts(sandbox)
    except (SandboxError, LookupError, OSError) as error:
        return ProbeTable(mode, "degraded", (), {}, time.monotonic() - started, str(error))
    rows = tuple(_row(name, *answers.get(name, (None, "not answered"))) for name in WANTED if name in answers)
    rows += tuple(_layer_row(layer, layers.get(layer.value, "unavailable: not reported")) for layer in Layer)
    held = all(row.proven is not False for row in rows)
    rows += _profilers(mode, gpu_index)
    return ProbeTable(mode, "enforcing" if held else "degraded", rows, dict(layers), time.monotonic() - started)


def _profilers(mode: str, gpu_index: int | None) -> tuple[ProbeRow, ...]:
    """The sandbox of profilers, where there is one that needs it. It says nothing of the usual one: a tool without it is not used."""
    from evaluator.profiling import tools
    from evaluator.sandbox import profilers

    return (profilers.prove(mode, gpu_index),) if gpu_index is not None and tools.find("ncu") else ()


def _row(name: str, proven: bool | None, detail: str) -> ProbeRow:
    layer, wanted = WANTED[name]
    return ProbeRow(name, layer.value if layer else "gpu", wanted, proven, detail, _LOST.get(name) or (CONSEQUENCE[layer] if layer else ""))


def _layer_row(layer: Layer, status: str) -> ProbeRow:
    active = is_active(status)
    return ProbeRow(f"layer:{layer}", layer.value, "active", active or (None if layer in OPTIONAL else False), status, CONSEQUENCE[layer])


def attempts(sandbox: Sandbox, *, timeout_s: float = PROBE_S) -> tuple[dict[str, tuple[bool | None, str]], dict[str, str]]:
    """What each attempt found from inside `sandbox` ((held, detail) by name), and the layers. Raises `SandboxError`, `OSError`."""
    with _bait() as bait, contextlib.ExitStack() as close:
        limits = Limits(**{name: getattr(_LIMITS, name) for name in ("processes", "scratch_bytes", "log_bytes", "memory_bytes")})
        if sandbox.gpu:
            limits = Limits(memory_bytes=_GPU_MEMORY_BYTES, processes=128, scratch_bytes=64 << 20, log_bytes=_LIMITS.log_bytes)
        question = bait | {
            "worker_environment": _fingerprints(environment.names(sandbox.gpu)),
            "packages": [path for path in site.getsitepackages() if Path(path).is_dir()],
            "host_name": os.uname().nodename,
            "memory_bytes": limits.memory_bytes,
            "scratch_bytes": limits.scratch_bytes,
            "processes": limits.processes,
            "gpu": sandbox.gpu is not None,
            "gpu_node": sandbox.gpu.node if sandbox.gpu else "",
        }
        asked, answered = os.memfd_create("question"), os.memfd_create("answer")
        close.callback(os.close, asked)
        close.callback(os.close, answered)
        with os.fdopen(os.dup(asked), "wb") as file:
            file.write(json.dumps(question).encode())
        os.lseek(asked, 0, os.SEEK_SET)
        process = close.enter_context(
            sandbox.start(_MODULE, [str(asked), str(answered)], fds=[asked, answered], limits=limits, packages=False)
        )
        try:
            process.wait(timeout_s)
        except TimeoutError:
            process.kill()
        data = os.pread(answered, 1 << 20, 0)
        if not data:
            raise SandboxError(f"the probe gave no answer ({process.exit_description()}): {process.log()[0][-1000:]}")
        return {str(name): (bool(held), str(detail)) for name, (held, detail) in json.loads(data).items()}, dict(process.layers)


def _fingerprints(left_out: frozenset[str]) -> dict[str, JSON]:
    """Our own environment as salted hashes of its entries, so that only the very same value counts as leaked."""
    salt = secrets.token_bytes(16)
    entries = [os.fsencode(f"{name}={value}") for name, value in os.environ.items() if name not in left_out]
    return {"salt": salt.hex(), "entries": [fingerprint(salt, entry) for entry in entries]}


@contextlib.contextmanager
def _bait() -> Iterator[dict[str, object]]:
    """Things outside that must not be reached: a readable file, a writable directory, a listening port, socket file and abstract socket."""
    with contextlib.ExitStack() as undo:
        directory = Path(undo.enter_context(tempfile.TemporaryDirectory(prefix="kbweb-probe-")))
        directory.chmod(0o755)
        neighbour = directory / "submission.py"
        neighbour.write_text("# another submission\n")
        neighbour.chmod(0o644)
        shared = directory / "shared"
        shared.mkdir()
        shared.chmod(0o777)
        port = undo.enter_context(socket.create_server(("127.0.0.1", 0)))
        path = directory / "service.sock"
        abstract = f"kbweb-probe-{secrets.token_hex(8)}"
        for address in (str(path), f"\0{abstract}"):
            server = undo.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            server.bind(address)
            server.listen()
        path.chmod(0o777)
        yield {
            "neighbour_file": str(neighbour),
            "shared_directory": str(shared),
            "port": port.getsockname()[1],
            "socket_path": str(path),
            "abstract_name": abstract,
        }
