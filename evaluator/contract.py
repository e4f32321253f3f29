"""What goes into an evaluation and what comes out: the words that every part of the project shares.

Everything here is plain data that survives JSON. torch is never imported.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from evaluator.epoch import EPOCH as EPOCH
from evaluator.jsonable import JSON as JSON
from evaluator.jsonable import dumps as dumps
from evaluator.jsonable import from_json as from_json
from evaluator.jsonable import to_json as to_json
from evaluator.limits import Limits as Limits
from evaluator.profiles import ArtefactKind as ArtefactKind
from evaluator.profiles import Profile as Profile
from evaluator.profiles import Profiler as Profiler
from evaluator.timings import CaseTiming as CaseTiming
from evaluator.timings import ClockStats as ClockStats
from evaluator.timings import SampleStats as SampleStats
from evaluator.timings import TimingSummary as TimingSummary

CONTRACT_VERSION = 1
MAX_SOURCE_BYTES = 1024 * 1024


class KernelType(enum.StrEnum):
    """How a submission's source is built. A type is usable once a file in `evaluator/build/` registers it."""

    TORCH = "torch"
    TORCH_CUDA = "torch_cuda"
    TRITON = "triton"
    CUDA = "cuda"
    HELION = "helion"
    CPP = "cpp"


class Mode(enum.StrEnum):
    """`test`: correctness only. `benchmark`: timed, never ranked. `ranked`: timed, may enter a board. `profile`: with profilers."""

    TEST = "test"
    BENCHMARK = "benchmark"
    RANKED = "ranked"
    PROFILE = "profile"


class Policy(enum.StrEnum):
    """How far an output may be from the right one. `scaled`: relative to the output's scale and torch's own error (ENGINE §3); the only
    one that is ranked. `backendbench`: BackendBench's fixed rule, |got - torch| <= 0.01 + 0.01 |torch| for each element.
    """

    SCALED = "scaled"
    BACKENDBENCH = "backendbench"


class Timer(enum.StrEnum):
    """`abba`: interleaved with torch and audited (ENGINE §4); the only one that is ranked. `do_bench`, `cpu_bench`: as other tools time,
    each side alone in its own process, for comparison with them.
    """

    ABBA = "abba"
    DO_BENCH = "do_bench"
    CPU_BENCH = "cpu_bench"


class State(enum.StrEnum):
    """Where an evaluation is."""

    QUEUED = "queued"
    BUILDING = "building"
    WAITING = "waiting"
    CHECKING = "checking"
    TIMING = "timing"
    PROFILING = "profiling"
    DONE = "done"


STAGES = (State.BUILDING, State.WAITING, State.CHECKING, State.TIMING, State.PROFILING)


class Verdict(enum.StrEnum):
    """How an evaluation ended."""

    ACCEPTED = "accepted"
    COMPILE_ERROR = "compile_error"
    COMPILE_TIMEOUT = "compile_timeout"
    RUNTIME_ERROR = "runtime_error"
    OUT_OF_MEMORY = "out_of_memory"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    WRONG_SHAPE = "wrong_shape"
    WRONG_DTYPE = "wrong_dtype"
    WRONG_RESULT = "wrong_result"
    WRONG_DEVICE = "wrong_device"
    WRONG_STRIDES = "wrong_strides"
    ALIASED_OUTPUT = "aliased_output"
    INPUT_MUTATED = "input_mutated"
    CONSTRAINT_VIOLATED = "constraint_violated"
    REJECTED = "rejected"
    SUSPECT = "suspect"
    CANCELLED = "cancelled"
    INFRA_ERROR = "infra_error"


class Flag(enum.StrEnum):
    """A fact that stands beside the verdict."""

    INTERPRETED = "interpreted"
    NONDETERMINISTIC = "nondeterministic"
    THROTTLED = "throttled"
    USES_CUDA_STREAM = "uses_cuda_stream"
    LOG_CUT = "log_cut"
    LEFT_PROCESSES = "left_processes"
    CLOCKS_DISAGREE = "clocks_disagree"
    SPENDS_TOLERANCE = "spends_tolerance"
    BIASED = "biased"
    WAITS = "waits_for_gpu"
    NOT_CAPTURED = "not_captured"
    DISTURBED = "disturbed"


