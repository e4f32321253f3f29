"""One start: from a plan to a running process whose layers were checked from outside."""

from __future__ import annotations

import array
import contextlib
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluator.contract import Limits
from evaluator.sandbox import bubblewrap, spawning, view
from evaluator.sandbox.captured import CapturedOutput
from evaluator.sandbox.cgroup import Cgroup, Unavailable
from evaluator.sandbox.errors import SandboxError, SandboxUnavailable
from evaluator.sandbox.gpus import Gpu
from evaluator.sandbox.layers import ACTIVE, NAMESPACES, Layer
from evaluator.sandbox.process import Handle, SandboxedProcess
from evaluator.sandbox.tree import status
from evaluator.sandbox.uids import LeasedUid

_START_S = 30.0
_MESSAGE_BYTES = 1 << 18
_BOOTSTRAP = "evaluator/sandbox/inside/bootstrap.py"
_OPEN_FILES = 4096
_INODES = 50_000
_CPU_ADDRESS_BYTES = 64 << 30


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run and how."""

    module: str
    args: tuple[str, ...]
    fds: tuple[int, ...]
    limits: Limits
    env: Mapping[str, str]
    readable: tuple[Path, ...]
    packages: bool
    gpu: Gpu | None
    off: bool
    without: frozenset[str]


class Launch:
    """Starts one plan, in bubblewrap when `bwrap` names it, else with the layers that need no namespaces."""

    def __init__(self, plan: Plan, *, bwrap: str | None) -> None:
        self._plan = plan
        self._bwrap = bwrap
        self._root_user = os.geteuid() == 0
        self.failure = ""

    def attempt(self) -> SandboxedProcess | None:
        """As `run`, but None, with `failure` set, when bubblewrap itself could not start."""
        try:
            return self.run()
        except _BubblewrapFailed as error:
            self.failure = str(error)
            return None

    def run(self) -> SandboxedProcess:
        """Raises `SandboxError`."""
        with contextlib.ExitStack() as undo:
            lease = LeasedUid() if self._root_user and not self._plan.off and Layer.HOST_UID not in self._plan.without else None
            if lease:
                undo.callback(lease.release)
            host_box = None if self._bwrap else tempfile.mkdtemp(prefix="kbweb-box-")
            if host_box:
                undo.callback(shutil.rmtree, host_box, ignore_errors=True)
            box = host_box or bubblewrap.BOX
            output = CapturedOutput(self._plan.limits.log_bytes)
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            undo.callback(ours.close)
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            ours.settimeout(_START_S)
            ours.send(json.dumps(self._config(box, lease.uid if lease else None)).encode())
            popen, info = self._spawn(theirs, output, box)
            output.start()
            theirs.close()
            undo.callback(_abandon, popen)

            report, pid = self._report(ours, popen, output)
            root_pid = _read_info(info) if info is not None else popen.pid
            layers = {str(name): str(text) for name, text in report.items()}
            cgroup = self._cgroup(pid, layers)
            if cgroup:
                undo.callback(cgroup.remove)
            if not self._plan.off:
                self._verify(pid, lease.uid if lease else None, layers)
            else:
                layers = {str(layer): "unavailable: KB_SANDBOX=off" for layer in Layer}
            ours.send(b"go")
            process = SandboxedProcess(
                Handle(
                    popen=popen,
                    pid=pid,
                    root_pid=root_pid,
                    root_is_init=self._bwrap is not None,
                    output=output,
                    layers={str(name): text for name, text in layers.items()},
                    box=box,
                    host_box=host_box,
                    inherited=frozenset(_identity(fd) for fd in self._plan.fds),
                    cgroup=cgroup,
                    release=lease.release if lease else _nothing,
                )
            )
            ours.close()
            undo.pop_all()
            return process

    def _spawn(self, theirs: socket.socket, output: CapturedOutput, box: str) -> tuple[subprocess.Popen[bytes], int | None]:
        tree = bubblewrap.INSIDE_TREE if self._bwrap and Layer.MOUNT_NAMESPACE not in self._plan.without else str(view.TREE)
        command = [sys.executable, "-I", "-B", "-S", f"{tree}/{_BOOTSTRAP}", str(theirs.fileno())]
        environment = self._environment(box)
        if self._bwrap is None:
            fds = (theirs.fileno(), *self._plan.fds)
            return spawning.popen(command, env=environment, output=output.writer, pass_fds=fds), None
        options = bubblewrap.arguments(
            user_namespace=not self._root_user,
            box_bytes=self._plan.limits.scratch_bytes,
            gpu=self._plan.gpu,
            readable=self._plan.readable,
            without=self._plan.without,
        )
        info_read, info_write = os.pipe2(os.O_CLOEXEC)
        options_fd = _in_memory("\0".join(options).encode())
        try:
            command = [self._bwrap, "--args", str(options_fd), "--info-fd", str(info_write), "--", *command]
            fds = (theirs.fileno(), options_fd, info_write, *self._plan.fds)
            return spawning.popen(command, env=environment, output=output.writer, pass_fds=fds), info_read
        finally:
            os.close(info_write)
            os.close(options_fd)

    def _config(self, box: str, uid: int | None) -> dict[str, object]:
        plan, limits = self._plan, self._plan.limits
        rlimits = {
            "core_bytes": 0,
            "file_bytes": limits.scratch_bytes,
            "open_files": _OPEN_FILES,
            "processes": limits.processes,
            "data_bytes": limits.memory_bytes,
        }
        if plan.gpu is None:
            rlimits["address_bytes"] = max(_CPU_ADDRESS_BYTES, 2 * limits.memory_bytes)
        if Layer.RLIMITS in plan.without:
            rlimits = {}
        hidden = self._bwrap is not None and Layer.MOUNT_NAMESPACE not in plan.without
        readable = [*view.SYSTEM, *view.SYSTEM_FILES, *map(str, view.readable_directories(plan.readable))]
        readable += [bubblewrap.INSIDE_TREE] if hidden else [str(view.TREE / name) for name in view.OURS]
        readable += ["/sys"]
        writable = (
            [box, "/dev", "/proc"] if self._bwrap or plan.gpu else [box, "/proc", "/dev/null", "/dev/zero", "/dev/shm", "/dev/urandom"]
        )
        return {
            "module": plan.module,
            "args": plan.args,
            "fds": plan.fds,
            "root": bubblewrap.INSIDE_TREE if hidden else str(view.TREE),
            "box": box,
            "box_bytes": limits.scratch_bytes,
            "inodes": _INODES if self._bwrap else 0,
            "uid": uid,
            "rlimits": rlimits,
            "readable": readable,
            "writable": writable,
            "packages": plan.packages,
            "supervise": self._bwrap is None,
            "die_with_parent": self._bwrap is None,
            "off": plan.off,
            "without": sorted(plan.without),
        }

    def _environment(self, box: str) -> dict[str, str]:
        cache = f"{box}/cache"
        environment = {
            "PATH": f"{Path(sys.executable).parent}:/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin",
            "HOME": box,
            "TMPDIR": f"{box}/tmp",
            "USER": "kernel",
            "LOGNAME": "kernel",
            "LANG": "C.UTF-8",
            "XDG_CACHE_HOME": cache,
            "XDG_CONFIG_HOME": f"{box}/config",
            "TRITON_HOME": box,
            "TRITON_CACHE_DIR": f"{cache}/triton",
            "TORCHINDUCTOR_CACHE_DIR": f"{cache}/inductor",
            "TORCH_EXTENSIONS_DIR": f"{cache}/extensions",
            "CUDA_CACHE_PATH": f"{cache}/cuda",
            "CUDA_VISIBLE_DEVICES": "",
        }
        if libraries := view.library_path():
            environment["LD_LIBRARY_PATH"] = ":".join(libraries)
        if self._plan.gpu:
            only_one = self._bwrap is not None and Layer.MOUNT_NAMESPACE not in self._plan.without
            environment["CUDA_VISIBLE_DEVICES"] = self._plan.gpu.uuid or ("0" if only_one else str(self._plan.gpu.index))
        return environment | dict(self._plan.env)

    def _report(self, ours: socket.socket, popen: subprocess.Popen[bytes], output: CapturedOutput) -> tuple[dict[str, str], int]:
        """The bootstrap's report and its host pid, which the kernel wrote on the message."""
        try:
            message, ancillary, _, _ = ours.recvmsg(_MESSAGE_BYTES, socket.CMSG_SPACE(struct.calcsize("3i")))
        except TimeoutError:
            raise SandboxError(f"the sandbox did not start within {_START_S:g} s") from None
        if not message:
            popen.wait(5)
            output.join(1)
            text = output.text()[0].strip()[-2000:]
            if self._bwrap and text.startswith("bwrap:"):
                raise _BubblewrapFailed(text)
            if self._root_user and not self._bwrap:
                raise SandboxUnavailable(f"the interpreter {sys.executable} could not start: {text}")
            raise SandboxError(f"the sandbox ended before it started ({popen.returncode}): {text}")
        credentials = array.array("i")
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                credentials.frombytes(data)
        answer = json.loads(message)
        if "error" in answer:
            raise SandboxError(f"the sandbox could not be entered:\n{answer['error']}")
        return answer["layers"], credentials[0]

    def _verify(self, pid: int, uid: int | None, layers: dict[str, str]) -> None:
        """Look at the waiting process from outside, in /proc."""
        seen = status(pid)
        if 0 in seen.uids and Layer.HOST_UID not in self._plan.without:
            raise SandboxError(f"the sandboxed process still has host uid 0: {seen.uids}")
        if uid is not None:
            right = set(seen.uids) == {uid} and set(seen.gids) == {uid} and not seen.groups
            layers[Layer.HOST_UID] = ACTIVE if right else f"unavailable: uids {seen.uids}, gids {seen.gids}, groups {seen.groups}"
        elif self._bwrap and not self._root_user:
            layers[Layer.HOST_UID] = f"{ACTIVE} (uid {seen.uids[0]} in a user namespace of its own)"
        else:
            layers[Layer.HOST_UID] = f"unavailable: it runs as the worker's own uid {seen.uids[0]}"
        layers[Layer.CAPABILITIES] = ACTIVE if seen.capabilities == 0 else f"unavailable: it holds {seen.capabilities:#x}"
        layers[Layer.NO_NEW_PRIVS] = ACTIVE if seen.no_new_privs else "unavailable: not set"
        if seen.seccomp_mode != 2 and layers[Layer.SECCOMP] == ACTIVE:
            layers[Layer.SECCOMP] = "unavailable: the kernel shows no filter"
        if self._bwrap:
            for layer, name in NAMESPACES.items():
                own = Path(f"/proc/{pid}/ns/{name}").readlink() != Path(f"/proc/self/ns/{name}").readlink()
                layers[layer] = ACTIVE if own else "unavailable: shared with the host"

    def _cgroup(self, pid: int, layers: dict[str, str]) -> Cgroup | None:
        if self._plan.off:
            return None
        limits = self._plan.limits
        try:
            group = Cgroup(memory_bytes=limits.memory_bytes, processes=limits.processes)
        except Unavailable as error:
            layers[Layer.CGROUP] = f"unavailable: {error}"
            return None
        try:
            group.add(pid)
        except OSError as error:
            group.remove()
            layers[Layer.CGROUP] = f"unavailable: {error.strerror}"
            return None
        layers[Layer.CGROUP] = ACTIVE
        return group


class _BubblewrapFailed(SandboxError):
    """bwrap refused to start; its own words."""


def _read_info(descriptor: int) -> int:
    with os.fdopen(descriptor, "rb") as file:
        return int(json.loads(file.read())["child-pid"])


def _in_memory(data: bytes) -> int:
    descriptor = os.memfd_create("arguments")
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _identity(descriptor: int) -> tuple[int, int]:
    about = os.fstat(descriptor)
    return about.st_dev, about.st_ino


def _abandon(popen: subprocess.Popen[bytes]) -> None:
    popen.terminate()
    try:
        popen.wait(2)
    except subprocess.TimeoutExpired:
        popen.kill()
        popen.wait(10)


def _nothing() -> None:
    return
