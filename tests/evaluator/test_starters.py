"""Starters and bundled examples do on the CPU what they claim, Triton interpreted.

Starters are called at the sizes that are timed; `proving/test_prove.py` holds them against all other cases.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluator.contract import KernelType, Verdict
from evaluator.ops.registry import all_ops, get

pytestmark = pytest.mark.xdist_group("starters")  # `verdicts` takes a minute: once is enough

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = """
import importlib.util
import json
import sys
import torch
from evaluator.candidate.outputs import leaves
from evaluator.correctness import check_metadata, compare_outputs, expected_meta, oracle, output_meta, same_dtype
from evaluator.ops.registry import get
from evaluator.ops.validate import materialise

def judge(path, op, timed_only):
    spec = importlib.util.spec_from_file_location("submission", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    hidden = op.hidden_cases(lambda low, high: (low + 2 * high) // 3, "cpu")
    for case in op.performance_cases("cpu") if timed_only else (*op.cases("cpu"), *hidden):
        args, kwargs = materialise(case, 3)
        right, same = oracle(op, args, kwargs), same_dtype(op, args, kwargs)
        tensors = [leaf for leaf in leaves((*args, *kwargs.values())) if isinstance(leaf, torch.Tensor)]
        try:
            got = leaves(getattr(module, op.entry_point)(*args, **kwargs))
        except Exception as error:
            return f"runtime_error {case.name}: {error!r}"
        wrong = check_metadata(op, case, expected_meta(op, case, "cpu"), [output_meta(out) for out in got])
        if wrong:
            return f"{wrong[0]} {case.name}: {wrong[1]}"
        got += [tensors[number] for number in sorted(op.mutates)]
        found = compare_outputs(op, case, expected=right, torch_same_dtype=same, got=got, args=args, kwargs=kwargs)
        if not found.passed:
            return f"{found.verdict} {case.name}: {found.reason}"
    return "accepted"

torch.set_num_threads(1)
print(json.dumps({path: judge(path, get(slug), timed_only) for path, slug, timed_only in json.load(sys.stdin)}))
"""


def example_entries() -> list[dict[str, str]]:
    entries: list[dict[str, str]] = json.loads((EXAMPLES / "index.json").read_text())
    return entries


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Verdict and reason by file name, of every starter and every example."""
    folder = tmp_path_factory.mktemp("starters")
    jobs = [(str(EXAMPLES / entry["file"]), entry["op"], False) for entry in example_entries()]
    for op in all_ops():
        for kernel_type, source in op.starters.items():
            path = folder / f"{op.slug}_{kernel_type}_starter.py"
            path.write_text(source, encoding="utf-8")
            jobs.append((str(path), op.slug, True))
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        input=json.dumps(jobs),
        env={**os.environ, "TRITON_INTERPRET": "1"},
        stdout=subprocess.PIPE,
        text=True,
        timeout=600,
        check=True,
    )
    return {Path(path).name: verdict for path, verdict in json.loads(result.stdout).items()}


@pytest.mark.parametrize("kernel_type", ["torch", "triton"])
@pytest.mark.parametrize("slug", [op.slug for op in all_ops()])
def test_starters_are_right(verdicts: dict[str, str], slug: str, kernel_type: str) -> None:
    assert verdicts[f"{slug}_{kernel_type}_starter.py"] == "accepted"
    assert f"def {get(slug).entry_point}(" in get(slug).starters[kernel_type]


@pytest.mark.parametrize("entry", example_entries(), ids=lambda entry: str(entry["file"]))
def test_examples_end_as_the_index_says(verdicts: dict[str, str], entry: dict[str, str]) -> None:
    assert set(entry) == {"file", "op", "kernel_type", "verdict", "story"}
    assert KernelType(entry["kernel_type"]) in ("torch", "triton")

    assert verdicts[entry["file"]].split()[0] == Verdict(entry["verdict"])


def test_the_wrong_softmax_fails_on_the_case_that_its_story_names(verdicts: dict[str, str]) -> None:
    assert verdicts["softmax_wrong.py"].startswith("wrong_result odd: output 0: ")


def test_every_example_is_in_the_index() -> None:
    assert {entry["file"] for entry in example_entries()} == {path.name for path in EXAMPLES.glob("*.py")}
