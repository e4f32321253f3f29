"""The sandbox of tools that need more than a kernel does: Nsight Compute talks to the program that it looks at over TCP.

All layers of the usual sandbox, but for this: the system call filter lets AF_INET sockets pass and Landlock leaves TCP alone. The network
namespace holds nothing but a loopback of its own, so a port of the host stays out of reach; on a host that cannot give one, nothing is
started. No capability is added: where the driver keeps its counters for administrators, the tool is not available.
"""

from __future__ import annotations

import time

from evaluator.sandbox.errors import SandboxError
from evaluator.sandbox.layers import Layer, is_active
from evaluator.sandbox.probe import PROBE_S, ProbeRow, attempts
from evaluator.sandbox.sandbox import Sandbox

NAME = "profilers"
_NETWORK = ("tcp_connect", "abstract_connect")
_WANTED = "tools that look at kernels may use TCP over a loopback of their own, and reach nothing of this host by it"
_LOST = "Nsight Compute is not used"
_GOOD_FOR_S = 3600.0
_held: dict[tuple[str, int | None], tuple[float, ProbeRow]] = {}


def profiler_sandbox(mode: str, gpu_index: int | None) -> Sandbox:
    return Sandbox(mode, gpu_index=gpu_index, loopback=True)


def proven(mode: str, gpu_index: int | None, timeout_s: float) -> ProbeRow:
    """As `prove`, from memory where this process has seen it hold within the hour."""
    key = mode, gpu_index
    if key in _held and time.monotonic() - _held[key][0] < _GOOD_FOR_S:
        return _held[key][1]
    row = prove(mode, gpu_index, timeout_s=timeout_s)
    if row.proven:
        _held[key] = time.monotonic(), row
    return row


def prove(mode: str, gpu_index: int | None, *, timeout_s: float = PROBE_S) -> ProbeRow:
    """The probe's attempts from inside this sandbox, as one row: proven when none of them reached anything over a network."""
    if mode == "off":
        return ProbeRow(NAME, NAME, _WANTED, None, "KB_SANDBOX=off", _LOST)
    try:
        answers, layers = attempts(profiler_sandbox(mode, gpu_index), timeout_s=timeout_s)
    except (SandboxError, LookupError, OSError) as error:
        return ProbeRow(NAME, NAME, _WANTED, False, str(error), _LOST)
    network = layers.get(Layer.NETWORK_NAMESPACE.value, "unavailable: not reported")
    failed = [f"{name}: {answers[name][1] if name in answers else 'not tried'}" for name in _NETWORK if not answers.get(name, (False,))[0]]
    failed += [] if is_active(network) else [f"network_namespace: {network}"]
    return ProbeRow(NAME, NAME, _WANTED, not failed, "; ".join(failed) or "; ".join(answers[name][1] for name in _NETWORK), _LOST)
