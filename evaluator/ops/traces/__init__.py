"""Operator traces as BackendBench and torch's own operator benchmark write them, made into ops (`docs/recorded-ops.md`).

grammar (one line) → text, parquet (a file) → recipe → indices (what integers mean) → choose (cases) → build (ops).
"""
