"""What the wrong elements of a case look like: guesses for a person, drawn from the few elements that are shown. Never a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from evaluator.contract import CaseResult, Mismatch, Verdict

FEW = 3
"""Fewer shown elements than this make no pattern."""
LIKE = 1e-3


def worst_first(cases: Iterable[CaseResult]) -> list[CaseResult]:
    """Failed cases before passed ones; in both, the farther from its tolerance the earlier."""
    return sorted(cases, key=lambda case: (case.passed, -severity(case)))


def severity(case: CaseResult) -> float:
    """The error as a multiple of the tolerance; infinite where a failed case has no finite error to show."""
    if case.rel_l2 is None or not case.tolerance:
        return 0.0 if case.passed else math.inf
    return case.rel_l2 / case.tolerance


def patterns(case: CaseResult) -> list[str]:
    """One sentence for each pattern that all shown elements share."""
    if case.verdict is not Verdict.WRONG_RESULT or not case.mismatches:
        return []
    shown = case.mismatches
    pairs = [(_number(m.expected), _number(m.got)) for m in shown]
    found = [*_values(pairs, case), *_places(shown)] if len(shown) >= FEW or case.mismatch_share == 1 else []
    if case.mismatch_share is not None and 0 < case.mismatch_share < 0.01:
        found.append(
            f"Only {100 * case.mismatch_share:.2g} % of the elements are wrong: look at the edges, tails and masks, not at the formula."
        )
    return found


def _values(pairs: Sequence[tuple[float, float]], case: CaseResult) -> list[str]:
    right, got = [p[0] for p in pairs], [p[1] for p in pairs]
    if all(math.isnan(g) for g in got) and not any(math.isnan(r) for r in right):
        return ["Every shown element is NaN: never written (outputs hold NaN before a call), or computed as Inf - Inf or 0/0."]
    if all(g == 0 for g in got) and not any(r == 0 for r in right):
        return ["Every shown element is 0: was it never written, or masked away?"]
    if len(set(got)) == 1 and len(set(right)) > 1:
        return [f"Every shown element is {got[0]:g}, whatever was expected."]
    finite = all(math.isfinite(r) and math.isfinite(g) and r != 0 for r, g in pairs)
    if finite and (ratio := _constant([g / r for r, g in pairs])) is not None:
        return [f"Every shown element is {ratio:.4g} times what was expected: is a scale or a divisor missing?"]
    if finite and len(pairs) >= FEW and (offset := _constant([g - r for r, g in pairs])) is not None:
        return [f"Every shown element is off by {offset:.4g}: is a term missing or added twice?"]
    ratio_to_torch = case.rel_l2 / case.rel_l2_torch if case.rel_l2 and case.rel_l2_torch else 0.0
    if case.rel_l2 is not None and case.rel_l2 < 5e-3 and ratio_to_torch > 3:
        return [f"The errors look like rounding, {ratio_to_torch:.0f} times as large as torch's own: accumulate in float32."]
    return []


def _places(shown: Sequence[Mismatch]) -> list[str]:
    """Where the shown elements lie along the dimensions.

    They are the first wrong ones in row-major order, so that one index in all of them says something only where a slower one varies.
    """
    dims = len(shown[0].index)
    found = []
    slower_varies = False
    for dim in range(dims):
        at = {m.index[dim] for m in shown}
        slower_varies |= len(at) > 1
        if len(at) == 1 and slower_varies:
            found.append(f"All shown elements have index {at.pop()} in dimension {dim}.")
    last = [m.index[-1] for m in shown] if dims else []
    block = _power_of_two(min(last)) if last and min(last) >= 16 else 0
    if block:
        found.append(f"No shown element comes before index {block} of the last dimension: is work beyond one block of {block} left out?")
    return found


def _power_of_two(number: int) -> int:
    """The number if it is a power of two, else 0."""
    return number if number & (number - 1) == 0 else 0


def _constant(values: Sequence[float]) -> float | None:
    """What all values agree on, when it is something else than what a right kernel would show."""
    middle = sorted(values)[len(values) // 2]
    if len(values) < FEW or abs(middle) < LIKE or abs(middle - 1) < LIKE:
        return None
    return middle if all(abs(v - middle) <= LIKE * abs(middle) for v in values) else None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan if text != "True" and text != "False" else float(text == "True")
