"""The catalogue's ops, one file a family; each file gives `OPS`. `evaluator/ops/registry.py` gathers them."""
