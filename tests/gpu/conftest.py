"""One judge for all tests that judge on the GPU. Those that need not be `alone` there may run in several workers at once (`make gpu`)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from evaluator.cli import resolve_device
from evaluator.judge.judge import Judge

UNTIMED = "not alone"
"""The Makefile's choice of the tests that may run beside each other."""


def pytest_configure(config: pytest.Config) -> None:
    """Workers without a test that must be alone need not wait for each other's locks."""
    config.addinivalue_line("markers", "alone: has the GPU to itself: it times, or leaves the GPU busy")
    config.addinivalue_line("markers", "slow: takes more than a few seconds")
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker and config.getoption("markexpr") == UNTIMED:
        os.environ["KB_LOCK_DIR"] = str(Path(tempfile.gettempdir()) / f"kb-gpu-tests-{os.getppid()}-{worker}")


@pytest.fixture(scope="session", autouse=True)
def _gpu() -> None:
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA GPU")


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    device, index = resolve_device("cuda")
    judge = Judge(device, gpu_index=index)
    judge.warm_up()
    yield judge
    judge.close()
