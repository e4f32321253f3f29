"""Scalars that JSON cannot hold reach the kernel as they are."""

from __future__ import annotations

import json
import math
import socket

from evaluator.candidate.harness import Harness
from evaluator.judge.inputs import Place
from evaluator.ops.arguments import correctness
from evaluator.ops.definition import DType
from evaluator.protocol import Channel


def test_infinities_and_nan_arrive() -> None:
    case = correctness("given", -math.inf, 1.5, (math.inf, "mean", (True, None)), value=math.nan, dtype=DType("float16"))
    sent = json.dumps(Place(case, (), 0).describe("main"), allow_nan=False)
    ours, theirs = socket.socketpair()

    with ours, theirs:
        call = Harness(Channel(theirs, max_frame_bytes=100), "cpu")._arguments(json.loads(sent))

    assert call.args == [-math.inf, 1.5, (math.inf, "mean", (True, None))]
    assert math.isnan(call.kwargs["value"])  # type: ignore[arg-type]
    assert str(call.kwargs["dtype"]) == "torch.float16"
