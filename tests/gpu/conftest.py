"""One judge for all tests that judge on the GPU."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evaluator.cli import resolve_device
from evaluator.judge.judge import Judge


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    device, index = resolve_device("cuda")
    judge = Judge(device, gpu_index=index)
    judge.warm_up()
    yield judge
    judge.close()
