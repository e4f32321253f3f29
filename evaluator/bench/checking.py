"""What checking one call costs the judge at large outputs, without a candidate."""

from __future__ import annotations

import os
import secrets
import time
import typing
from collections.abc import Callable

from evaluator.bench.apart import apart
from evaluator.bench.results import CheckingCost, Distribution
from evaluator.bench.settings import Settings
from evaluator.ops import registry
from evaluator.ops.arguments import tensor
from evaluator.ops.definition import Argument, Case, TensorSpec
from evaluator.sandbox.gpus import gpu
from evaluator.sandbox.lock import device_lock

if typing.TYPE_CHECKING:
    import torch

LOCK_WAIT_S = 600.0
READINGS = 10
WARM_UPS = 2


def measure(settings: Settings, progress: Callable[[str], None]) -> tuple[CheckingCost, ...]:
    """One row an op."""
    rows = []
    for slug in settings.ops:
        row = apart(of_op, settings, slug)
        progress(f"checking {slug} {row.case}: compare {1e3 * row.compare_s.median:.3g} ms, {row.compare_over_reading:.2f} of ten readings")
        rows.append(row)
    return tuple(rows)


def of_op(settings: Settings, slug: str) -> CheckingCost:
    """To be called in a process of its own."""
    index = settings.gpu_index
    if index is not None:
        os.environ |= {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": str(index)}
    from evaluator.correctness import compare_outputs, oracle, same_dtype
    from evaluator.judge.inputs import InputSet

    op, device = registry.get(slug), settings.torch_device
    case = case_of(slug, settings)
    with device_lock("cpu" if index is None else (gpu(index).uuid or f"gpu{index}"), timeout_s=LOCK_WAIT_S, purpose="bench"):
        inputs = InputSet(case, device, secrets.randbits(63))
        args, kwargs = inputs.arguments()
        right, same = oracle(op, args, kwargs), same_dtype(op, args, kwargs)
        got = [output.clone() for output in same]

        def timed(call: Callable[[], object]) -> Distribution:
            return Distribution.of([_seconds(call, device) for _ in range(WARM_UPS + settings.repeats)][WARM_UPS:])

        return CheckingCost(
            op=slug,
            case=case.name,
            output_bytes=sum(output.numel() * output.element_size() for output in got),
            generate_s=timed(lambda: inputs.refill(secrets.randbits(63))),
            oracle_s=timed(lambda: oracle(op, args, kwargs)),
            torch_s=timed(lambda: same_dtype(op, args, kwargs)),
            compare_s=timed(lambda: compare_outputs(op, case, expected=right, torch_same_dtype=same, got=got)),
            reading_s=timed(lambda: _read(got)),
        )


def case_of(slug: str, settings: Settings) -> Case:
    """A call whose output has about `settings.checked_bytes`: float32 for softmax, bfloat16 for add, float16 for mm."""
    columns = 4096
    singles, halves = settings.checked_bytes // (4 * columns), settings.checked_bytes // (2 * columns)
    inner = 1024 if settings.torch_device == "cuda" else 64
    recipes: dict[str, tuple[Argument, ...]] = {
        "softmax": (tensor(singles, columns), -1),
        "add": (tensor(halves, columns, dtype="bfloat16"),) * 2,
        "mm": (tensor(halves, inner, dtype="float16"), tensor(inner, columns, dtype="float16")),
    }
    args = recipes[slug]
    shapes = " and ".join(f"{spec.dtype} {'×'.join(map(str, spec.shape))}" for spec in args if isinstance(spec, TensorSpec))
    return Case(shapes, "performance", args)


def _read(outputs: list[torch.Tensor]) -> None:
    """A sum reads every element once and writes nothing to speak of."""
    import torch

    for _ in range(READINGS):
        for output in outputs:
            output.view(-1).sum(dtype=torch.float32)


def _seconds(call: Callable[[], object], device: str) -> float:
    import torch

    if device == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    call()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start
