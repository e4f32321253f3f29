"""The health probe where there is no GPU."""

from __future__ import annotations

import pytest

from evaluator.sandbox import gpu_healthy, probe
from evaluator.sandbox.gpus import gpus
from evaluator.sandbox.inside import cuda


def test_a_gpu_that_is_not_there_is_not_healthy() -> None:
    assert gpu_healthy(99) == (False, f"this host has no GPU 99; it has {len(gpus())}")


def test_a_probe_for_a_missing_gpu_says_so() -> None:
    table = probe("best-effort", 99)

    assert table.overall == "degraded"
    assert "no GPU 99" in table.error


@pytest.mark.skipif(bool(gpus()), reason="this host has a GPU")
def test_a_host_without_the_driver_gives_its_reason() -> None:
    with pytest.raises(cuda.CudaError):
        cuda.run_kernel()
