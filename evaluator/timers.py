"""Which timer can be used where."""

from __future__ import annotations

from evaluator.contract import Mode, Timer
from evaluator.devices import device_class

KIND = {Timer.DO_BENCH: "cuda", Timer.CPU_BENCH: "cpu"}
"""Kind of the devices that a timer can time on; the others time on all."""


def why_unfit(timer: Timer, mode: Mode, device: str) -> str:
    """Why `timer` cannot be used so, as a sentence; empty when it can. `device` is the board's class."""
    if mode is Mode.RANKED and timer is not Timer.ABBA:
        return f"Timer {timer} cannot be ranked; use mode benchmark."
    kind = device_class(device).kind
    if KIND.get(timer, kind) != kind:
        return f"Timer {timer} cannot time on {device}; use {Timer.CPU_BENCH if kind == 'cpu' else Timer.DO_BENCH} or {Timer.ABBA}."
    return ""
