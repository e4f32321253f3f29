"""On a CPU both sides keep the memory that they got: which pages a call finds must not depend on how long its process has lived."""

from __future__ import annotations

from pathlib import Path

from evaluator.contract import Verdict
from evaluator.devices import ON_A_CPU
from evaluator.judge.peer import start_baseline
from tests.evaluator.judge.conftest import Judged

PAGES = 64 * 1024 * 1024 // 4096
FAULTS = f"""
import resource
import torch

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def allocate():
    before = faults()
    torch.empty({PAGES} * 4096, dtype=torch.uint8).fill_(1)
    return faults() - before

first = [allocate() for _ in range(10)]  # freed blocks are joined once glibc's cache holds no more of the small pieces between them
again = [allocate() for _ in range(20)]

def relu_kernel_impl(x):
    if max(again) > {PAGES} // 100 or first[0] < {PAGES} // 2:
        raise RuntimeError(f"faults of the first allocations: {{first}}, of the next: {{again}}")
    return torch.relu(x)
"""


def test_a_candidate_faults_its_memory_in_once(evaluate: Judged) -> None:
    outcome = evaluate(FAULTS)

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons


def test_the_baseline_starts_with_the_same_allocator() -> None:
    baseline = start_baseline("cpu")
    try:
        baseline.await_ready()
        started_with = Path(f"/proc/{baseline.process.pid}/environ").read_bytes().split(b"\0")
    finally:
        baseline.close()

    assert {f"{name}={value}".encode() for name, value in ON_A_CPU.items()} <= set(started_with)
