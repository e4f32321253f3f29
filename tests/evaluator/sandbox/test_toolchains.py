"""What honest kernels need works inside: torch, Triton's interpreter, a C compiler."""

from __future__ import annotations

import importlib.util
import shutil

import pytest

from evaluator.contract import Limits
from evaluator.sandbox import Sandbox
from tests.evaluator.sandbox.running import output

LIMITS = Limits(log_bytes=64 << 10)

TRITON = '''
import os
os.environ["TRITON_INTERPRET"] = "1"
text = """
import torch, triton, triton.language as tl

@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)

def run():
    x = torch.arange(100, dtype=torch.float32)
    y = torch.empty_like(x)
    double[(4,)](x, y, 100, BLOCK=32)
    print("right", torch.equal(y, 2 * x))
"""
import textwrap
open("kernel.py", "w").write(textwrap.dedent(text))
import sys
sys.path.insert(0, ".")
import kernel
kernel.run()
'''

COMPILE = """
import ctypes, subprocess, sysconfig
open("a.c", "w").write("#include <Python.h>\\nint answer(void) { return 42; }")
subprocess.run(["gcc", "-shared", "-fPIC", "-I" + sysconfig.get_path("include"), "a.c", "-o", "a.so"], check=True)
print("answer", ctypes.CDLL("./a.so").answer())
"""


@pytest.mark.parametrize("mode", ["best-effort", "off"])
def test_torch_works(mode: str, needs) -> None:  # type: ignore[no-untyped-def]
    needs(importlib.util.find_spec("torch"), "torch")

    assert "tensor(6.)" in output("import torch; print(torch.tensor([1.0, 2.0, 3.0]).sum())", Sandbox(mode), limits=LIMITS, packages=True)


def test_triton_interpreter_works(needs) -> None:  # type: ignore[no-untyped-def]
    needs(importlib.util.find_spec("triton"), "triton")

    assert "right True" in output(TRITON, limits=LIMITS, packages=True)


def test_a_compiler_with_python_headers_works(needs) -> None:  # type: ignore[no-untyped-def]
    needs(shutil.which("gcc"), "gcc")

    assert "answer 42" in output(COMPILE, limits=LIMITS)


def test_too_much_memory_is_an_ordinary_error() -> None:
    code = "try: bytearray(100 << 30)\nexcept MemoryError: print('refused')"

    assert "refused" in output(code, limits=LIMITS)
