"""Ops built from the database that torch tests itself with (`docs/recorded-ops.md`).

entries (the database) → samples, recipes (cases) → answers, larger, timed (which cases, and more of them) → target, signature (the
function) → offer (one op, through `admission` and steady) → children, build (all of them).
"""
