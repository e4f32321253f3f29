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
from pathlib import Path

from evaluator.sandbox import bubblewrap, spawning, view
from evaluator.sandbox.captured import CapturedOutput
from evaluator.sandbox.cgroup import Cgroup, Unavailable
from evaluator.sandbox.errors import SandboxError, SandboxUnavailable
from evaluator.sandbox.layers import ACTIVE, NAMESPACES, Layer
from evaluator.sandbox.plan import Place, Plan
from evaluator.sandbox.process import Handle, SandboxedProcess
from evaluator.sandbox.tree import status
from evaluator.sandbox.tree_copy import tree_copy
from evaluator.sandbox.uids import LeasedUid

_START_S = 30.0
_MESSAGE_BYTES = 1 << 18
_BOOTSTRAP = "evaluator/sandbox/inside/bootstrap.py"


class BubblewrapFailed(SandboxError):
    """bwrap refused to start; its own words."""


def launch(plan: Plan, bwrap: str | None) -> SandboxedProcess:
    """Start `plan`, through the program `bwrap` when the plan has namespaces.

    Raises `BubblewrapFailed` when bwrap itself could not start, `SandboxUnavailable` when this host cannot run it safely, else
    `SandboxError`.
    """
    with contextlib.ExitStack() as undo:
        lease = LeasedUid() if os.geteuid() == 0 and not plan.off and Layer.HOST_UID not in plan.without else None
        if lease:
            undo.callback(lease.release)
        uid = lease.uid if lease else None
        host_box = None if plan.own_view else tempfile.mkdtemp(prefix="kbweb-box-")
        if host_box:
            undo.callback(shutil.rmtree, host_box, ignore_errors=True)
        place = Place(host_box, str(tree_copy())) if host_box else Place(bubblewrap.BOX, bubblewrap.INSIDE_TREE)
        output = CapturedOutput(plan.limits.log_bytes)
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        undo.callback(control.close)
        control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        control.settimeout(_START_S)
        control.send(json.dumps(plan.config(place, uid)).encode())
        try:
            popen, info = _spawn(plan, bwrap, theirs, output, place)
        except OSError as error:
            raise SandboxError(f"cannot start {bwrap or sys.executable}: {error.strerror}") from error
        finally:
            theirs.close()
            output.start()
        undo.callback(_abandon, popen)
        with contextlib.ExitStack() as read:
            if info is not None:
                read.callback(os.close, info)
            layers, pid = _receive_report(control, popen, output, bwrap)
            root_pid = _init_pid(info) if info is not None else popen.pid
        cgroup = _make_cgroup(plan, pid, layers)
        if cgroup:
            undo.callback(cgroup.remove)
        if plan.off:
            layers = {layer.value: "unavailable: KB_SANDBOX=off" for layer in Layer}
        else:
            _verify(plan, pid, uid, layers)
        process = SandboxedProcess(
            Handle(
                popen=popen,
                pid=pid,
                root_pid=root_pid,
                root_is_init=bwrap is not None,
                output=output,
                layers=layers,
                box=place.box,
                host_box=host_box,
                cgroup=cgroup,
                release=lease.release if lease else _nothing,
            )
        )
        control.send(b"go")
        undo.pop_all()
        control.close()
        return process


def _spawn(
    plan: Plan, bwrap: str | None, theirs: socket.socket, output: CapturedOutput, place: Place
) -> tuple[subprocess.Popen[bytes], int | None]:
    """The process, and where bwrap writes about its child."""
    command = [sys.executable, "-I", "-B", "-S", f"{place.tree}/{_BOOTSTRAP}", str(theirs.fileno())]
    environment = plan.environment(place)
    fds = [theirs.fileno(), *plan.fds]
    if bwrap is None:
        return spawning.popen(command, env=environment, output=output.writer, pass_fds=fds), None
    with contextlib.ExitStack() as opened:
        ours = {name: _open(view.TREE / name, opened) for name in view.our_files()} if plan.own_view else {}
        options = bubblewrap.arguments(
            user_namespace=os.geteuid() != 0,
            box_bytes=plan.limits.scratch_bytes,
            gpu=plan.gpu,
            readable=plan.readable,
            ours=ours,
            without=plan.without,
        )
        options_fd = _in_memory("\0".join(options).encode())
        opened.callback(os.close, options_fd)
        info, info_writer = os.pipe2(os.O_CLOEXEC)
        opened.callback(os.close, info_writer)
        command = [bwrap, "--args", str(options_fd), "--info-fd", str(info_writer), "--", *command]
        fds += [*ours.values(), options_fd, info_writer]
        try:
            return spawning.popen(command, env=environment, output=output.writer, pass_fds=fds), info
        except OSError:
            os.close(info)
            raise


def _open(path: Path, opened: contextlib.ExitStack) -> int:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    opened.callback(os.close, descriptor)
    return descriptor


