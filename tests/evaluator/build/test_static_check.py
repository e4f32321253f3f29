"""What the check says of a source, in this process."""

from __future__ import annotations

import pytest

from evaluator.build.inside.static_check import check

ENTRY = "relu_kernel_impl"
GOOD = f"import torch\n\ndef {ENTRY}(x):\n    return torch.clamp(x, min=0)\n"


def result(source: str, kernel_type: str = "torch") -> dict[str, object]:
    return check(source, kernel_type, ENTRY, ["relu"])


def labels(source: str) -> set[str]:
    found = result(source)["labels"]
    assert isinstance(found, list)
    return {item["name"] for item in found}


@pytest.mark.parametrize(
    "source",
    [
        GOOD,
        f"{ENTRY} = lambda x: x\n",
        f"from somewhere import thing as {ENTRY}\n",
        f"if True:\n    def {ENTRY}(x): return x\nelse:\n    {ENTRY} = None\n",
        f"try:\n    import a\nexcept ImportError:\n    def {ENTRY}(x): return x\n",
        f"class {ENTRY}:\n    pass\n",
        f"({ENTRY} := abs)\n",
        f"a, {ENTRY} = abs, abs\n",
        f"async def {ENTRY}(x): return x\n",
        f"\ufeffdef {ENTRY}(x): return x\n",
        f"def {ENTRY}(x): return x\r\nx = 1\r\n",
    ],
)
def test_an_entry_point_that_the_text_binds_is_found(source: str) -> None:
    assert result(source)["entry"] == "defined"


@pytest.mark.parametrize(
    "source",
    [
        "from somewhere import *\n",
        f"globals()['{ENTRY}'] = abs\n",
        f"import sys\nsetattr(sys.modules[__name__], '{ENTRY}', abs)\n",
        f"exec('def {ENTRY}(x): return x')\n",
        "def __getattr__(name): return abs\n",
        f"def make():\n    global {ENTRY}\n    {ENTRY} = abs\nmake()\n",
    ],
)
def test_what_only_running_can_tell_is_left_to_the_candidate(source: str) -> None:
    assert result(source)["entry"] == "dynamic"


@pytest.mark.parametrize(
    "source",
    [
        "",
        "# only a comment\n",
        f"def make():\n    def {ENTRY}(x): return x\n",
        f"class Kernels:\n    def {ENTRY}(self, x): return x\n",
        f"x = '{ENTRY}'\n",
        f"def f({ENTRY}): return {ENTRY}\n",
        f"values = [0 for _ in range(3)]\nprint({ENTRY})\n",
    ],
)
def test_a_missing_entry_point_is_missing(source: str) -> None:
    assert result(source)["entry"] == "missing"


def test_callables_are_listed_without_private_ones_and_kernels_apart() -> None:
    source = (
        "import triton\n@triton.jit\ndef kernel(x): pass\n@triton.autotune(configs=[], key=[])\n@triton.jit\ndef tuned(x): pass\n"
        "def relu(x): pass\ndef _private(): pass\nclass Module: pass\n"
    )

    found = result(source, "triton")

    assert found["callables"] == ["relu", "Module"]
    assert found["kernels"] == ["kernel", "tuned"]


def test_a_syntax_error_has_line_column_and_the_line() -> None:
    error = result("import torch\n\ndef f(x:\n    return x\n")["error"]

    assert isinstance(error, dict)
    assert (error["kind"], error["line"], error["text"]) == ("syntax", 3, "def f(x:")


@pytest.mark.parametrize(
    "source",
    ["return 1\n", "x = 1\nfrom __future__ import annotations\n", "def f(a, a): pass\n", "break\n", "\0", "# coding: no-such-thing\n"],
)
def test_errors_of_compilation_are_found_too(source: str) -> None:
    error = result(source)["error"]

    assert isinstance(error, dict)
    assert error["kind"] == "syntax"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import torch\ns = torch.cuda.Stream()\n", "uses_cuda_stream"),
        ("from torch.cuda import Stream as S\n", "uses_cuda_stream"),
        ("import torch.cuda as c\nc.set_stream(1)\n", "uses_cuda_stream"),
        ("code = 'cudaStreamCreateWithFlags(&s, 1);'\n", "uses_cuda_stream"),
        ("import torch\ndef f(x): return torch.relu(x)\n", "calls_reference_op"),
        ("import torch.nn.functional as G\ndef f(x): return G.relu(x)\n", "calls_reference_op"),
        ("def f(x): return x.relu()\n", "calls_reference_op"),
        ("import torch\ndef f(x): return torch.ops.aten.relu.default(x)\n", "calls_reference_op"),
        ("from torch import relu\ndef f(x): return relu(x)\n", "calls_reference_op"),
        ("import threading\n", "spawns_threads"),
        ("from concurrent.futures import ThreadPoolExecutor\n", "spawns_threads"),
        ("import os\nos.fork()\n", "spawns_threads"),
        ("import torch\ntorch.allclose = lambda *a: True\n", "patches_modules"),
        ("import time\nsetattr(time, 'perf_counter', None)\n", "patches_modules"),
        ("import torch\ntorch.cuda.Event.record = None\n", "patches_modules"),
        ("import torch\nlib = torch.library.Library('aten', 'IMPL')\n", "patches_modules"),
        ("import sys\nsys._getframe(1)\n", "walks_frames"),
        ("import ctypes\n", "reaches_memory"),
    ],
)
def test_labels(source: str, name: str) -> None:
    assert name in labels(source)


def test_an_honest_source_has_no_labels() -> None:
    honest = (
        "import torch, triton, triton.language as tl\nx = torch.cuda.current_stream\n@triton.jit\ndef k(p, B: tl.constexpr):\n"
        "    tl.store(p, tl.maximum(tl.load(p), 0))\ndef f(x):\n    y = torch.empty_like(x)\n    k[(1,)](y, 4)\n    return y\n"
    )

    assert labels(honest) == set()
