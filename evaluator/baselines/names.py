"""Which baselines there are, and which environment variable holds an external one's command."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

TORCH_EAGER, TORCH_COMPILE = "torch_eager", "torch_compile"
COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "tvm": "TVM_BENCH_CMD",
        "xla": "XLA_BENCH_CMD",
        "tensorrt": "TENSORRT_BENCH_CMD",
        "glow": "GLOW_BENCH_CMD",
        "pyc": "PYC_GPU_BENCH_CMD",
    }
)
NAMES: tuple[str, ...] = (TORCH_EAGER, TORCH_COMPILE, *COMMANDS)
