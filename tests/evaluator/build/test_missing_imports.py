"""Imports are added where they are missing, and every line keeps its number."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.build.inside.imports import add_missing_imports

BODY = "def f(x):\n    return F.relu(torch.abs(x))\n"
STARTS = [
    "# a comment\n",
    "\n\n",
    '"""What it does."""\n',
    '"""Two\nlines."""\n\n# more\n',
    "from __future__ import annotations\n",
    '"""Doc."""\nfrom __future__ import annotations  # why\n',
    "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n",
    "import math\n",
    "x = (1,\n     2)\n",
    "\ufeff# after a mark\n",
    "'é' ; y = 1\n",
    "# windows\r\n",
    "N = 4  # é\n",
]


def added(source: str, kernel_type: str = "torch") -> tuple[str, list[str], int]:
    return add_missing_imports(source, ast.parse(source.encode()), kernel_type)


def definition_line(source: str) -> int:
    return next(node.lineno for node in ast.parse(source.encode()).body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("start", STARTS)
def test_lines_keep_their_numbers(start: str) -> None:
    prepared, imports, shifted = added(start + BODY)

    assert imports == ["import torch", "import torch.nn.functional as F"]
    assert shifted == 0
    assert definition_line(prepared) == definition_line(start + BODY)
    names: dict[str, object] = {}
    exec(compile(prepared.encode(), "prepared", "exec"), names)
    assert {"torch", "F", "f"} <= set(names)


def test_a_definition_on_the_first_line_moves_by_one() -> None:
    prepared, imports, shifted = added(BODY)

    assert (imports, shifted) == (["import torch", "import torch.nn.functional as F"], 1)
    assert definition_line(prepared) == 2


def test_triton_names_are_added_for_triton_only() -> None:
    source = "# k\n@triton.jit\ndef k(p): tl.load(p)\n"

    assert added(source, "triton")[1] == ["import triton", "import triton.language as tl"]
    assert added(source, "torch")[1] == []


def test_a_decorator_over_several_lines_is_not_torn() -> None:
    prepared, imports, _ = added("# k\n@(\n    triton.jit)\ndef k(p): pass\n", "triton")

    assert imports == ["import triton"]
    ast.parse(prepared)


@pytest.mark.parametrize(
    "source",
    [
        "import torch\nimport torch.nn.functional as F\n" + BODY,
        "from torch.nn import functional as F\nimport torch\n" + BODY,
        "def f(torch, F): return F.relu(torch)\n",
        "x = 1\n",
        "# coding: latin-1\n" + BODY,
    ],
)
def test_nothing_is_added_when_nothing_is_missing(source: str) -> None:
    assert added(source) == (source, [], 0)


@given(
    st.lists(
        st.sampled_from([*STARTS, "import os; import sys\n", "if True:\n    pass\n", "@abs\nclass A: pass\n", "\f\n"]), max_size=5
    ).map("".join)
)
def test_any_mixture_still_parses_with_the_same_statements(start: str) -> None:
    source = start + BODY
    try:
        tree = ast.parse(source.encode())
    except SyntaxError:
        return

    prepared, imports, shifted = add_missing_imports(source, tree, "torch")

    after = ast.parse(prepared.encode())
    assert len(after.body) == len(tree.body) + len(imports)
    assert after.body[-1].lineno == tree.body[-1].lineno + shifted
