"""Triton kernels of starters and of the generator compile for GPUs, on a machine that has none."""

from __future__ import annotations

import importlib.util
import typing
from pathlib import Path

import pytest

triton = pytest.importorskip("triton")

from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402

from evaluator import generate_cuda, philox  # noqa: E402
from evaluator.ops.registry import all_ops, get  # noqa: E402

TURING, HOPPER = 75, 90
CONSTANTS: dict[str, dict[str, object]] = {
    "gelu": {"TANH": False, "BLOCK": 1024},
    "layer_norm": {"HAS_WEIGHT": True, "HAS_BIAS": True, "BLOCK": 4096},
    "mm": {"TILE_M": 64, "TILE_N": 64, "TILE_K": 32},
}


def ptx(kernel: typing.Any, types: dict[str, str], constants: dict[str, object], capability: int, **options: object) -> str:
    signature = {p.name: "constexpr" if p.is_constexpr else types.get(p.name, "i32") for p in kernel.params}
    places = {(kernel.arg_names.index(name),): value for name, value in constants.items()}
    source = ASTSource(fn=kernel, signature=signature, constexprs=places)
    compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)
    return str(compiled.asm["ptx"])


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize(("dtype", "capability"), [("fp32", TURING), ("fp16", TURING), ("fp32", HOPPER), ("bf16", HOPPER)])
@pytest.mark.parametrize("slug", [op.slug for op in all_ops()])
def test_starters(slug: str, dtype: str, capability: int, tmp_path: Path) -> None:
    path = tmp_path / "starter.py"
    path.write_text(get(slug).starters["triton"], encoding="utf-8")
    spec = importlib.util.spec_from_file_location("starter", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = getattr(module, f"{slug}_kernel")
    types = {name: f"*{dtype}" for name in kernel.arg_names if name.endswith("_ptr")}

    text = ptx(kernel, {**types, "target_ptr": "*i64", "eps": "fp32"}, CONSTANTS.get(slug, {"BLOCK": 1024}), capability)

    assert ".tf32" not in text


@pytest.mark.parametrize("element", ["fp32", "fp16", "i16"])
@pytest.mark.parametrize("uniform", [True, False])
def test_generator_fuses_no_rounding_away(element: str, uniform: bool) -> None:
    constants = {
        "UNIFORM": uniform,
        "SHIFTED": True,
        "AS_BFLOAT16": element == "i16",
        "TILE": philox.LANES,
        "N_ROUNDS": philox.ROUNDS,
        "M0": philox.MULTIPLIER_0,
        "M1": philox.MULTIPLIER_1,
        "W0": philox.WEYL_0,
        "W1": philox.WEYL_1,
    }
    types = {"out_ptr": f"*{element}", "scale": "fp32", "offset": "fp32"}

    text = ptx(generate_cuda._fill_tile, types, constants, HOPPER, enable_fp_fusion=False)

    assert "fma" not in text
