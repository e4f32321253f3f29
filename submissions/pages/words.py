"""Verdicts, states and flags in words: what happened, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.contract import Flag, Mode, State, Verdict


@dataclass(frozen=True, slots=True)
class Words:
    """`tone` is `good`, `bad`, `warn` or `idle`: a colour beside the words, never instead of them."""

    title: str
    tone: str
    meaning: str
    next_step: str = ""


VERDICTS: Mapping[Verdict, Words] = {
    Verdict.ACCEPTED: Words("Accepted", "good", "Every case was right."),
    Verdict.COMPILE_ERROR: Words(
        "Compile error", "bad", "The source could not be built or imported.", "Read the message, correct the source and hand it in again."
    ),
    Verdict.COMPILE_TIMEOUT: Words(
        "Compile timeout", "bad", "Building took longer than its limit.", "Compile fewer variants, or leave out heavy headers."
    ),
    Verdict.RUNTIME_ERROR: Words(
        "Runtime error", "bad", "The kernel raised an error, returned something else than tensors, or wrote beside one.", "See the reason."
    ),
    Verdict.OUT_OF_MEMORY: Words(
        "Out of memory", "bad", "The kernel asked for more memory than it may have.", "Reuse buffers; the limit stands in the reason."
    ),
    Verdict.TIMEOUT: Words(
        "Timeout", "bad", "A stage took longer than its limit.", "Look for an endless loop, or test smaller sizes first."
    ),
    Verdict.CRASHED: Words(
        "Crashed", "bad", "The candidate process ended on its own.", "Look for accesses out of bounds; the log may hold its last words."
    ),
    Verdict.WRONG_SHAPE: Words("Wrong shape", "bad", "An output has another shape than the reference.", "Compare the shapes below."),
    Verdict.WRONG_DTYPE: Words("Wrong dtype", "bad", "An output has another dtype than the reference.", "Cast before you return."),
    Verdict.WRONG_RESULT: Words(
        "Wrong result",
        "bad",
        "At least one case differs from the fp64 reference by more than the tolerance.",
        "See the first wrong elements.",
    ),
    Verdict.WRONG_DEVICE: Words(
        "Wrong device", "bad", "An output lies on another device than the inputs.", "Allocate outputs like the inputs."
    ),
    Verdict.WRONG_STRIDES: Words(
        "Wrong strides", "bad", "An output's memory layout is not what the op asks for.", "Return a contiguous tensor."
    ),
    Verdict.ALIASED_OUTPUT: Words(
        "Aliased output", "bad", "An output shares memory with an input or with an earlier output.", "Return fresh memory from each call."
    ),
    Verdict.INPUT_MUTATED: Words("Input mutated", "bad", "An input was changed, and this op is not in-place.", "Write to a new tensor."),
    Verdict.CONSTRAINT_VIOLATED: Words("Constraint violated", "bad", "A limit of this op was passed.", "The reason names the limit."),
    Verdict.REJECTED: Words("Rejected", "bad", "A rule forbids what this source does.", "The reason names the rule."),
    Verdict.SUSPECT: Words(
        "Held for review",
        "warn",
        "The measurement contradicts itself, so a person looks at it first.",
        "Nothing to do: wait for the decision.",
    ),
    Verdict.CANCELLED: Words("Cancelled", "idle", "It was stopped before a verdict.", "Hand it in again when you like."),
    Verdict.INFRA_ERROR: Words(
        "Our fault", "warn", "Our machinery failed several times; this says nothing about the kernel.", "Hand it in again in a while."
    ),
}

STATES: Mapping[State, Words] = {
    State.QUEUED: Words("Queued", "idle", "Waits for a build worker."),
    State.BUILDING: Words("Building", "live", "The source is built in a sandbox, before any device is asked for."),
    State.WAITING: Words("Waiting", "idle", "Built; waits for its device."),
    State.CHECKING: Words("Checking", "live", "Outputs are compared with the fp64 reference, on fresh secret inputs."),
    State.TIMING: Words("Timing", "live", "Candidate and baseline run interleaved until the interval is narrow."),
    State.PROFILING: Words("Profiling", "live", "Profilers look at single calls."),
    State.DONE: Words("Done", "idle", "The verdict stands."),
}

FLAGS: Mapping[Flag, str] = {
    Flag.INTERPRETED: "Ran in Triton's interpreter on the CPU: right or wrong is real, the speed says nothing about a GPU. Ranked apart.",
    Flag.NONDETERMINISTIC: "The same inputs gave different outputs twice. Within tolerance, so it is only a remark.",
    Flag.THROTTLED: "The device lowered its clocks while timing.",
    Flag.USES_CUDA_STREAM: "The source makes CUDA streams of its own.",
    Flag.LOG_CUT: "It printed more than the log keeps; the middle was cut.",
    Flag.LEFT_PROCESSES: "It left threads or processes behind; they were ended.",
    Flag.CLOCKS_DISAGREE: "The two clocks gave different ratios; the lower one is stored.",
    Flag.SPENDS_TOLERANCE: "Right, but with errors close to what is allowed and larger than torch's own: lower precision inside?",
    Flag.BIASED: "Right, but the errors lean to one side: numbers are cut off instead of rounded, or a term is left out.",
}

MODES: Mapping[Mode, tuple[str, str]] = {
    Mode.RANKED: ("Ranked", "checked, timed, and may enter the board"),
    Mode.BENCHMARK: ("Benchmark", "checked and timed, never ranked"),
    Mode.TEST: ("Test", "checked only: the quickest answer"),
    Mode.PROFILE: ("Profile", "with profilers, never ranked"),
}


def of(verdict: str, state: str) -> Words:
    """Words of an evaluation: its verdict when it has one, else its state."""
    return VERDICTS[Verdict(verdict)] if verdict else STATES[State(state)]
