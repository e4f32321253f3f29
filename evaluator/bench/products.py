"""The ops that the bench times at lengths of its own choice.

An elementwise product, whose time is that of reading and writing memory; and a matrix product for lengths at which vectors would fill it.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Sequence

from evaluator.contract import JSON
from evaluator.devices import device_class
from evaluator.ops.arguments import tensor
from evaluator.ops.definition import Case, Op
from evaluator.ops.recorded import Recorded, RecordedCase, document_of, from_document

SLUG, MATRIX_SLUG = "bench/product", "bench/matrix_product"
ENTRY = "product_kernel_impl"
SOURCE = f"import torch\n\nproduct = torch.ops.aten.mul.Tensor\n\n\ndef {ENTRY}(x, y):\n    return product(x, y)\n"
MATRIX_SOURCE = SOURCE.replace("mul.Tensor", "mm.default")
"""What the baseline does, as a submission: the overload itself, which costs a microsecond more to call than `torch.mul`."""
SLOWED = f"""import torch
import triton
import triton.language as tl

EXTRA = {{extra}}


@triton.jit
def product(x, y, out, n, blocks, BLOCK: tl.constexpr):
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * tl.load(y + at, mask=at < n), mask=at < n)


def {ENTRY}(x, y):
    out = torch.empty_like(x)
    blocks = triton.cdiv(x.numel(), 1024)
    product[(blocks + round(blocks * EXTRA),)](x, y, out, x.numel(), blocks, BLOCK=1024)
    return out
"""
"""A kernel that does a share EXTRA of its blocks a second time."""
CPU_BYTES_PER_S = 10e9
"""About what one core moves; only the sizes on a CPU follow from it."""
CPU_FLOPS_PER_S = 50e9
ROUND = 1024
LONG_US = 1000.0
"""Where the matrix product begins."""
MATRIX_SHARE = 0.8
"""About what torch's float32 product reaches of the peak."""


def slowed(extra: float) -> str:
    """A kernel with that share of planted extra work."""
    return SLOWED.replace("{extra}", repr(extra))


def ops(device: str, lengths_us: Sequence[float]) -> dict[str, Op]:
    """The ops that have these lengths, by the source that does what the baseline does."""
    short, long = ([length for length in lengths_us if (length >= LONG_US) is which] for which in (False, True))
    found = {SOURCE: op(device, short)} if short else {}
    return found | ({MATRIX_SOURCE: matrix_op(device, long)} if long else {})


def op(device: str, lengths_us: Sequence[float]) -> Op:
    """The elementwise one, with a performance case for each length, by the device's bandwidth. `device` is the board's class."""
    bandwidth = device_class(device).dram_bytes_per_s or CPU_BYTES_PER_S
    sizes = {label(length): round(length * 1e-6 * bandwidth / 12 / ROUND + 1) * ROUND for length in lengths_us}
    cases = [_case("odd", "correctness", 10_007), *(_case(name, "performance", size) for name, size in sizes.items())]
    signature = "product(Tensor self, Tensor other) -> Tensor"
    return _made(SLUG, "Multiplies two vectors element by element.", signature, "aten.mul.Tensor", cases)


def matrix_op(device: str, lengths_us: Sequence[float]) -> Op:
    """The matrix product, by the device's peak in float32."""
    flops = device_class(device).flops_per_s.get("ieee_fp32", CPU_FLOPS_PER_S) * MATRIX_SHARE
    sizes = {label(length): max(1, round((length * 1e-6 * flops / 2) ** (1 / 3))) for length in lengths_us}
    cases = [_case("odd", "correctness", 61, 61), *(_case(name, "performance", size, size) for name, size in sizes.items())]
    signature = "matrix_product(Tensor self, Tensor mat2) -> Tensor"
    return _made(MATRIX_SLUG, "Multiplies two square matrices.", signature, "aten.mm.default", cases)


def _made(slug: str, summary: str, signature: str, target: str, cases: Sequence[RecordedCase]) -> Op:
    recorded = Recorded(
        slug=slug,
        title="Product",
        summary=summary,
        signature=signature,
        target=target,
        entry_point=ENTRY,
        suites=("bench",),
        dtypes=("float32",),
        cases=tuple(cases),
    )
    return from_document(document_of(recorded))


def definition(subject: Op) -> dict[str, JSON]:
    """The op as it travels in a request."""
    assert subject.document is not None
    return typing.cast("dict[str, JSON]", dict(subject.document))


def label(length_us: float) -> str:
    """A case's name: `5us`, `0.5ms`."""
    return f"{length_us:g}us" if length_us < 100 else f"{length_us / 1000:g}ms"


def _case(name: str, kind: str, *shape: int) -> RecordedCase:
    source = "made for the bench" if kind == "performance" else ""
    case = Case(name, typing.cast("typing.Any", kind), (tensor(*shape), tensor(*shape)), source=source)
    size = math.prod(shape)
    flops = 2 * size * shape[0] if len(shape) > 1 else 0
    return RecordedCase(case, input_bytes=8 * size, output_bytes=4 * size, flops=flops)