SPOILING = (Flag.THROTTLED, Flag.DISTURBED)
"""Of a run whose times the device or somebody else spoilt. It says nothing of the kernel, and may be done again."""


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """One run of one source on one device.

    `device` is the hardware class of the board (`cpu`, `h100`, …). `seed` None means fresh OS entropy, and hidden cases
    run too; a given seed reproduces the public cases of an earlier run. `definition` is the op itself, as data
    (`evaluator/ops/recorded`), where `op` is no slug of the registry. `confirming` asks for the stop rule of records.
    """

    op: str
    source: str
    kernel_type: KernelType
    device: str = "cpu"
    mode: Mode = Mode.RANKED
    seed: int | None = None
    timer: Timer = Timer.ABBA
    policy: Policy = Policy.SCALED
    limits: Limits = field(default_factory=Limits)
    filename: str = "submission.py"
    definition: dict[str, JSON] | None = None
    confirming: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened during an evaluation, in order.

    kinds: `stage` {stage, limit_s}; `case` {a CaseResult as JSON}; `timing` {case, quads, speedup, low, high};
    `log` {text}; `note` {text}.
    """

    kind: str
    data: dict[str, JSON]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One wrong element. `expected` and `got` are shown as text so that NaN, infinities and 64-bit integers survive JSON.

    `ulp`: how many representable numbers of the output's dtype lie between them; None for what is not a finite float.
    """

    index: tuple[int, ...]
    expected: str
    got: str
    ulp: float | None = None


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case of one evaluation. `verdict` is None when the case passed. Errors compare with the fp64 oracle.

    `bias`: the mean error over the root mean square error, 1 when every element errs to the same side, near 0 when errors are rounding.
    `oracle`: the dtype that the oracle was computed in, "" where none was needed. `code` is the reason's where the verdict says too little.
    """

    name: str
    kind: str
    passed: bool
    inputs: str
    hidden: bool = False
    verdict: Verdict | None = None
    reason: str = ""
    seed: int | None = None
    max_abs: float | None = None
    max_rel: float | None = None
    rel_l2: float | None = None
    rel_l2_torch: float | None = None
    tolerance: float | None = None
    mismatch_share: float | None = None
    bias: float | None = None
    oracle: str = ""
    mismatches: tuple[Mismatch, ...] = ()
    reproduce: str = ""
    code: str = ""
    timing: CaseTiming | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a verdict fell: a short code, one sentence for a person, optional detail (traceback, compiler output), and what to do."""

    code: str
    message: str
    detail: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of one evaluation. `performance_score` is the geometric mean speedup over `torch_eager` (None when not timed)."""

    verdict: Verdict
    stage: State
    op: str
    device: str
    kernel_type: KernelType
    mode: Mode
    reasons: tuple[Reason, ...] = ()
    flags: tuple[Flag, ...] = ()
    correctness_score: float | None = None
    performance_score: float | None = None
    cases: tuple[CaseResult, ...] = ()
    timing: TimingSummary | None = None
    profile: Profile | None = None
    policy: Policy = Policy.SCALED
    environment: dict[str, JSON] = field(default_factory=dict)
    sandbox: dict[str, JSON] = field(default_factory=dict)
    stage_seconds: dict[str, float] = field(default_factory=dict)
    log: str = ""
    seed: int | None = None
    evaluator_version: str = ""
    epoch: int = EPOCH
    contract_version: int = CONTRACT_VERSION

    def __post_init__(self) -> None:
        if self.verdict is Verdict.ACCEPTED and any(not case.passed for case in self.cases):
            raise ValueError("an accepted outcome cannot hold a failed case")
        if self.performance_score is not None and self.timing is None:
            raise ValueError("a performance score needs a timing summary")
