"""Triton kernels of starters and of the generator compile for GPUs, on a machine that has none."""

from __future__ import annotations

import importlib.util
import subprocess
import typing
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

triton = pytest.importorskip("triton")

from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402
from triton.runtime.jit import JITFunction, mangle_type  # noqa: E402

from evaluator import generate_cuda, philox  # noqa: E402
from evaluator.candidate import flush  # noqa: E402
from evaluator.generate import laid_out  # noqa: E402
from evaluator.ops.definition import Case, Op, TensorSpec  # noqa: E402
from evaluator.ops.registry import all_ops, get  # noqa: E402

CAPABILITY = {"t4": 75, "h100": 90}
SMALL_TILE = 32
CASES = [
    (op.slug, device, dtype)
    for op in all_ops()
    for device, dtype in (("t4", "float16"), ("h100", "float32"), ("h100", "bfloat16"))
    if "triton" in op.starters and (dtype in op.dtypes or (dtype == "float32" and not any("float" in name for name in op.dtypes)))
]
"""A starter is compiled for a T4 and an H100; one that takes no floats, once."""


def ptx(kernel: typing.Any, types: dict[str, str], constants: dict[str, object], capability: int, **options: object) -> str:
    places = {(kernel.arg_names.index(name),): value for name, value in constants.items()}
    source = ASTSource(fn=kernel, signature=types, constexprs=places)
    compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)
    return str(compiled.asm["ptx"])


@dataclass(frozen=True)
class Launch:
    kernel: typing.Any
    arguments: dict[str, object]

    def ptx(self, capability: int) -> str:
        """Tiles of products are made small: they compile ten times as fast."""
        constants = {p.name: self._small(p.name) for p in self.kernel.params if p.is_constexpr or self.arguments[p.name] is None}
        types = {p.name: "constexpr" if p.name in constants else mangle_type(self.arguments[p.name]) for p in self.kernel.params}
        options = {name: value for name, value in self.arguments.items() if name not in types}
        return ptx(self.kernel, types, constants, capability, **options)

    def _small(self, name: str) -> object:
        value = self.arguments[name]
        return min(value, SMALL_TILE) if name.startswith("TILE") and isinstance(value, int) else value


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> list[Launch]:
    """What kernels are called with from now on; they do not run, and tensors say that they are on a GPU."""
    found: list[Launch] = []

    def record(kernel: typing.Any, *args: object, grid: object, warmup: bool, **kwargs: object) -> None:
        found.append(Launch(kernel, {**dict(zip(kernel.arg_names, args, strict=False)), **kwargs}))

    monkeypatch.setattr(JITFunction, "run", record)
    monkeypatch.setattr(torch.Tensor, "is_cuda", True)
    return found


def case_of(op: Op, device: str, dtype: str) -> Case:
    """The first case with such a tensor."""
    cases = op.correctness_cases(device)
    return next((case for case in cases if any(spec.dtype == dtype for spec in case.tensors)), cases[0])


def call(op: Op, path: Path, case: Case) -> None:
    """Call the starter with tensors without data."""
    path.write_text(op.starters["triton"], encoding="utf-8")
    spec = importlib.util.spec_from_file_location("starter", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def tensor(recipe: TensorSpec) -> torch.Tensor:
        return torch.empty_strided(recipe.shape, laid_out(recipe), dtype=getattr(torch, recipe.dtype), device="meta")

    args, kwargs = case.filled_in(tensor)
    getattr(module, op.entry_point)(*args, **kwargs)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize(("slug", "device", "dtype"), CASES)
def test_starters(slug: str, device: str, dtype: str, launches: list[Launch], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    op, capability = get(slug), CAPABILITY[device]
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _device=None: divmod(capability, 10))

    call(op, tmp_path / "starter.py", case_of(op, device, dtype))
    once = {launch.kernel.__name__: launch for launch in launches}
    texts = [launch.ptx(capability) for launch in once.values()]

    assert texts
    assert any(".tf32" in text for text in texts) == (op.precision == "tf32" and dtype == "float32")


@pytest.mark.parametrize("element", ["fp32", "fp16", "i16"])
@pytest.mark.parametrize("uniform", [True, False])
def test_generator_fuses_no_rounding_away(element: str, uniform: bool) -> None:
    constants: dict[str, object] = {
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
    given = {"out_ptr": f"*{element}", "scale": "fp32", "offset": "fp32"}

    kernel = generate_cuda._fill_tile
    types = {p.name: "constexpr" if p.is_constexpr else given.get(p.name, "i32") for p in kernel.params}

    text = ptx(kernel, types, constants, CAPABILITY["h100"], enable_fp_fusion=False)

    assert "fma" not in text


@pytest.mark.parametrize("capability", [75, 80, 89, 90, 100])
def test_the_flush_is_taken_by_the_assembler(capability: int, tmp_path: Path) -> None:
    text = tmp_path / "flush.ptx"
    text.write_bytes(flush.PTX)
    assembler = triton.knobs.nvidia.ptxas_blackwell.path if capability >= 100 else triton.knobs.nvidia.ptxas.path

    done = subprocess.run([assembler, f"-arch=sm_{capability}", text, "-o", tmp_path / "out"], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
