"""What speaks against the figure of a case: each found by comparing the kernel's commands with torch's (ENGINE §4)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from evaluator.contract import CaseTiming, Flag, Reason
from evaluator.judge.audit import Audit, Commanded
from evaluator.timing.stats import RatioEstimate

HIDDEN_SHARE, HIDDEN_US = 0.1, 4.0
"""By how much more than torch's a single call of a graph may exceed a call among many: what a kernel needs is not in the caches yet, its
own code included. On an H100 the two kernels of a right submission were 2.9 µs colder than torch's one."""
LEAST_US = 0.5
"""What a call claims, and that much, is the most that may be hidden: one kernel alone takes 1.3 µs of a graph, and was at most 0.7 µs
colder than torch's (H200), so whoever claims less than a kernel takes has hidden more."""
WAITING_US = 60.0
"""What a call may take beside what its events say when it waits for the GPU, as one does that looks at a result: the next call's launch is
then not hidden behind a flush. It counts, and is no forgery. A single call of Python's may be that much colder, too."""
EARLY_SHARE, EARLY_US = 0.3, 100.0
"""By how much longer than before torch's the judge may need to write inputs before the kernel's calls."""
SLOW_FLUSH, SLOW_FLUSH_US = 2.0, 60.0
"""A flush that takes longer than that many times what the memory's bandwidth allows, and so much besides, shares the GPU with somebody."""


@dataclass
class Doubts:
    """`drift`: how much slower torch was than alone (0.05 is 5 %). `batched`: the speedup of single calls, where many together claim more
    than these can explain. `early`: how many times as long the judge's writing took before the kernel's calls as before torch's. `waits`:
    the clocks differ by what waiting for the GPU in each call costs.
    """

    clocks_disagree: bool = False
    waits: bool = False
    drift: float | None = None
    batched: RatioEstimate | None = None
    early: float | None = None

    def __bool__(self) -> bool:
        """Whether the case must be measured again."""
        return self.clocks_disagree or any(doubt is not None for doubt in (self.drift, self.batched, self.early))

    def reasons(self, case: str, timing: CaseTiming) -> list[Reason]:
        """In words, each with what to do."""
        found: list[Reason] = []
        if self.clocks_disagree and timing.audit_speedup is not None:
            claimed, seen = timing.speedup, timing.audit_speedup
            text = f"case {case}: the kernel's clock says {claimed:.2f}×, the judge's {seen:.2f}×; the lower one is stored"
            found.append(Reason("clocks_disagree", text, hint="Join every stream and thread before you return."))
        if self.drift is not None:
            text = f"case {case}: torch ran {100 * self.drift:.0f} % slower beside the submission than alone before it, twice"
            found.append(Reason("baseline_drift", text, hint="Start nothing that goes on working when the call has returned."))
        if self.batched is not None:
            text = f"case {case}: {timing.calls} calls in a row gave {timing.speedup:.2f}×, single calls give {self.batched.median:.2f}×"
            found.append(Reason("batched_calls", text, hint="Do the work of each call in that call."))
        if self.early is not None:
            text = f"case {case}: writing the inputs took {self.early:.1f} times as long before the kernel's calls as before torch's"
            found.append(Reason("works_early", text, hint="Leave nothing running between calls."))
        return found

    def flags(self) -> list[Flag]:
        raised = {Flag.CLOCKS_DISAGREE: self.clocks_disagree, Flag.WAITS: self.waits, Flag.DISTURBED: self.drift is not None}
        return [flag for flag, is_raised in raised.items() if is_raised]

    def believed(self, timing: CaseTiming) -> CaseTiming:
        """The timing with the lowest of the figures."""
        if (self.clocks_disagree or self.waits) and timing.audit_speedup is not None:
            seen = timing.audit_speedup
            timing = replace(timing, speedup=seen, low=timing.audit_low or seen, high=timing.audit_high or seen)
        if self.batched is not None and self.batched.median < timing.speedup:
            timing = replace(timing, speedup=self.batched.median, low=self.batched.low, high=self.batched.high)
        return timing


def hides_in_many(many: Sequence[Audit], single: Sequence[Audit], *, graph: bool) -> bool:
    """Whether a kernel's calls among many are shorter than single ones by more than torch's are, and a tolerance.

    Many small kernels are many times as cold in a single call. What that makes look slower, and not faster, hides nothing.
    """
    (ours, theirs), (our_single, their_single) = (_both(audits, lambda command: command.mean_us) for audits in (many, single))
    more = our_single - ours - max(0.0, their_single - theirs)
    colder = min(HIDDEN_SHARE * ours + HIDDEN_US, ours + LEAST_US) if graph else HIDDEN_SHARE * ours + WAITING_US
    return theirs / ours > their_single / our_single and more > colder


def waits_for_the_gpu(excess_us: float, calls: int, *, graph: bool) -> bool:
    """Whether what a command took beyond the candidate's clock is no more than waiting in each of its calls explains."""
    return not graph and excess_us <= WAITING_US * calls


def works_early(audits: Sequence[Audit]) -> float | None:
    """How many times as long the judge's writing to the GPU took before the kernel's calls as before torch's, where that is too long."""
    ours, theirs = _both(audits, lambda command: command.writing_us)
    return ours / theirs if ours > theirs * (1 + EARLY_SHARE) + EARLY_US else None


def shares_the_gpu(audits: Sequence[Audit], flush_us: float | None) -> bool:
    """Whether the judge's own flushes before torch's calls took too long. `flush_us`: what they need at the memory's full bandwidth."""
    if flush_us is None:
        return False
    took = statistics.median(command.flushing_us for audit in audits for command in audit.baseline)
    return took > SLOW_FLUSH * flush_us + SLOW_FLUSH_US


def _both(audits: Sequence[Audit], read: Callable[[Commanded], float]) -> tuple[float, float]:
    """Medians over the kernel's and torch's commands."""
    ours = statistics.median(read(command) for audit in audits for command in audit.candidate)
    return ours, statistics.median(read(command) for audit in audits for command in audit.baseline)
