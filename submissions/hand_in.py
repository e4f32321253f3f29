"""A hand-in whose every field has been checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.http import Http404

from evaluator.build import available_kernel_types, detect
from evaluator.close_names import close_to, did_you_mean
from evaluator.contract import MAX_SOURCE_BYTES, KernelType, Mode, Policy, Timer
from evaluator.devices import DEVICES
from evaluator.ops.definition import Op
from evaluator.ops.registry import UnknownOp
from evaluator.ops.untimed import why_untimed
from evaluator.timers import why_unfit
from submissions.access import Reader, access_source
from submissions.intake_errors import IntakeError
from submissions.known_ops import find
from submissions.models import Visibility
from submissions.terms import Terms

FILENAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+ -]{0,119}")
MAX_AGENT = 80
MAX_KEY = 200
MAX_SEED = 2**63 - 1

# What a refusal says. The submit page repeats these as hints (`submissions/pages/editor_rules.py`), in the same words.
EMPTY = "The source is empty. Send the text of your kernel."
TOO_LONG = "The source has {bytes} bytes; at most {most} are taken."
HAS_NUL = "The source has a NUL byte at offset {offset}. Send text, not a binary."
BAD_FILENAME = "Use at most 120 letters, digits, dots, dashes, underscores and spaces; no folders."
BAD_AGENT = f"Use at most {MAX_AGENT} printable characters."
BAD_SEED = "A seed is a whole number from 0 to 2^63 - 1."
SEED_RANKED = "A ranked evaluation draws a secret seed of its own. Leave the seed out, or use mode test or benchmark."
POLICY_RANKED = "Policy backendbench cannot be ranked; use mode test or benchmark."


@dataclass(frozen=True, slots=True)
class HandIn:
    """What an author wants judged; nothing in it is wrong."""

    op: str
    source: str
    devices: tuple[str, ...]
    kernel_type: KernelType
    terms: Terms
    visibility: Visibility
    filename: str
    agent: str
    parent: str | None
    idempotency_key: str | None


def check(
    author: Reader,
    *,
    op: str,
    source: bytes,
    device: str | list[str],
    kernel_type: str | None,
    mode: str,
    visibility: str,
    filename: str,
    agent: str,
    seed: int | None,
    policy: str,
    timer: str,
    parent: str,
    idempotency_key: str | None,
    also_wrong: Mapping[str, list[str]],
) -> HandIn:
    """Check every field. Raises `IntakeError` with all that is wrong at once, and with what the caller has found `also_wrong`."""
    errors: dict[str, list[str]] = {**also_wrong}
    text = _text(source, errors)
    devices = tuple(dict.fromkeys([device] if isinstance(device, str) else device))
    found = _check_op(op, errors)
    _check_devices(devices, errors)
    kind = _kernel_type(kernel_type, text, errors)
    _one_of("mode", mode, [m.value for m in Mode], errors)
    if found is not None and mode == Mode.RANKED and (untimed := [why for device in devices if (why := why_untimed(found, device))]):
        errors["mode"] = [f"{why}." for why in untimed]
    _one_of("visibility", visibility, list(Visibility.values), errors)
    if filename and not FILENAME.fullmatch(filename):
        errors["filename"] = [BAD_FILENAME]
    if len(agent) > MAX_AGENT or not agent.isprintable():
        errors["agent"] = [BAD_AGENT]
    if seed is not None and not 0 <= seed <= MAX_SEED:
        errors["seed"] = [BAD_SEED]
    elif seed is not None and mode == Mode.RANKED:
        errors["seed"] = [SEED_RANKED]
    _one_of("policy", policy, [p.value for p in Policy], errors)
    if policy == Policy.BACKENDBENCH and mode == Mode.RANKED:
        errors["policy"] = [POLICY_RANKED]
    _check_timer(timer, mode, devices, errors)
    _check_parent(author, parent, errors)
    if idempotency_key is not None and not (0 < len(idempotency_key) <= MAX_KEY and idempotency_key.isprintable()):
        errors["idempotency_key"] = [f"A key has 1 to {MAX_KEY} printable characters."]
    if errors or kind is None:
        raise IntakeError(errors)
    return HandIn(
        op=op,
        source=text,
        devices=devices,
        kernel_type=kind,
        terms=Terms(Mode(mode), seed, Policy(policy), Timer(timer)),
        visibility=Visibility(visibility),
        filename=filename or "submission.py",
        agent=agent,
        parent=parent or None,
        idempotency_key=idempotency_key,
    )


def _text(source: bytes, errors: dict[str, list[str]]) -> str:
    if not source.strip():
        errors["source"] = [EMPTY]
    elif len(source) > MAX_SOURCE_BYTES:
        errors["source"] = [TOO_LONG.format(bytes=f"{len(source):,}", most=f"{MAX_SOURCE_BYTES:,}")]
    elif b"\x00" in source:
        errors["source"] = [HAS_NUL.format(offset=source.index(0))]
    else:
        try:
            return source.decode("utf-8")
        except UnicodeDecodeError as error:
            errors["source"] = [f"The source is not UTF-8: byte {source[error.start]:#04x} at offset {error.start}."]
    return ""


def _check_op(op: str, errors: dict[str, list[str]]) -> Op | None:
    try:
        return find(op)
    except UnknownOp as unknown:
        errors["op"] = [f"There is no op {op[:200]!r}." + did_you_mean(unknown.close)]
        return None


def _check_devices(devices: tuple[str, ...], errors: dict[str, list[str]]) -> None:
    if not devices:
        errors["device"] = [f"Name at least one device: {', '.join(DEVICES)}."]
    unknown = [device for device in devices if device not in DEVICES]
    if unknown:
        errors["device"] = [
            f"There is no device {device[:80]!r}." + (close_to(device, DEVICES) or f" There are {', '.join(DEVICES)}.")
            for device in unknown
        ]


def _check_timer(timer: str, mode: str, devices: Iterable[str], errors: dict[str, list[str]]) -> None:
    _one_of("timer", timer, [t.value for t in Timer], errors)
    if "timer" not in errors and mode in set(Mode):
        unfit = (why_unfit(Timer(timer), Mode(mode), device) for device in devices if device in DEVICES)
        if told := [why for why in dict.fromkeys(unfit) if why]:
            errors["timer"] = told


def _check_parent(author: Reader, parent: str, errors: dict[str, list[str]]) -> None:
    if not parent:
        return
    try:
        access_source(author, parent)
    except Http404:
        errors["parent"] = [f"There is no submission {parent[:80]!r} whose source you may read."]


def _kernel_type(given: str | None, text: str, errors: dict[str, list[str]]) -> KernelType | None:
    usable = available_kernel_types()
    if not given:
        found = detect(text) if text else None
        if found is not None and (why := why_unbuilt(found)):
            errors["kernel_type"] = [why]
        return found
    if given not in set(KernelType):
        close = close_to(given, KernelType)
        errors["kernel_type"] = [f"There is no kernel type {given[:80]!r}." + (close or f" There are {_listed(usable)}.")]
        return None
    if given not in usable:
        errors["kernel_type"] = [f"This site cannot build {given}. It can build {_listed(usable)}."]
    return KernelType(given)


def why_unbuilt(found: KernelType) -> str:
    """Why a source that looks like `found` is refused; empty when it is not."""
    usable = available_kernel_types()
    return "" if found in usable else f"This looks like {found}, which this site cannot build. It can build {_listed(usable)}."


def _one_of(field: str, value: str, known: list[str], errors: dict[str, list[str]]) -> None:
    if value not in known:
        errors[field] = [f"There is no {field} {value[:80]!r}. There are {', '.join(known)}."]


def _listed(types: Iterable[KernelType]) -> str:
    return ", ".join(sorted(types))
