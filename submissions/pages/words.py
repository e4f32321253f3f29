"""Verdicts, states and flags in words: what happened, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.contract import Flag, Mode, Policy, State, Timer, Verdict


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
        "Compile error",
        "bad",
        "The source could not be built or imported, so nothing was run.",
        "Correct what the message names and hand it in again.",
    ),
    Verdict.COMPILE_TIMEOUT: Words(
        "Compile timeout",
        "bad",
        "Building took longer than its limit, so nothing was run.",
        "Compile fewer variants, or leave out heavy headers.",
    ),
    Verdict.RUNTIME_ERROR: Words(
        "Runtime error",
        "bad",
        "A call raised an error, returned something else than tensors, or wrote beside one.",
        "Read the last lines of the traceback, and repeat the case with the command below it.",
    ),
    Verdict.OUT_OF_MEMORY: Words(
        "Out of memory",
        "bad",
        "The kernel asked for more memory than it may have.",
        "Reuse buffers, or work on smaller pieces; the message names the limit.",
    ),
    Verdict.TIMEOUT: Words(
        "Timeout",
        "bad",
        "A stage took longer than its limit.",
        "Look for an endless loop or for work that grows with the square of a size; mode test is the quickest way to try.",
    ),
    Verdict.CRASHED: Words(
        "Crashed",
        "bad",
        "The process that held the kernel ended by itself.",
        "Look for accesses out of bounds; the log below may hold its last words.",
    ),
    Verdict.WRONG_SHAPE: Words(
        "Wrong shape", "bad", "An output has another shape than the reference's.", "Compare the two shapes in the message."
    ),
    Verdict.WRONG_DTYPE: Words("Wrong dtype", "bad", "An output has another dtype than the reference's.", "Cast before you return."),
    Verdict.WRONG_RESULT: Words(
        "Wrong result",
        "bad",
        "At least one case differs from the right answer by more than the tolerance.",
        "Begin with the first wrong elements below.",
    ),
    Verdict.WRONG_DEVICE: Words(
        "Wrong device", "bad", "An output lies on another device than the inputs.", "Allocate outputs on the device of an input."
    ),
    Verdict.WRONG_STRIDES: Words(
        "Wrong strides", "bad", "The memory layout of an output is not what the op asks for.", "Return a contiguous tensor."
    ),
    Verdict.ALIASED_OUTPUT: Words(
        "Aliased output", "bad", "An output shares memory with an input or with an earlier output.", "Return fresh memory from each call."
    ),
    Verdict.INPUT_MUTATED: Words(
        "Input mutated", "bad", "An input was changed, and this op leaves its inputs alone.", "Write to a new tensor."
    ),
    Verdict.CONSTRAINT_VIOLATED: Words(
        "Constraint violated", "bad", "A limit of this op or of the request was passed.", "The message names the limit and what was used."
    ),
    Verdict.REJECTED: Words("Rejected", "bad", "A rule forbids what this source does.", "The message names the rule."),
    Verdict.SUSPECT: Words(
        "Held for review",
        "warn",
        "The measurement contradicts itself. Nothing is said against its author: a person looks at it before it counts.",
        "Nothing to do: wait for the decision. The evidence stands below.",
    ),
    Verdict.CANCELLED: Words("Cancelled", "idle", "It was stopped before there was a verdict.", "Run it again when you like."),
    Verdict.INFRA_ERROR: Words(
        "Our fault",
        "warn",
        "Our own machinery failed, several times. This says nothing about the kernel.",
        "Run it again in a while.",
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
    Flag.THROTTLED: "The device lowered its clocks while timing. Such a run does not count towards a record.",
    Flag.USES_CUDA_STREAM: "The source makes CUDA streams of its own.",
    Flag.LOG_CUT: "It printed more than the log keeps; the middle was cut.",
    Flag.LEFT_PROCESSES: "It left threads or processes behind; they were ended.",
    Flag.CLOCKS_DISAGREE: "The two clocks gave different ratios; the lower one is stored.",
    Flag.SPENDS_TOLERANCE: "Right, but with errors close to what is allowed and larger than torch's own: lower precision inside?",
    Flag.BIASED: "Right, but the errors lean to one side: numbers are cut off instead of rounded, or a term is left out.",
    Flag.WAITS: "The kernel waits for the GPU in its call. What that costs is not in its events, so the judge's clock counts.",
    Flag.NOT_CAPTURED: "A case is timed by CUDA graph, and this kernel cannot be captured in one: timed call by call, and not ranked.",
    Flag.DISTURBED: "Something else used the device, or torch ran slower than alone. Right, but not ranked: run it again.",
}

MODES: Mapping[Mode, tuple[str, str]] = {
    Mode.RANKED: ("Ranked", "checked, timed, may enter the board"),
    Mode.BENCHMARK: ("Benchmark", "checked and timed, never ranked"),
    Mode.TEST: ("Test", "checked only: the quickest answer"),
    Mode.PROFILE: ("Profile", "timed, then profiled; never ranked"),
}

POLICIES: Mapping[Policy, str] = {
    Policy.SCALED: "by the output's scale, against fp64",
    Policy.BACKENDBENCH: "within 0.01 + 1 %; never ranked",
}

TIMERS: Mapping[Timer, str] = {
    Timer.ABBA: "interleaved with torch, audited",
    Timer.DO_BENCH: "Triton's own, on a GPU; never ranked",
    Timer.CPU_BENCH: "100 calls, on a CPU; never ranked",
}


def of(verdict: str, state: str) -> Words:
    """Words of an evaluation: its verdict when it has one, else its state."""
    return VERDICTS[Verdict(verdict)] if verdict else STATES[State(state)]
