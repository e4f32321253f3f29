"""What a reader who may not see a source may not see elsewhere either: output and tracebacks quote source lines."""

from __future__ import annotations

from collections.abc import Mapping

from evaluator.contract import JSON

WITHHELD = "(for the author only, like the source)"


def redact_event(kind: str, data: Mapping[str, JSON]) -> dict[str, JSON]:
    """An event's data without log text and tracebacks."""
    if kind == "log":
        return {"text": WITHHELD}
    if kind == "case":
        return redact_case(data)
    if kind == "verdict":
        return {**data, "reasons": redact_reasons(data.get("reasons"))}
    return dict(data)


def redact_outcome(outcome: Mapping[str, JSON]) -> dict[str, JSON]:
    """An outcome without log text and tracebacks."""
    cases = outcome.get("cases")
    shown: list[JSON] = [redact_case(case) for case in cases if isinstance(case, dict)] if isinstance(cases, list) else []
    return {**outcome, "log": "", "reasons": redact_reasons(outcome.get("reasons")), "cases": shown}


def redact_case(case: Mapping[str, JSON]) -> dict[str, JSON]:
    """Only the first line of a case's reason: a traceback may follow it."""
    reason = case.get("reason")
    return {**case, "reason": reason.split("\n", 1)[0]} if isinstance(reason, str) else dict(case)


def redact_reasons(reasons: JSON) -> list[JSON]:
    if not isinstance(reasons, list):
        return []
    return [{**reason, "detail": WITHHELD if reason.get("detail") else ""} for reason in reasons if isinstance(reason, dict)]
