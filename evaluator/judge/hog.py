"""A kernel that leaves no device memory for those who judge it."""

from __future__ import annotations

from collections.abc import Callable

from evaluator.contract import Reason

HOGGED = 0.5
"""A kernel that held this share of the device's memory is to blame when too little is left."""


def took_all_memory(end: Callable[[], None]) -> Reason | None:
    """Why something of ours failed, where that is the kernel's doing: `end` ends its process, which gives its memory on the GPU back."""
    import torch

    torch.cuda.empty_cache()
    before, total = torch.cuda.mem_get_info()
    end()
    freed = torch.cuda.mem_get_info()[0] - before
    if freed < HOGGED * total:
        return None
    return Reason("out_of_memory", f"it held {freed / 1e9:.1f} of the device's {total / 1e9:.1f} GB, and left too little for the judge")
