"""Submissions as text."""

from __future__ import annotations

import textwrap

GOOD = """
import torch

def relu_kernel_impl(x):
    return torch.relu(x)
"""

CHANNEL = """
import json, os, stat, struct, time
import torch

# The judge's channel, as a hostile submission finds it: the one socket among the open descriptors.
channel = next(fd for fd in range(3, 4096) if os.path.exists(f"/proc/self/fd/{fd}") and stat.S_ISSOCK(os.fstat(fd).st_mode))

def frame(body):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return struct.pack(">I", len(data)) + data

def answers_to_first_call(**output):
    good = {"type": "torch.Tensor", "layout": "strided", "shape": [64, 128], "dtype": "float32", "device": "cpu", "strides": [128, 1]}
    return {"id": 3, "calls": [{"structure": "T", "outputs": [{**good, "alias": "", **output}]}] * 2}
"""


def relu(body: str, before: str = "import torch") -> str:
    """A submission for `relu` whose function has this body. `before` is the module's code above it."""
    return f"{textwrap.dedent(before)}\n\ndef relu_kernel_impl(x):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"


def hostile(body: str) -> str:
    """A submission for `relu` that has the judge's channel at hand as `channel`, with `frame` and `answers_to_first_call`."""
    return relu(body, before=CHANNEL)
