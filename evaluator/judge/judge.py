"""One evaluation after the other on one device: build report in, events on the way, outcome out (ENGINE §1)."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from evaluator.build import BuildReport, build
from evaluator.calibration import record, store
from evaluator.contract import EvaluationRequest, Event, Limits, Outcome, Verdict
from evaluator.devices import device_class
from evaluator.judge import cores, environment
from evaluator.judge.peer import DeviceInUseError, InfrastructureError, Peer, start_baseline, start_candidate
from evaluator.judge.run import Run
from evaluator.profiling.artefacts import Shelf
from evaluator.sandbox import Mode, Sandbox, gpu_healthy
from evaluator.sandbox.gpus import gpu
from evaluator.sandbox.lock import LockBusy, device_lock
from evaluator.timing.sol import Ceilings

LOCK_WAIT_S = 600.0
HARD_ENDS = (Verdict.TIMEOUT, Verdict.CRASHED, Verdict.OUT_OF_MEMORY, Verdict.RUNTIME_ERROR)
"""Verdicts that may have left a GPU in a bad state."""


class DeviceOutOfServiceError(InfrastructureError):
    """The GPU failed its probe. No more evaluations until somebody has looked at it."""


class Judge:
    """Judges on one device. `device` is the board's hardware class; everything but `cpu` is a CUDA GPU, number `gpu_index` of NVML.

    Owns a warm spare candidate and a baseline process. Not thread-safe.
    """

    def __init__(self, device: str, *, gpu_index: int | None = None, sandbox_mode: Mode = "best-effort") -> None:
        self.device = device
        self.torch_device = "cpu" if device == "cpu" else "cuda"
        self.gpu_index = (gpu_index or 0) if self.torch_device == "cuda" else None
        if self.gpu_index is not None:
            os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
            os.environ["CUDA_VISIBLE_DEVICES"] = str(self.gpu_index)
        else:
            cores.leave_timing_core()
            _use_threads(len(os.sched_getaffinity(0)))
        self.sandbox = Sandbox(sandbox_mode, gpu_index=self.gpu_index)
        self.build_sandbox = Sandbox(sandbox_mode)
        self.hardware = device_class(device)
        self._spare: Peer | None = None
        self._baseline: Peer | None = None
        self._spare_limits = Limits()
        self._fingerprint: dict[str, str] = {}
        self.out_of_service = ""

    def warm_up(self) -> None:
        """Start a spare and the baseline and wait for both, so that the first evaluation pays nothing of it."""
        spare, baseline = self._start_spare(self._spare_limits), self._start_baseline()
        if self.torch_device == "cuda":
            self._warm_device()
        spare.await_ready()
        baseline.await_ready()

    def facts(self) -> dict[str, object]:
        """Device name, environment and the sandbox's layers, for the worker's row. Answers once a spare is warm."""
        spare = self._start_spare(self._spare_limits)
        spare.await_ready()
        found = environment.snapshot(self.torch_device, self.gpu_index)
        layers, limits = dict(spare.process.layers), record.facts(self.ceilings())
        return {"device_name": str(found["device_name"]), "environment": found, "sandbox": layers, "calibration": limits}

    def ceilings(self) -> Ceilings:
        """What bounds this device: the table, and what was measured here where it still holds. Read anew, for that may come at any time."""
        if not self._fingerprint:
            self._fingerprint = record.fingerprint(environment.snapshot(self.torch_device, self.gpu_index))
        found = store.load(store.name_of(self.device, self._fingerprint, self.gpu_index))
        return record.ceilings(self.hardware, found, self._fingerprint)

    def evaluate(
        self,
        request: EvaluationRequest,
        built: BuildReport | None = None,
        *,
        emit: Callable[[Event], None] = lambda _event: None,
        cancelled: Callable[[], bool] = lambda: False,
        only_case: str | None = None,
        artefacts: Path | None = None,
    ) -> Outcome:
        """Judge one request. Every end but ours is an outcome. What profilers leave goes into the folder `artefacts`, or nowhere.

        Raises `InfrastructureError` when something of ours fails, and `DeviceOutOfServiceError` once the GPU has failed its probe.
        """
        if self.out_of_service:
            raise DeviceOutOfServiceError(self.out_of_service)
        started = time.monotonic()
        if built is None:
            built = build(request, sandbox=self.build_sandbox)
        run = Run(
            self,
            request,
            built,
            emit=emit,
            cancelled=cancelled,
            only_case=only_case,
            build_seconds=time.monotonic() - started,
            shelf=Shelf(artefacts),
        )
        with self._device_to_ourselves(request):
            outcome = run.outcome()
            self._give_memory_back()
            if self.gpu_index is not None and (outcome.verdict in HARD_ENDS or run.rough):
                self._probe(self.gpu_index)
        return outcome

    def _give_memory_back(self) -> None:
        """What the judge's allocator keeps for later would be missing to the next kernel."""
        if self.torch_device == "cuda":
            import torch

            torch.cuda.empty_cache()

    def _probe(self, gpu_index: int) -> None:
        """After a run that ended hard: does a kernel in a fresh process still work?"""
        healthy, detail = gpu_healthy(gpu_index)
        if not healthy:
            self.out_of_service = f"GPU {gpu_index} failed its probe: {detail}"

    def take_spare(self, limits: Limits, cancelled: Callable[[], bool] = lambda: False) -> Peer:
        """A candidate that holds nothing yet. On a GPU the next spare starts at once, on a CPU afterwards, lest it be timed along."""
        spare = self._start_spare(limits)
        if spare.limits != limits:
            spare.close()
            self._spare = None
            spare = self._start_spare(limits)
        spare.await_ready(cancelled)
        self._spare = None
        if self.torch_device == "cuda":
            self._start_spare(self._spare_limits)
        return spare

    def take_baseline(self) -> Peer:
        """The baseline process; a new one when the last died."""
        baseline = self._start_baseline()
        baseline.await_ready()
        return baseline

    def drop_baseline(self) -> None:
        """End the baseline process; the next evaluation starts another."""
        if self._baseline is not None:
            self._baseline.close()
        self._baseline = None

    def prepare_next(self) -> None:
        """Start the next spare; called when nothing is timed."""
        with contextlib.suppress(InfrastructureError):
            self._start_spare(self._spare_limits)
            self._start_baseline()

    def pids(self) -> set[int]:
        """All processes of the spare and the baseline."""
        return {pid for peer in (self._spare, self._baseline) if peer is not None for pid in peer.process.pids()}

    def close(self) -> None:
        for peer in (self._spare, self._baseline):
            if peer is not None:
                peer.close()
        self._spare = self._baseline = None

    def _start_spare(self, limits: Limits) -> Peer:
        if self._spare is None or self._spare.process.poll() is not None:
            self._spare_limits = limits
            self._spare = start_candidate(self.sandbox, self.torch_device, limits)
        return self._spare

    def _start_baseline(self) -> Peer:
        if self._baseline is None or self._baseline.process.poll() is not None:
            self._baseline = start_baseline(self.torch_device)
        return self._baseline

    def _warm_device(self) -> None:
        """Make the CUDA context and load the kernels of generator and comparison: nobody's timing budget is to pay for their compiler."""
        import torch

        from evaluator.correctness import fused
        from evaluator.generate import fill
        from evaluator.ops.definition import TensorSpec

        spec = TensorSpec((1024, 1024))
        fill(torch.empty(spec.shape, device="cuda"), spec, 1, 0)
        fused.warm_up()
        torch.cuda.synchronize()

    @contextlib.contextmanager
    def _device_to_ourselves(self, request: EvaluationRequest) -> Iterator[None]:
        name = "cpu" if self.gpu_index is None else (gpu(self.gpu_index).uuid or f"gpu{self.gpu_index}")
        try:
            with device_lock(name, timeout_s=LOCK_WAIT_S, purpose=f"judging {request.op}"):
                yield
        except LockBusy as busy:
            raise DeviceInUseError(str(busy)) from busy


def _use_threads(count: int) -> None:
    """More OpenMP threads than cores wait for each other in busy loops: a comparison then takes a hundred times as long."""
    import torch

    torch.set_num_threads(count)
