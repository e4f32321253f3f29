"""Answers of a harness process, read as what they are: bytes from somebody who may lie. Anything odd is a broken protocol."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.contract import Reason, Verdict
from evaluator.correctness import OutputMeta
from evaluator.judge.peer import PeerBrokeProtocol

MAX_TEXT = 20_000
MAX_OUTPUTS = 64
MAX_DIMENSIONS = 64
MAX_TIMES = 20_000


@dataclass(frozen=True, slots=True)
class CallFailed:
    """The call, or the import, raised."""

    verdict: Verdict
    reason: Reason


@dataclass(frozen=True, slots=True)
class Returned:
    """What the call returned, as the candidate describes it. The bytes in the judge's buffers decide; this gives the words."""

    metas: tuple[OutputMeta, ...]
    structure: str = "T"
    wrong_type: str = ""
    sparse: str = ""
    alias: str = ""


@dataclass(frozen=True, slots=True)
class Timed:
    """Times of the calls of one command, in nanoseconds by the candidate's clock, and what it says of its memory."""

    samples_ns: tuple[int, ...]
    host_ns: tuple[int, ...]
    kept: bool
    peak_bytes: int


def error_of(answer: Mapping[str, object], *, importing: bool = False) -> CallFailed | None:
    """The error that an answer reports, None when it reports none.

    A reason's message is one line, which everybody may read. Further lines of an exception's message go to the detail: they quote sources.
    """
    if "error" not in answer:
        return None
    error = _object(answer["error"])
    kind, name, message = (text_of(error.get(k, "")) for k in ("kind", "type", "message"))
    message, _, more = message.partition("\n")
    detail = text_of(error.get("traceback", ""))
    if more not in detail:
        detail = f"{more}\n{detail}".strip("\n")
    if kind == "no_entry_point":
        callables = ", ".join(text_of(c) for c in _items(error.get("callables", []), 100)) or "none"
        hint = "Rename one of them, or add the function."
        return CallFailed(Verdict.COMPILE_ERROR, Reason("no_entry_point", f"{message}; callables found: {callables}", hint=hint))
    if kind == "out_of_memory":
        hint = "Ask for less memory: the limit is in the outcome's sandbox table."
        return CallFailed(Verdict.OUT_OF_MEMORY, Reason("out_of_memory", f"{name}: {message}", detail, hint))
    if importing:
        return CallFailed(
            Verdict.COMPILE_ERROR, Reason("import_failed", f"the source raised {name} while it was imported: {message}", detail)
        )
    return CallFailed(Verdict.RUNTIME_ERROR, Reason("raised", f"the call raised {name}: {message}", detail))


def calls_of(answer: Mapping[str, object], count: int) -> list[CallFailed | Returned]:
    """One result a call; an error of the whole command, such as a kernel that failed after its call had returned, counts for each.

    Raises `PeerBrokeProtocol`.
    """
    if (failed := error_of(answer)) is not None:
        return [failed] * count
    calls = _items(answer.get("calls"), count)
    if len(calls) != count:
        raise PeerBrokeProtocol("an answer for another number of calls")
    return [_call(_object(c)) for c in calls]


def timed_of(answer: Mapping[str, object], count: int) -> Timed:
    samples = tuple(_integer(v) for v in _items(answer.get("samples_ns"), count))
    host = tuple(_integer(v) for v in _items(answer.get("host_ns"), count))
    if len(samples) != count or len(host) != count:
        raise PeerBrokeProtocol("an answer with another number of samples")
    return Timed(samples, host, answer.get("kept") is True, _integer(answer.get("peak_bytes", 0)))


def times_of(answer: Mapping[str, object]) -> list[int]:
    """Nanoseconds of each call of a timer that makes as many as it likes."""
    samples = [_integer(v) for v in _items(answer.get("samples_ns"), MAX_TIMES)]
    if not samples:
        raise PeerBrokeProtocol("a timer that timed nothing")
    return samples


def _call(call: Mapping[str, object]) -> CallFailed | Returned:
    failed = error_of(call)
    if failed is not None:
        return failed
    metas: list[OutputMeta] = []
    alias = ""
    structure = text_of(call.get("structure", ""))
    for item in _items(call.get("outputs"), MAX_OUTPUTS):
        output = _object(item)
        kind = text_of(output.get("type", ""))
        if kind != "torch.Tensor":
            return Returned((), structure, wrong_type=kind)
        layout = text_of(output.get("layout", ""))
        if layout != "strided":
            return Returned((), structure, sparse=layout)
        shape, strides = (tuple(_integer(n) for n in _items(output.get(k), MAX_DIMENSIONS)) for k in ("shape", "strides"))
        if len(shape) != len(strides):
            raise PeerBrokeProtocol("an output with more dimensions than strides")
        metas.append(OutputMeta(shape, text_of(output.get("dtype", "")), strides, text_of(output.get("device", ""))))
        alias = alias or text_of(output.get("alias", ""))
    return Returned(tuple(metas), structure, alias=alias)


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise PeerBrokeProtocol("an answer of the wrong form")
    return value


def _items(value: object, most: int) -> list[object]:
    if not isinstance(value, list) or len(value) > most:
        raise PeerBrokeProtocol("an answer of the wrong form")
    return typing.cast("list[object]", value)


def text_of(value: object) -> str:
    """A text without what a database or a terminal cannot hold. Raises `PeerBrokeProtocol`."""
    if not isinstance(value, str):
        raise PeerBrokeProtocol("an answer of the wrong form")
    return value[:MAX_TEXT].replace("\x00", "�").encode("utf-8", "replace").decode()


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise PeerBrokeProtocol("an answer of the wrong form")
    return value
