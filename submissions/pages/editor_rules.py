"""What the editor hints at before anything is sent: intake's own rules, as data. The server judges all of it again.

A rule that is a function is asked for every combination; one that is a limit or a pattern goes along with its sentence.
"""

from __future__ import annotations

from itertools import product

from evaluator.build.detect import signs
from evaluator.contract import JSON, MAX_SOURCE_BYTES, Mode, Policy, Timer
from evaluator.devices import DEVICES
from evaluator.ops.definition import Op
from evaluator.ops.untimed import why_untimed
from evaluator.timers import why_unfit
from submissions import hand_in


def editor_rules() -> dict[str, JSON]:
    """`refusals` hold when every field of `when` has that value (null: any); `signs` are tried in order, the first one found counts."""
    return {
        "most_bytes": MAX_SOURCE_BYTES,
        "most_agent": hand_in.MAX_AGENT,
        "most_seed": str(hand_in.MAX_SEED),
        "filename": hand_in.FILENAME.pattern,
        "says": {
            "too_long": hand_in.TOO_LONG,
            "has_nul": hand_in.HAS_NUL,
            "filename": hand_in.BAD_FILENAME,
            "agent": hand_in.BAD_AGENT,
            "seed": hand_in.BAD_SEED,
        },
        "signs": [
            {
                "type": sign.kernel_type.value,
                "pattern": sign.pattern,
                "unless": sign.unless,
                "refused": hand_in.why_unbuilt(sign.kernel_type),
            }
            for sign in signs()
        ],
        "refusals": [*_terms(), *_timers()],
    }


def op_refusals(op: Op) -> list[JSON]:
    """Where this op cannot be ranked."""
    found = ((device, why_untimed(op, device)) for device in DEVICES)
    return [_refusal("mode", f"{why}.", mode=Mode.RANKED, device=device) for device, why in found if why]


def _terms() -> list[JSON]:
    return [
        _refusal("seed", hand_in.SEED_RANKED, seed=None, mode=Mode.RANKED),
        _refusal("policy", hand_in.POLICY_RANKED, policy=Policy.BACKENDBENCH, mode=Mode.RANKED),
    ]


def _timers() -> list[JSON]:
    found = ((timer, mode, device, why_unfit(timer, mode, device)) for timer, mode, device in product(Timer, Mode, DEVICES))
    return [_refusal("timer", why, timer=timer, mode=mode, device=device) for timer, mode, device, why in found if why]


def _refusal(field: str, says: str, **when: str | None) -> JSON:
    return {"field": field, "says": says, "when": {name: str(value) if value is not None else None for name, value in when.items()}}
