"""A hand-in whose every field has been checked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from evaluator.build import available_kernel_types, detect
from evaluator.contract import MAX_SOURCE_BYTES, KernelType, Mode, Policy
from evaluator.devices import DEVICES
from evaluator.ops.definition import Op
from evaluator.ops.registry import UnknownOp
from evaluator.ops.untimed import why_untimed
from submissions.intake_errors import IntakeError
from submissions.known_ops import find
from submissions.models import Visibility

FILENAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+ -]{0,119}")
MAX_AGENT = 80
MAX_KEY = 200


@dataclass(frozen=True, slots=True)
class HandIn:
    """What an author wants judged; nothing in it is wrong."""

    op: str
    source: str
    devices: tuple[str, ...]
    kernel_type: KernelType
    mode: Mode
    visibility: Visibility
    filename: str
    agent: str
    seed: int | None
    policy: Policy
    idempotency_key: str | None


def check(
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
    idempotency_key: str | None,
) -> HandIn:
    """Check every field. Raises `IntakeError` with all that is wrong at once."""
    errors: dict[str, list[str]] = {}
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
        errors["filename"] = ["Use at most 120 letters, digits, dots, dashes, underscores and spaces; no folders."]
    if len(agent) > MAX_AGENT or not agent.isprintable():
        errors["agent"] = [f"Use at most {MAX_AGENT} printable characters."]
    if seed is not None and not 0 <= seed < 2**63:
        errors["seed"] = ["A seed is a whole number from 0 to 2^63 - 1."]
    elif seed is not None and mode == Mode.RANKED:
        errors["seed"] = ["A ranked evaluation draws a secret seed of its own. Leave the seed out, or use mode test or benchmark."]
    _one_of("policy", policy, [p.value for p in Policy], errors)
    if policy == Policy.BACKENDBENCH and mode == Mode.RANKED:
        errors["policy"] = ["Policy backendbench cannot be ranked; use mode test or benchmark."]
    if idempotency_key is not None and not (0 < len(idempotency_key) <= MAX_KEY and idempotency_key.isprintable()):
        errors["idempotency_key"] = [f"A key has 1 to {MAX_KEY} printable characters."]
    if errors or kind is None:
        raise IntakeError(errors)
    return HandIn(
        op=op,
        source=text,
        devices=devices,
        kernel_type=kind,
        mode=Mode(mode),
        visibility=Visibility(visibility),
        filename=filename or "submission.py",
        agent=agent,
        seed=seed,
        policy=Policy(policy),
        idempotency_key=idempotency_key,
    )


def _text(source: bytes, errors: dict[str, list[str]]) -> str:
    if not source.strip():
        errors["source"] = ["The source is empty. Send the text of your kernel."]
    elif len(source) > MAX_SOURCE_BYTES:
        errors["source"] = [f"The source has {len(source):,} bytes; at most {MAX_SOURCE_BYTES:,} are taken."]
    elif b"\x00" in source:
        errors["source"] = [f"The source has a NUL byte at offset {source.index(0)}. Send text, not a binary."]
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
        errors["op"] = [f"There is no op {op[:200]!r}." + _meant(unknown.close)]
        return None


def _check_devices(devices: tuple[str, ...], errors: dict[str, list[str]]) -> None:
    if not devices:
        errors["device"] = [f"Name at least one device: {', '.join(DEVICES)}."]
    unknown = [device for device in devices if device not in DEVICES]
    if unknown:
        meant = (difflib.get_close_matches(device, DEVICES) for device in unknown)
        errors["device"] = [
            f"There is no device {device[:80]!r}." + (_meant(close) or f" There are {', '.join(DEVICES)}.")
            for device, close in zip(unknown, meant, strict=True)
        ]


def _kernel_type(given: str | None, text: str, errors: dict[str, list[str]]) -> KernelType | None:
    usable = available_kernel_types()
    if not given:
        found = detect(text) if text else None
        if found is not None and found not in usable:
            errors["kernel_type"] = [f"This looks like {found}, which this site cannot build. It can build {_listed(usable)}."]
        return found
    if given not in set(KernelType):
        close = difflib.get_close_matches(given, list(KernelType))
        errors["kernel_type"] = [f"There is no kernel type {given[:80]!r}." + (_meant(close) or f" There are {_listed(usable)}.")]
        return None
    if given not in usable:
        errors["kernel_type"] = [f"This site cannot build {given}. It can build {_listed(usable)}."]
    return KernelType(given)


def _one_of(field: str, value: str, known: list[str], errors: dict[str, list[str]]) -> None:
    if value not in known:
        errors[field] = [f"There is no {field} {value[:80]!r}. There are {', '.join(known)}."]


def _meant(close: Iterable[str]) -> str:
    names = ", ".join(close)
    return f" Did you mean {names}?" if names else ""


def _listed(types: Iterable[KernelType]) -> str:
    return ", ".join(sorted(types))
