"""What a reader who may not see a source may not see elsewhere either: output, tracebacks and long messages quote source lines."""

from __future__ import annotations

from collections.abc import Mapping

from evaluator.contract import JSON

WITHHELD = "(for the author only, like the source)"
MOST = 300
"""Characters of a sentence that may hold what the source said."""


def redact_event(kind: str, data: Mapping[str, JSON]) -> dict[str, JSON]:
    """An event's data without log text, remarks of the build and tracebacks."""
    if kind in ("log", "note"):
        return {"text": WITHHELD}
    if kind == "case":
        return redact_case(data)
    if kind == "verdict":
        return {**data, "reasons": redact_reasons(data.get("reasons"))}
    return dict(data)


def redact_outcome(outcome: Mapping[str, JSON]) -> dict[str, JSON]:
    """An outcome without log text and tracebacks, and without a profile, which shows what the source does."""
    cases = outcome.get("cases")
    shown: list[JSON] = [redact_case(case) for case in cases if isinstance(case, dict)] if isinstance(cases, list) else []
    return {**outcome, "log": "", "profile": None, "reasons": redact_reasons(outcome.get("reasons")), "cases": shown}


def redact_case(case: Mapping[str, JSON]) -> dict[str, JSON]:
    """Only the first line of a case's reason, and of why it was not captured: a traceback may follow."""
    shown = dict(case)
    if isinstance(reason := case.get("reason"), str):
        shown["reason"] = first_line(reason)
    timing = case.get("timing")
    if isinstance(timing, dict) and isinstance(why := timing.get("not_captured"), str):
        shown["timing"] = {**timing, "not_captured": first_line(why)}
    return shown


def redact_reasons(reasons: JSON) -> list[JSON]:
    if not isinstance(reasons, list):
        return []
    return [_redact_reason(reason) for reason in reasons if isinstance(reason, dict)]


def _redact_reason(reason: Mapping[str, JSON]) -> dict[str, JSON]:
    """The first lines alone: messages of exceptions hold more. Which functions a source has, only its readers learn."""
    shown: dict[str, JSON] = {**reason, "detail": WITHHELD if reason.get("detail") else ""}
    for name in ("message", "hint"):
        if isinstance(text := reason.get(name), str):
            shown[name] = first_line(text)
    if reason.get("code") == "no_entry_point":
        shown |= {"message": str(shown.get("message", "")).partition(";")[0], "hint": ""}
    return shown


def first_line(text: str) -> str:
    """Of a bounded length."""
    first = next(iter(text.splitlines()), "")
    return first if len(first) <= MOST else f"{first[:MOST]}…"
