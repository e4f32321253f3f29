"""Where an evaluation ran, as a card: the facts that a reader looks for first, in groups, then whatever else was reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluator.contract import JSON, Outcome
from evaluator.timing.watch import POWER_CAP, SLOWDOWNS
from submissions.models import Evaluation
from submissions.pages.sheet import flat

Facts = tuple[tuple[str, str], ...]
_GROUPS: Mapping[str, Mapping[str, str]] = {
    "Device": {"device_name": "device", "driver": "driver", "cuda": "CUDA", "gpu_uuid_hash": "GPU (hash of its id)"},
    "Software": {"torch": "torch", "triton": "triton", "python": "Python", "os": "system"},
    "Host": {"cpu": "CPU", "cores": "cores", "runner": "runner"},
}
_CLOCKS = {"sm_mhz": "{} MHz SM", "memory_mhz": "{} MHz memory", "temperature_c": "{} °C", "power_w": "{} W"}
_TOLD = {*(name for group in _GROUPS.values() for name in group), "clocks", "evaluator", "epoch"}


@dataclass(frozen=True, slots=True)
class FactGroup:
    """Facts that belong together, as pairs of name and value."""

    title: str
    facts: Facts


def surroundings(evaluation: Evaluation, outcome: Outcome) -> list[FactGroup]:
    """Groups without facts are left out."""
    found = outcome.environment
    groups = [FactGroup(title, tuple(_named(found, names))) for title, names in _GROUPS.items()]
    groups[0] = FactGroup("Device", (*groups[0].facts, *_clocks(found.get("clocks"))))
    groups.append(FactGroup("Evaluator", tuple(_evaluator(evaluation, outcome))))
    groups.append(FactGroup("Also reported", tuple(flat({name: value for name, value in found.items() if name not in _TOLD}))))
    return [group for group in groups if group.facts]


def _named(found: Mapping[str, JSON], names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key, name in names.items():
        value = found.get(key)
        if isinstance(value, dict):
            yield from flat(value, f"{name} ")
        elif value not in (None, ""):
            yield name, str(value)


def _clocks(found: JSON) -> Facts:
    """What NVML said when the evaluation began, in one line, and why clocks were not higher."""
    if not isinstance(found, dict):
        return ()
    said = [words.format(_rounded(found[name])) for name, words in _CLOCKS.items() if isinstance(found.get(name), (int, float))]
    mask = found.get("throttle_reasons")
    held = [name.replace("_", " ") for bit, name in {**SLOWDOWNS, **POWER_CAP}.items() if isinstance(mask, int) and mask & bit]
    return (*((("clocks", ", ".join(said)),) if said else ()), *((("held down by", ", ".join(held)),) if held else ()))


def _rounded(value: JSON) -> str:
    return f"{value:.0f}" if isinstance(value, float) else str(value)


def _evaluator(evaluation: Evaluation, outcome: Outcome) -> Iterator[tuple[str, str]]:
    if outcome.evaluator_version:
        yield "evaluator", f"{outcome.evaluator_version}, epoch {outcome.epoch}"
    yield "mode", f"{evaluation.mode}, policy {evaluation.policy}, timer {evaluation.timer}"
    if outcome.seed is not None:
        yield "seed of public cases", str(outcome.seed)
    yield "evaluation", f"{evaluation.pk}, attempt {evaluation.attempt}"
    if stages := _stages(outcome.stage_seconds):
        yield "seconds spent", stages


def _stages(seconds: Mapping[str, float]) -> str:
    parts: Sequence[str] = [f"{name} {spent:.1f}" for name, spent in seconds.items()]
    return ", ".join(parts)
