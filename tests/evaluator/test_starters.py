"""Starters and bundled examples do on the CPU what they claim, Triton interpreted.

Starters are called at the sizes that are timed; `proving/test_prove.py` holds them against all other cases.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluator.contract import KernelType, Verdict
from evaluator.devices import ON_A_CPU
from evaluator.ops.registry import all_ops, get

pytestmark = pytest.mark.filler
EXAMPLES = Path(__file__).parents[2] / "examples"
Verdicts = Callable[[list[Path], str, bool], str]
PROGRAM = """
import importlib.util
import json
import sys
import torch
from evaluator.candidate.outputs import leaves
from evaluator.correctness import check_metadata, compare_outputs, expected_meta, oracle, output_meta, same_dtype
from evaluator.ops.registry import get
from evaluator.ops.validate import materialise
from evaluator.proving.interpreting import remember_builtins

def loaded(path):
    spec = importlib.util.spec_from_file_location("submission", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

def judge(paths, op, timed_only):
    modules = [loaded(path) for path in paths]
    hidden = op.hidden_cases(lambda low, high: (low + 2 * high) // 3, "cpu")
    for case in op.performance_cases("cpu") if timed_only else (*op.cases("cpu"), *hidden):
        args, kwargs = materialise(case, 3)
        right, same = oracle(op, args, kwargs), same_dtype(op, args, kwargs)
        for number, module in enumerate(modules):
            if number and op.mutates:
                args, kwargs = materialise(case, 3)  # the first has written to them
            tensors = [leaf for leaf in leaves((*args, *kwargs.values())) if isinstance(leaf, torch.Tensor)]
            try:
                got = leaves(getattr(module, op.entry_point)(*args, **kwargs))
            except Exception as error:
                return f"runtime_error {case.name} of {paths[number]}: {error!r}"
            wrong = check_metadata(op, case, expected_meta(op, case, "cpu"), [output_meta(out) for out in got])
            if wrong:
                return f"{wrong[0]} {case.name} of {paths[number]}: {wrong[1]}"
            got += [tensors[number] for number in sorted(op.mutates)]
            found = compare_outputs(op, case, expected=right, torch_same_dtype=same, got=got, args=args, kwargs=kwargs)
            if not found.passed:
                return f"{found.verdict} {case.name} of {paths[number]}: {found.reason}"
    return "accepted"

torch.set_num_threads(1)
remember_builtins()
for line in sys.stdin:
    paths, slug, timed_only = json.loads(line)
    print(json.dumps(judge(paths, get(slug), timed_only)), flush=True)
"""


def example_entries() -> list[dict[str, str]]:
    entries: list[dict[str, str]] = json.loads((EXAMPLES / "index.json").read_text())
    return entries


@pytest.fixture(scope="module")
def verdict() -> Iterator[Verdicts]:
    """`verdict(files, op, timed_only)`: accepted, or the verdict of the first file that is not, and its reason.

    From a process of its own, where Triton is interpreted.
    """
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM]
    environment = {**os.environ, **ON_A_CPU, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        assert process.stdin is not None and process.stdout is not None
        asked, answered = process.stdin, process.stdout

        def verdict(files: list[Path], op: str, timed_only: bool) -> str:
            asked.write(json.dumps(([str(file) for file in files], op, timed_only)) + "\n")
            return str(json.loads(answered.readline()))

        yield verdict
        asked.close()


@pytest.mark.parametrize("slug", [op.slug for op in all_ops()])
def test_starters_are_right(verdict: Verdicts, tmp_path: Path, slug: str) -> None:
    starters = get(slug).starters
    files = [tmp_path / f"{slug}_{kernel_type}.py" for kernel_type in starters]
    for file, source in zip(files, starters.values(), strict=True):
        file.write_text(source, encoding="utf-8")

    assert {"torch", "triton"} <= set(starters)
    assert verdict(files, slug, True) == "accepted"
    assert all(f"def {get(slug).entry_point}(" in source for source in starters.values())


@pytest.mark.parametrize("entry", example_entries(), ids=lambda entry: str(entry["file"]))
def test_examples_end_as_the_index_says(verdict: Verdicts, entry: dict[str, str]) -> None:
    assert set(entry) == {"file", "op", "kernel_type", "verdict", "story"}
    assert KernelType(entry["kernel_type"]) in ("torch", "triton")

    assert verdict([EXAMPLES / entry["file"]], entry["op"], False).split()[0] == Verdict(entry["verdict"])


def test_the_wrong_softmax_fails_on_the_case_that_its_story_names(verdict: Verdicts) -> None:
    assert verdict([EXAMPLES / "softmax_wrong.py"], "softmax", False).startswith("wrong_result odd of ")


def test_every_example_is_in_the_index() -> None:
    assert {entry["file"] for entry in example_entries()} == {path.name for path in EXAMPLES.glob("*.py")}
