"""The process that holds submitted code. Runs inside the sandbox, is used once, and is believed in nothing.

It imports only torch, Triton, `evaluator.protocol` and this package. The trusted baseline process runs the same harness,
so that both sides pay the same costs.
"""
