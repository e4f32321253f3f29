"""First program inside the sandbox: puts on the inner layers, reports them, waits for the outside to check, then runs the module.

Called as `python -I -B -S bootstrap.py CONTROL_FD` with its configuration as one message on that socket. Nothing hostile runs before the
outside has looked at this process in /proc and answered `go`.
"""

# pathlib would double the time that this program takes.
# ruff: noqa: PTH103, PTH112, PTH208

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import traceback

_MESSAGE_BYTES = 1 << 18
_GO = b"go"
_LEFT_OUT = "unavailable: left out for a test"
_MS_REMOUNT_NOSUID_NODEV = 32 | 2 | 4


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    config = json.loads(control.recv(_MESSAGE_BYTES))
    sys.path.insert(0, config["root"])
    try:
        layers = _enter(config, keep=(control.fileno(), *config["fds"]))
    except _Unreachable as error:
        control.send(json.dumps({"unreachable": str(error)}).encode())
        raise SystemExit(1) from None
    except BaseException:
        control.send(json.dumps({"error": traceback.format_exc(limit=4)}).encode()[:_MESSAGE_BYTES])
        raise SystemExit(1) from None
    control.send(json.dumps({"layers": layers}).encode())
    answer = control.recv(16)
    control.close()
    if answer != _GO:
        raise SystemExit(1)
    _run(config)


class _Unreachable(Exception):
    """The new uid cannot read what Python needs."""


def _enter(config: dict, keep: tuple[int, ...]) -> dict[str, str]:  # type: ignore[type-arg]
    from evaluator.sandbox.inside import landlock, privileges, rlimits, seccomp

    os.umask(0o077)
    _close_others(keep)
    _make_box(config)
    layers: dict[str, str] = {}

    if config["supervise"]:
        from evaluator.sandbox.inside import supervisor

        supervisor.split(config["box"])
    if config["off"]:
        os.chdir(config["box"])
        return layers
    if config["uid"] is not None:
        privileges.drop_to(config["uid"], config["uid"])
    skip = config["without"]
    if "capabilities" not in skip:
        privileges.clear_capabilities()
    if "no_new_privs" not in skip:
        privileges.no_new_privileges()
    privileges.own_proc()
    if config["supervise"]:
        privileges.die_with_parent()
    _check_reachable(config)
    os.chdir(config["box"])
    rlimits.apply(config["rlimits"])
    layers["rlimits"] = "active" if "rlimits" not in skip else _LEFT_OUT
    for name, put_on in (
        ("landlock", lambda: landlock.apply(config["readable"], config["writable"], loopback=config["loopback"])),
        ("seccomp", lambda: seccomp.apply(inet=config["loopback"])),
    ):
        if name in skip:
            layers[name] = _LEFT_OUT
            continue
        try:
            note = put_on()
        except OSError as error:
            layers[name] = f"unavailable: {error.strerror or error}"
        else:
            layers[name] = f"active ({note})" if note else "active"
    return layers


def _check_reachable(config: dict) -> None:  # type: ignore[type-arg]
    """Look at each package, too: under umask 077 an installer makes them private one by one."""
    wanted = [os.__file__, sys.executable, config["box"], *config["package_directories"]]
    for path in wanted:
        if not os.access(path, os.R_OK | os.X_OK if os.path.isdir(path) else os.R_OK):
            raise _Unreachable(path)
    for directory in config["package_directories"]:
        for entry in os.scandir(directory):
            is_directory = entry.is_dir(follow_symlinks=False)
            if not is_directory and not (entry.is_file(follow_symlinks=False) and entry.name.endswith((".py", ".so"))):
                continue
            if not os.access(entry.path, os.R_OK | os.X_OK if is_directory else os.R_OK):
                raise _Unreachable(entry.path)


def _close_others(keep: tuple[int, ...]) -> None:
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in keep:
            with contextlib.suppress(OSError):
                os.close(int(name))


def _make_box(config: dict) -> None:  # type: ignore[type-arg]
    """Directories of the work directory, owned by the run's uid; caps its inodes where we still may."""
    box, uid = config["box"], config["uid"]
    if config["inodes"] and os.geteuid() == 0:
        from evaluator.sandbox.inside import kernel

        with contextlib.suppress(OSError):
            kernel.mount(box, _MS_REMOUNT_NOSUID_NODEV, f"size={config['box_bytes']},nr_inodes={config['inodes']}")
    for directory in (box, f"{box}/tmp", f"{box}/cache"):
        os.makedirs(directory, mode=0o700, exist_ok=True)
        if uid is not None:
            os.chown(directory, uid, uid)


def _run(config: dict) -> None:  # type: ignore[type-arg]
    import runpy

    if config["packages"]:
        import site

        site.main()
    sys.argv = [config["module"], *config["args"]]
    runpy.run_module(config["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
