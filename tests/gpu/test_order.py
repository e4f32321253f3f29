"""On a GPU: a kernel is called when its inputs are there, however late the device gets around to writing them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from evaluator.ops.registry import get
from evaluator.proving.prove import Prover

pytestmark = pytest.mark.alone

CYCLES = 2_000_000_000
"""About a second: far longer than a command takes to reach the other process."""


@pytest.fixture
def prover() -> Iterator[Prover]:
    made = Prover("h100")
    yield made
    made.close()


def test_inputs_are_written_before_the_call(prover: Prover) -> None:
    warm = list(prover.right_kernels(get("relu"), starters=False, performance=False))
    torch.cuda._sleep(CYCLES)

    late = list(prover.right_kernels(get("relu"), starters=False, performance=False))

    assert [(f.kernel, f.status, f.reason) for f in (*warm, *late)] == [("torch", "accepted", "")] * 2
