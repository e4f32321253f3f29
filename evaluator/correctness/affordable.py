"""Which precision the oracle of a case can be computed in.

float64 unless it costs too much on the judge's device: more than 0.1 s at the device's peak rate for float64 (T4 and L4 do a few tenths
of a TFLOP/s: a product of two 2500×2500 matrices), or more memory than half of the device's with three times the case's tensors
in float64 (arguments, outputs, and what the reference makes between them). Then float32 with TF32 off, which is still far from the
errors of narrower dtypes; for float32 outputs torch's own error is then 0 and the floor of the tolerance decides. A device without a known
float64 rate, as any CPU, is judged by memory alone.
"""

from __future__ import annotations

import math
import os
import typing

from evaluator.ops.arguments import ITEM_BYTES

if typing.TYPE_CHECKING:
    from evaluator.correctness.oracle import Wide
    from evaluator.devices import DeviceClass
    from evaluator.ops.definition import Case, Op

MOST_S = 0.1
COPIES = 3
MEMORY_SHARE = 0.5


def oracle_dtype(op: Op, case: Case, hardware: DeviceClass | None, memory_bytes: int) -> Wide:
    """`hardware` None: a device whose rates are not known. `memory_bytes`: what the device has."""
    cost = op.cost(case)
    rate = hardware.float64_flops_per_s if hardware is not None else None
    in_time = rate is None or cost.flops / rate <= MOST_S
    floats = [spec for spec in case.tensors if spec.dtype.startswith(("float", "bfloat", "complex"))]
    narrowest = min((ITEM_BYTES[spec.dtype] for spec in floats if spec.dtype in ITEM_BYTES), default=4)
    bytes_64 = 8 * sum(math.prod(spec.shape) for spec in floats) + 8 * cost.output_bytes // narrowest
    return "float64" if in_time and COPIES * bytes_64 <= MEMORY_SHARE * memory_bytes else "float32"


def device_memory(device: str) -> int:
    """Bytes of memory of torch's device."""
    if device == "cuda":
        import torch

        return int(torch.cuda.get_device_properties(torch.cuda.current_device()).total_memory)
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
