"""An evaluation's tensors go when it ends, without Python's collector: on a GPU they are gigabytes, and the next kernel needs them."""

from __future__ import annotations

import gc

import pytest
import torch

from evaluator.contract import Mode, Verdict
from tests.evaluator.judge.conftest import Judged
from tests.evaluator.judge.kernels import relu

RAISES_LATE = relu(
    """
    seen.append(x.numel())
    if seen.count(max(seen)) > 12 and max(seen) > 100_000:
        raise ValueError("late")
    return torch.relu(x)
    """,
    "import torch\nseen = []",
)
WRONG_LATE = relu(
    """
    seen.append(x.numel())
    return torch.relu(x) + (seen.count(max(seen)) > 12 and max(seen) > 100_000)
    """,
    "import torch\nseen = []",
)


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        (relu("return torch.relu(x)"), Verdict.ACCEPTED),
        (relu("return torch.relu(x) + 1"), Verdict.WRONG_RESULT),
        (WRONG_LATE, Verdict.WRONG_RESULT),
        (RAISES_LATE, Verdict.RUNTIME_ERROR),
    ],
    ids=["accepted", "wrong", "wrong while timed", "raises while timed"],
)
def test_nothing_waits_for_the_collector(evaluate: Judged, source: str, verdict: Verdict) -> None:
    gc.collect()
    gc.disable()
    try:
        before = held_bytes()
        outcome = evaluate(source, mode=Mode.BENCHMARK)
        after = held_bytes()
    finally:
        gc.enable()

    assert outcome.verdict is verdict, outcome.reasons
    assert after - before < 100_000, "bytes of tensors that nobody needs"


def held_bytes() -> int:
    """Of all tensors that this process can reach or has yet to collect; other tests' are among them, of every layout."""
    tensors = [found for found in gc.get_objects() if type(found) is torch.Tensor]
    return sum(tensor.untyped_storage().nbytes() for tensor in tensors if tensor.device.type == "cpu" and tensor.layout is torch.strided)
