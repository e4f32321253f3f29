"""How much to measure, and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from evaluator.contract import Limits
from evaluator.sandbox import Mode

SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "softmax": "import torch\n\n\ndef softmax_kernel_impl(x, dim):\n    return torch.softmax(x, dim)\n",
        "mm": "import torch\n\n\ndef mm_kernel_impl(a, b):\n    return torch.mm(a, b)\n",
        "add": "import torch\n\n\ndef add_kernel_impl(x, y):\n    return torch.add(x, y)\n",
    }
)
"""Torch's own op as a submission: exactly what the baseline calls."""
PARTS = ("channel", "checking", "lengths", "planted", "agreement", "stages", "ops")
"""What is measured, in this order."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`device` is the board's hardware class, `parts` what of `PARTS` is measured. `commands` are round trips in one process, `spares`
    starts of a candidate, `checked_bytes` how large the outputs are whose checking is timed. In microseconds: `lengths_us` of the cases
    that A/A is repeated for, in `fresh` processes each; `resolved_us` of those with planted slowdowns; `agreed_us` of those that Nsight
    Compute times, too."""

    device: str
    gpu_index: int | None = None
    sandbox_mode: Mode = "best-effort"
    parts: tuple[str, ...] = PARTS
    ops: tuple[str, ...] = tuple(SOURCES)
    repeats: int = 10
    commands: int = 1000
    checked_bytes: int = 64 * 1024 * 1024
    spares: int = 5
    fresh: int = 20
    lengths_us: tuple[float, ...] = (5.0, 50.0, 500.0, 5000.0)
    resolved_us: tuple[float, ...] = (50.0, 500.0)
    agreed_us: tuple[float, ...] = (25.0, 100.0, 1000.0)
    limits: Limits = field(default_factory=Limits)
    quick: bool = False

    @property
    def torch_device(self) -> str:
        return "cpu" if self.device == "cpu" else "cuda"

    @property
    def interprets_triton(self) -> bool:
        return self.device == "cpu"


def quick(settings: Settings) -> Settings:
    """The same path with the least work: one op, short timing."""
    return replace(
        settings,
        ops=settings.ops[:1],
        repeats=2,
        commands=100,
        spares=1,
        fresh=1,
        lengths_us=(50.0,),
        resolved_us=(50.0,),
        agreed_us=(100.0,),
        checked_bytes=1024 * 1024,
        limits=Limits(timing_case_s=0.2),
        quick=True,
    )
