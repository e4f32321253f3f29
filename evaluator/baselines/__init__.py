"""Implementations that kernels are compared with, besides torch eager: `torch_compile`, and commands that the administrator names.

Each is measured op by op on one device (`measure.py`); what is absent or fails says `unavailable` and why. `docs/baselines.md` tells how to
add a command.
"""
