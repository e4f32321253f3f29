"""Names of the sandbox's layers, and what is lost without each."""

from __future__ import annotations

import enum


class Layer(enum.StrEnum):
    HOST_UID = "host_uid"
    CAPABILITIES = "capabilities"
    NO_NEW_PRIVS = "no_new_privs"
    PID_NAMESPACE = "pid_namespace"
    MOUNT_NAMESPACE = "mount_namespace"
    NETWORK_NAMESPACE = "network_namespace"
    IPC_NAMESPACE = "ipc_namespace"
    UTS_NAMESPACE = "uts_namespace"
    SECCOMP = "seccomp"
    LANDLOCK = "landlock"
    RLIMITS = "rlimits"
    CGROUP = "cgroup"


NAMESPACES = {
    Layer.PID_NAMESPACE: "pid",
    Layer.MOUNT_NAMESPACE: "mnt",
    Layer.NETWORK_NAMESPACE: "net",
    Layer.IPC_NAMESPACE: "ipc",
    Layer.UTS_NAMESPACE: "uts",
}

# Layers that `strict` does not insist on: rlimits and the judge's watchdog stand in for them.
OPTIONAL = frozenset({Layer.CGROUP})

CONSEQUENCE = {
    Layer.HOST_UID: "submitted code could read the worker's files, or everything if the worker is root",
    Layer.CAPABILITIES: "submitted code could use root's privileges",
    Layer.NO_NEW_PRIVS: "submitted code could gain rights through setuid programs",
    Layer.PID_NAMESPACE: "submitted code sees other processes",
    Layer.MOUNT_NAMESPACE: "submitted code sees every file that other users may read",
    Layer.NETWORK_NAMESPACE: "only the system call filter keeps submitted code from the network",
    Layer.IPC_NAMESPACE: "submitted code shares System V memory and POSIX queues with the host",
    Layer.UTS_NAMESPACE: "submitted code sees the host's name",
    Layer.SECCOMP: "submitted code can call every kernel interface, open sockets and trace processes",
    Layer.LANDLOCK: "a mistake in the mounts would not be caught by a second layer",
    Layer.RLIMITS: "submitted code can use up processes, memory and disk",
    Layer.CGROUP: "memory is watched by the judge instead of being bounded by the kernel",
}

ACTIVE = "active"


def is_active(status: str) -> bool:
    """Whether a layer's status text says that it is on."""
    return status == ACTIVE or status.startswith(f"{ACTIVE} (")


def missing(layers: dict[str, str]) -> dict[str, str]:
    """The layers that are wanted and not active, with their status."""
    return {name: status for name, status in layers.items() if not is_active(status) and name not in OPTIONAL}
