"""The Triton kernels of the comparison find what torch's operations find; run by Triton's interpreter, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import dataclasses, math, torch
from evaluator.correctness import blocks, elements, fused, sums

fused.PROGRAMS = 3
compared = 0
f16, f32, f64 = torch.float16, torch.float32, torch.float64
figures = lambda s: [s.y_square, *dataclasses.astuple(s.ours), *dataclasses.astuple(s.torchs)]
for wide, narrow in ((f64, f32), (f32, torch.bfloat16), (f64, f16), (f64, f64)):
    for shape in ((33, 77), (3, 1, 64, 1)):
        y = torch.randn(shape, dtype=torch.float64).to(wide)
        y.view(-1)[::50] = 0
        same = y.to(narrow)
        c = (y.double() * (1 + 1e-3 * torch.randn(shape))).to(narrow)
        parts = blocks.blocks(c)
        right, found = sums.measure(y, same, c, parts), fused.measure(y, same, c)
        assert all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(figures(right), figures(found))), (right, found)
        assert (right.finite, right.plain, right.zeros) == (found.finite, found.plain, found.zeros)
        bound = elements.Bound(1e-3, 1e-4)
        judged, quick = elements.judge(y, c, parts, right, bound), fused.judge(y, c, bound)
        assert judged.count > 0 and judged == quick, (judged, quick)
        for odd in (math.nan, math.inf, 1e39):
            if math.isinf(odd) or math.isnan(odd):
                wrong = c.clone()
                wrong.view(-1)[-1] = odd
                assert fused.measure(y, same, wrong) is None
            elif wide != f64 or narrow == f64:
                continue
            beyond = y.clone()
            beyond.view(-1)[-1] = odd
            assert fused.measure(beyond, same, c) is None
        compared += 1
print(compared)
"""


def test_interpreted_kernels_find_what_torch_finds() -> None:
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=120, check=False)

    assert done.stderr == ""
    assert done.stdout == "8\n"


@pytest.mark.parametrize(("capability", "element"), [(75, "fp32"), (90, "bf16")])
def test_kernels_compile_for_gpus_and_load_several_elements_at_once(
    capability: int, element: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from evaluator.correctness import fused

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types = {"n": "i32", "columns": "i32", "step": "i32", "c_ptr": f"*{element}", "same_ptr": f"*{element}", "TILE": "constexpr"}
    for kernel in (fused._measure, fused._judge):
        signature = {name: types.get(name, "*fp64") for name in kernel.arg_names}
        aligned = {(place,): [["tt.divisibility", 16]] for place, name in enumerate(kernel.arg_names) if name not in ("columns", "TILE")}
        source = ASTSource(fn=kernel, signature=signature, constexprs={(kernel.arg_names.index("TILE"),): fused.TILE}, attrs=aligned)
        text = str(triton.compile(source, target=GPUTarget("cuda", capability, 32)).asm["ptx"])

        assert "ld.global.v2.b64" in text
        assert "ld.global.v4.b32" in text or "ld.global.v2.b32" in text
