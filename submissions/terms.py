"""On what terms an evaluation is judged: what its author chose beside op, source and device."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.contract import Mode, Policy, Timer


@dataclass(frozen=True, slots=True)
class Terms:
    """`seed` None: inputs of fresh entropy. Only those of the defaults are ranked."""

    mode: Mode = Mode.RANKED
    seed: int | None = None
    policy: Policy = Policy.SCALED
    timer: Timer = Timer.ABBA
