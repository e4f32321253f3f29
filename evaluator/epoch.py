"""The evaluator's epoch: results of one epoch can be compared, those of two cannot. Part of the contract (`evaluator/contract.py`)."""

from __future__ import annotations

EPOCH = 3
"""Raised by every change of the evaluator that moves numbers. A new epoch opens every board anew; the old one stays to read.

| epoch | what moved the numbers |
| --- | --- |
| 1 | the first: every call timed by events behind a flush of the L2 cache, wall time on a CPU |
| 2 | short cases by CUDA graph, clocks watched, torch also timed alone; a flush that reads (9 µs less a call on an H100); CPU: kept pages |
| 3 | GPU: what two events count beside the call between them is taken off (2 µs a call on an H200) |
"""
