"""Triton's interpreter replaces the same builtins whether it looks for them each time or remembers them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json
import triton
import triton.language as tl
from triton.runtime import interpreter
from evaluator.proving.interpreting import remember_builtins

def kernel():
    return tl, core

core = tl.core

def replaced():
    scope = interpreter._patch_lang(kernel)
    names = sorted((getattr(each, "__name__", ""), name) for each, name, _ in scope._changes)
    nested = interpreter._patch_lang(kernel)
    again = sorted((getattr(each, "__name__", ""), name) for each, name, _ in nested._changes)
    nested.restore()
    scope.restore()
    return names, again

before, search = replaced(), interpreter._patch_builtin
remember_builtins()
other = interpreter._patch_builtin is not search
print(json.dumps({"same": replaced() == before == replaced(), "count": len(before[0]), "other": other}))
"""


def test_the_same_builtins_are_replaced() -> None:
    pytest.importorskip("triton")

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=True,
    )

    found = json.loads(done.stdout)
    assert found["same"]
    assert found["other"]
    assert found["count"] > 100
