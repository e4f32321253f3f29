"""The stage `profiling`: one tool after the other, each bounded, none of them able to change the verdict."""

from __future__ import annotations

import dataclasses
import time
import traceback
from collections.abc import Callable, Iterator, Sequence

from evaluator.contract import CaseResult, EvaluationRequest, Event, KernelType
from evaluator.judge.peer import Cancelled
from evaluator.ops.definition import Case, Op
from evaluator.profiles import Profile, Profiler, ToolReport
from evaluator.profiling import code, energy, ncu, nsys, torch_profiler
from evaluator.profiling.artefacts import Shelf
from evaluator.profiling.job import Job, prepare
from evaluator.profiling.running import LEAST_S, Means, ToolFailed

SECONDS = {Profiler.TORCH: 40.0, Profiler.CODE: 22.0, Profiler.NCU: 34.0, Profiler.ENERGY: 10.0, Profiler.NSYS: 14.0}
"""What each tool may take of the stage's usual 120 s; the first one compiles. What a tool leaves is shared by those that follow in the same
proportions, and so is a stage of another length."""
Look = Callable[[Profile, float], Profile]


class Profiling:
    """Profiles one source in one case of its op. `rough` afterwards: a process was killed or died, so a GPU should be probed."""

    def __init__(
        self,
        op: Op,
        request: EvaluationRequest,
        source: str,
        means: Means,
        shelf: Shelf,
        *,
        device: str,
        emit: Callable[[Event], None],
    ) -> None:
        self.op, self.request, self.source, self.means, self.shelf, self.device = op, request, source, means, shelf, device
        self.emit = emit
        self.interpreted = device == "cpu" and request.kernel_type is KernelType.TRITON
        self.rough = False

    def profile(self, judged: Sequence[CaseResult]) -> Profile:
        """What all tools found. Raises `Cancelled` only."""
        end = time.monotonic() + self.request.limits.profile_s
        found = Profile("", "", 0)
        try:
            case = choose(self.op, self.request.device, judged, shortest=self.interpreted)
            found = Profile(case.name, case.describe(), 0)
            filename = self.request.filename.rpartition("/")[2] or "submission.py"
            job = prepare(self.op, case, self.source, filename, self.device, interpreted=self.interpreted)
        except Cancelled:
            raise
        except Exception as error:
            why = self._why(error)
            return dataclasses.replace(found, tools=tuple(ToolReport(tool, False, why) for tool in Profiler))
        try:
            found = dataclasses.replace(found, calls=job.calls)
            for tool, look in self._tools(job):
                found = self._use(tool, look, found, end)
        finally:
            job.close()
        return dataclasses.replace(found, artefacts=self.shelf.notes)

    def _tools(self, job: Job) -> Iterator[tuple[Profiler, Look]]:
        means, shelf, kind = self.means, self.shelf, self.request.kernel_type
        yield Profiler.TORCH, lambda found, s: dataclasses.replace(found, ops=torch_profiler.look(means, job, shelf, s))
        yield Profiler.CODE, lambda found, s: dataclasses.replace(found, code=code.look(means, job, shelf, s, kind))
        yield Profiler.NCU, lambda found, s: _with_metrics(found, ncu.look(means, job, shelf, s))
        yield Profiler.ENERGY, lambda found, s: dataclasses.replace(found, energy=energy.look(means, job, s))
        yield Profiler.NSYS, lambda found, s: dataclasses.replace(found, timeline=nsys.look(means, job, shelf, s))

    def _use(self, tool: Profiler, look: Look, found: Profile, end: float) -> Profile:
        """`found` with what the tool adds, or with why it adds nothing."""
        started, why = time.monotonic(), ""
        try:
            allowed_s = share(tool, end - started)
            if allowed_s < LEAST_S:
                raise ToolFailed(f"the {self.request.limits.profile_s:g} s of the stage were used up")
            found = look(found, allowed_s)
        except Cancelled:
            raise
        except Exception as error:
            why = self._why(error)
        self.emit(Event("note", {"text": f"{tool}: {'unavailable' if why else 'done'}"}))
        report = ToolReport(tool, not why, why, round(time.monotonic() - started, 3), self.shelf.take_left_out())
        return dataclasses.replace(found, tools=(*found.tools, report))

    def _why(self, error: Exception) -> str:
        """Why there is nothing. A fault of ours must not cost a verdict that stands, and may have left a process to be killed."""
        if isinstance(error, ToolFailed):
            self.rough |= error.hard
            return str(error)
        traceback.print_exception(error)
        self.rough = True
        return f"a fault of ours ({type(error).__name__})"


def share(tool: Profiler, left_s: float) -> float:
    """What of the time that is left a tool may take: as much as its seconds are among those of all that have not run."""
    order = list(Profiler)
    return left_s * SECONDS[tool] / sum(SECONDS[each] for each in order[order.index(tool) :])


def choose(op: Op, device: str, judged: Sequence[CaseResult], *, shortest: bool) -> Case:
    """The case whose call took longest (`shortest`: least) when it was timed; the first correctness case of an op that is not timed."""
    cases = {case.name: case for case in op.performance_cases(device)}
    timed = [(c.timing.candidate.median_us, c.name) for c in judged if c.timing is not None and c.name in cases]
    if timed:
        return cases[(min if shortest else max)(timed)[1]]
    return next(iter(cases.values()), op.correctness_cases(device)[0])


def _with_metrics(found: Profile, looked: ncu.Looked) -> Profile:
    return dataclasses.replace(found, kernels=looked.kernels, sandbox=dict(looked.layers))
