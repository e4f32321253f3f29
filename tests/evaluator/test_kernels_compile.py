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
OTHER_TYPES = {
    **dict.fromkeys(("target_ptr", "seed_ptr", "index_ptr"), "*i64"),
    **dict.fromkeys(("ends_ptr", "lengths_ptr"), "*i32"),
    "condition_ptr": "*i1",
    **dict.fromkeys(("eps", "scale", "alpha", "beta", "slope", "threshold", "low", "high", "value", "p"), "fp32"),
}
# Smaller tiles than the starters have: they compile ten times as fast.
PRODUCT: dict[str, object] = {"TILE_M": 16, "TILE_N": 16, "TILE_K": 16}
ATTENTION: dict[str, object] = {"TILE_Q": 16, "TILE_K": 16, "TILE_D": 16}
CONVOLUTION: dict[str, object] = {"HAS_BIAS": True, "TILE_P": 16, "TILE_O": 16, "TILE_K": 16}
CONSTANTS: dict[str, dict[str, object]] = {
    "gelu": {"TANH": False, "BLOCK": 1024},
    "geglu": {"TANH": False, "BLOCK": 1024},
    "clamp": {"HAS_MIN": True, "HAS_MAX": True, "BLOCK": 1024},
    "layer_norm": {"HAS_WEIGHT": True, "HAS_BIAS": True, "BLOCK": 4096},
    **dict.fromkeys(("mm", "mm_tf32", "bmm", "grouped_mm", "linear_swiglu"), PRODUCT),
    "addmm": {"ADDS": True, **PRODUCT},
    "linear": {"HAS_BIAS": True, **PRODUCT},
    "linear_relu": {"HAS_BIAS": True, **PRODUCT},
    "linear_gelu": {"HAS_BIAS": True, "TANH": False, **PRODUCT},
    "mv": {"TILE": 4, "BLOCK": 512},
    "attention": {**ATTENTION, "TILE_E": 16},
    "masked_attention": {"HAS_MASK": True, **ATTENTION},
    **dict.fromkeys(("causal_attention", "gqa_attention", "decode_attention"), ATTENTION),
    **dict.fromkeys(("conv1d", "conv2d", "conv3d", "conv_transpose2d"), CONVOLUTION),
    "depthwise_conv2d": {"HAS_BIAS": True, "PLANES": 4, "BLOCK": 256},
    "causal_conv1d": {"HAS_BIAS": True, "SILU": True, "ROWS": 4, "BLOCK": 512},
    "avg_pool2d": {"COUNT_PADDING": False, "COUNT": True, "BLOCK": 512},
    "transpose_copy": {"TILE": 16},
    "nchw_to_nhwc": {"TILE_C": 16, "TILE_P": 256},
    "pad": {"ROWS": 2, "BLOCK": 512},
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

    text = ptx(kernel, {**types, **OTHER_TYPES}, CONSTANTS.get(slug, {"BLOCK": 1024}), capability)

    assert (".tf32" in text) == (get(slug).precision == "tf32" and capability == HOPPER and dtype == "fp32")


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
