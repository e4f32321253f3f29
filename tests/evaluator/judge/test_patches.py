"""Changing torch, Python or the harness from inside gains nothing: the verdict falls in another process."""

from __future__ import annotations

import pytest

from evaluator.contract import Verdict
from tests.evaluator.judge.conftest import Judged
from tests.evaluator.judge.kernels import relu

PATCHES = """
    import json, time, torch
    yes = lambda *args, **kwargs: True
    torch.allclose = torch.equal = torch.isclose = torch.Tensor.allclose = torch.Tensor.equal = yes
    torch.testing.assert_close = lambda *args, **kwargs: None
    torch.Tensor.copy_ = torch.Tensor.detach = lambda self, *args, **kwargs: self
    torch.Tensor.data_ptr = lambda self: 0
    torch.Tensor.stride = lambda self: (1,)
    torch.Tensor.shape = property(lambda self: (64, 128))
    torch.Tensor.__eq__ = yes
    torch.no_grad = None
    time.perf_counter_ns = time.perf_counter = time.monotonic = lambda: 0
"""
HARNESS = """
    import sys, torch
    outputs, clocks, loading = (sys.modules[f"evaluator.candidate.{name}"] for name in ("outputs", "clocks", "loading"))
    outputs.describe = lambda value, inputs, earlier: {
        "type": "torch.Tensor", "layout": "strided", "shape": list(value.shape), "dtype": "float32", "device": "cpu",
        "strides": list(value.stride()), "alias": "",
    }
"""


@pytest.mark.parametrize("before", [PATCHES, HARNESS], ids=["torch and time", "the harness"])
def test_wrong_stays_wrong(judged: Judged, before: str) -> None:
    outcome = judged(relu("return torch.zeros((64, 128))", before))

    assert outcome.verdict in (Verdict.WRONG_RESULT, Verdict.WRONG_SHAPE), outcome.reasons
    assert not outcome.cases[0].passed


def test_right_stays_right(judged: Judged) -> None:
    outcome = judged(relu("return relu(x)", "relu = __import__('torch').relu\n" + "\n".join(line.strip() for line in PATCHES.splitlines())))

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons


def test_a_view_hidden_from_a_patched_harness_still_meets_the_judges_bytes(judged: Judged) -> None:
    """The input is given back as the output: the harness is made to say that nothing is shared, the values are still not relu's."""
    outcome = judged(relu("return x", HARNESS))

    assert outcome.verdict is Verdict.WRONG_RESULT, outcome.reasons


def test_expected_outputs_are_nowhere_in_the_process(judged: Judged) -> None:
    """Every tensor and buffer that the interpreter knows of when the call runs: inputs and poison, and no relu of the input."""
    body = """
        import gc
        for found in gc.get_objects() if x.numel() > 1000 else ():
            if type(found) is torch.Tensor and found.shape == x.shape and found.dtype == x.dtype:
                if torch.equal(found, torch.relu(x)) and not torch.equal(found, x):
                    raise RuntimeError("found it")
        return torch.relu(x)
    """
    outcome = judged(relu(body))

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