def _receive_report(
    control: socket.socket, popen: subprocess.Popen[bytes], output: CapturedOutput, bwrap: str | None
) -> tuple[dict[str, str], int]:
    """The bootstrap's layers and its host pid, which the kernel wrote on the message."""
    try:
        message, ancillary, _, _ = control.recvmsg(_MESSAGE_BYTES, socket.CMSG_SPACE(struct.calcsize("3i")))
    except TimeoutError:
        raise SandboxError(f"the sandbox did not start within {_START_S:g} s") from None
    except ConnectionResetError:
        message, ancillary = b"", []
    if not message:
        with contextlib.suppress(subprocess.TimeoutExpired):
            popen.wait(5)
        output.join(1)
        text = output.text()[0].strip()[-2000:]
        if bwrap and "bwrap: " in text:
            raise BubblewrapFailed(text)
        raise SandboxError(f"the sandbox ended before it started (status {popen.returncode}): {text}")
    answer = json.loads(message)
    if "unreachable" in answer:
        raise SandboxUnavailable(
            f"the run's own user cannot read {answer['unreachable']}. Python, its packages and the directory for temporary files must be "
            "open to every user: `chmod -R a+rX` them, or install under umask 022. Where only a directory above them is private, "
            "namespaces are enough (bubblewrap and CAP_SYS_ADMIN)"
        )
    if "error" in answer:
        raise SandboxError(f"the sandbox could not be entered:\n{answer['error']}")
    credentials = array.array("i")
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
            credentials.frombytes(data)
    return {str(name): str(text) for name, text in answer["layers"].items()}, credentials[0]


def _verify(plan: Plan, pid: int, uid: int | None, layers: dict[str, str]) -> None:
    """Look at the waiting process from outside, in /proc, and write down what is so. Host uid 0 is refused in every mode."""
    seen = status(pid)
    if 0 in seen.uids and Layer.HOST_UID not in plan.without:
        raise SandboxError(f"the sandboxed process still has host uid 0: {seen.uids}")
    if uid is not None:
        right = set(seen.uids) == {uid} and set(seen.gids) == {uid} and not seen.groups
        host_uid = ACTIVE if right else f"unavailable: uids {seen.uids}, gids {seen.gids}, groups {seen.groups}"
    elif plan.namespaces and 0 not in seen.uids:
        host_uid = f"{ACTIVE} (uid {seen.uids[0]} in a user namespace of its own)"
    else:
        host_uid = f"unavailable: it runs as the worker's own uid {seen.uids[0]}"
    layers[Layer.HOST_UID.value] = host_uid
    layers[Layer.CAPABILITIES.value] = ACTIVE if seen.capabilities == 0 else f"unavailable: it holds {seen.capabilities:#x}"
    layers[Layer.NO_NEW_PRIVS.value] = ACTIVE if seen.no_new_privs else "unavailable: not set"
    if seen.seccomp_mode != 2 and layers[Layer.SECCOMP.value] == ACTIVE:
        layers[Layer.SECCOMP.value] = "unavailable: the kernel shows no filter"
    if plan.loopback and Path(f"/proc/{pid}/ns/net").readlink() == Path("/proc/self/ns/net").readlink():
        raise SandboxUnavailable("a run that may use TCP has no network namespace of its own")
    if plan.namespaces:
        for layer, name in NAMESPACES.items():
            own = Path(f"/proc/{pid}/ns/{name}").readlink() != Path(f"/proc/self/ns/{name}").readlink()
            layers[layer.value] = ACTIVE if own else "unavailable: shared with the host"


def _make_cgroup(plan: Plan, pid: int, layers: dict[str, str]) -> Cgroup | None:
    if plan.off:
        return None
    try:
        group = Cgroup(memory_bytes=plan.limits.memory_bytes, processes=plan.limits.processes)
    except Unavailable as error:
        layers[Layer.CGROUP.value] = f"unavailable: {error}"
        return None
    try:
        group.add(pid)
    except OSError as error:
        group.remove()
        layers[Layer.CGROUP.value] = f"unavailable: {error.strerror}"
        return None
    layers[Layer.CGROUP.value] = ACTIVE
    return group


def _init_pid(info: int) -> int:
    with os.fdopen(os.dup(info), "rb") as file:
        return int(json.loads(file.read())["child-pid"])


def _in_memory(data: bytes) -> int:
    descriptor = os.memfd_create("arguments")
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _abandon(popen: subprocess.Popen[bytes]) -> None:
    """End a start that failed: the supervisor ends its child on SIGTERM, bwrap's child dies with bwrap."""
    popen.terminate()
    try:
        popen.wait(2)
    except subprocess.TimeoutExpired:
        popen.kill()
        popen.wait(10)


def _nothing() -> None:
    return
