"""The verdict of one evaluation in words: what happened, why, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.contract import Flag, Mode, Reason, State, Verdict
from submissions.models import Evaluation
from submissions.pages import words
from submissions.pages.sheet import PerformanceRow, Sheet
from submissions.templatetags.measures import percent, ratio

NEAR_THE_LIMIT = 0.9


@dataclass(frozen=True, slots=True)
class Told:
    """`title` in a word or two, `lead` the sentence that a reader needs first, `meaning` what such a verdict means, `to_do` the next step.

    `tone` is one of `words.Words`.
    """

    title: str
    tone: str
    lead: str
    meaning: str = ""
    to_do: str = ""


def told(evaluation: Evaluation, sheet: Sheet | None) -> Told:
    """From the outcome where there is one that can be read, else from the verdict or state alone."""
    said = words.of(evaluation.verdict, evaluation.state)
    if evaluation.state != State.DONE:
        return Told(said.title, said.tone, said.meaning)
    if evaluation.verdict == Verdict.ACCEPTED:
        return Told(said.title, said.tone, _how_fast(evaluation, sheet), to_do=_faster(evaluation, sheet))
    reason = next(iter(sheet.outcome.reasons), None) if sheet is not None else None
    if reason is None:
        return Told(said.title, said.tone, said.meaning, to_do=said.next_step)
    to_do = f"{said.next_step} {reason.hint}".strip() if evaluation.verdict == Verdict.SUSPECT else reason.hint or said.next_step
    message = _of_the_worst(reason, sheet) if sheet is not None else reason.message
    return Told(said.title, said.tone, _sentence(message, evaluation.op), said.meaning, to_do)


def _of_the_worst(reason: Reason, sheet: Sheet) -> str:
    """What the reason says of the case that failed first, said of the one that is shown first, where that failed in the same way."""
    worst = sheet.failed[0].case if sheet.failed else None
    if worst is None or worst.hidden or reason.detail or not reason.message.startswith("case "):
        return reason.message
    if reason.code != (worst.code or str(worst.verdict)):
        return reason.message
    return f"case {worst.name}: {worst.reason.partition(chr(10))[0]}"


def _sentence(message: str, op: str) -> str:
    """With a capital, unless it begins with a name, and a full stop."""
    message = message.strip()
    first = message.partition(" ")[0].rstrip(":,")
    if first.isalpha() and first.islower() and first != op:
        message = message[0].upper() + message[1:]
    return message if message.endswith((".", "!", "?", ":")) else f"{message}."


def _how_fast(evaluation: Evaluation, sheet: Sheet | None) -> str:
    right = "Every case was right."
    low, high = evaluation.speedup_low, evaluation.speedup_high
    if low is None or high is None:
        return right
    timed = [row.timing for row in sheet.performance] if sheet is not None else []
    won, lost = sum(each.low > 1 for each in timed), sum(each.high < 1 for each in timed)
    if low > 1:
        where = f" in {_of(won, len(timed))}" if timed else ""
        return f"{right} It is faster than torch eager{where}."
    if high < 1:
        where = f" in {_of(lost, len(timed))}" if timed else ""
        return f"{right} It is slower than torch eager{where}."
    return f"{right} It is as fast as torch eager, as far as this measurement can tell."


def _of(some: int, all_: int) -> str:
    if some == all_:
        return {1: "the timed case", 2: "both timed cases"}.get(all_, f"all {all_} timed cases")
    return f"{some} of {all_} timed cases, and by their geometric mean"


def _faster(evaluation: Evaluation, sheet: Sheet | None) -> str:
    if evaluation.mode == Mode.TEST:
        return "It was checked and not timed. Hand it in as benchmark or ranked to learn how fast it is."
    if Flag.INTERPRETED in evaluation.flags:
        return "Hand it in for a GPU to learn how fast it is there."
    if sheet is None or sheet.slowest is None:
        return ""
    slowest = sheet.slowest
    share, limit = _share(slowest)
    if share is not None and all((_share(row)[0] or 0.0) >= NEAR_THE_LIMIT for row in sheet.performance):
        return f"Every case reaches {percent(NEAR_THE_LIMIT)} of {limit} or more: there is little left."
    reached = f", at {percent(share)} of {limit}" if share is not None else ""
    if len(sheet.performance) == 1:
        return f"It runs{reached[1:]}." if reached else ""
    return f"Look at {slowest.name} first: it gains least, {ratio(slowest.timing.speedup)}{reached}."


def _share(row: PerformanceRow) -> tuple[float | None, str]:
    """Of the speed of light, as beside each case and on the board; where the table has none, of the limit as measured on the machine."""
    if row.timing.sol_share is not None:
        return row.timing.sol_share, "the speed of light"
    measured = row.timing.limit.calibrated if row.timing.limit is not None else None
    return (measured.share if measured is not None else None), "the limit as measured on its machine"
