"""From Triton's cache to registers, PTX and SASS: a kernel that Triton really compiles here, for a GPU that is not here."""

from __future__ import annotations

import contextlib
import importlib.util
import typing
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluator.contract import Limits
from evaluator.profiling import tools
from evaluator.profiling.artefacts import Shelf, read
from evaluator.profiling.code import compiled, keep
from evaluator.profiling.inside import cache as handed_on
from evaluator.profiling.inside import compiled as inside
from evaluator.profiling.inside.archive import pack, unpack
from evaluator.profiling.running import Means, memory_file
from evaluator.sandbox import Sandbox

triton = pytest.importorskip("triton")

KERNEL = """
import triton
import triton.language as tl

@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)
"""
ROOM = 8 << 20


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, list[str]]]:
    """A cache with two variants of a kernel, and their hashes."""
    folder = tmp_path_factory.mktemp("triton")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TRITON_INTERPRET", raising=False)
        patch.setenv("TRITON_CACHE_DIR", str(folder / "cache"))
        yield folder / "cache", [compile_for_a_gpu(folder, warps) for warps in (4, 8)]


def compile_for_a_gpu(folder: Path, warps: int) -> str:
    """The hash of the kernel, for which Triton looks into its cache first. The source lies in `folder`."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    path = folder / "kernel.py"
    path.write_text(KERNEL)
    spec = importlib.util.spec_from_file_location("doubling", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    types = {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    source = ASTSource(fn=module.double, signature=types, constexprs={(3,): 256})
    return str(triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": warps}).hash)


def test_what_ran_comes_first(cache: tuple[Path, list[str]]) -> None:
    folder, (first, second) = cache

    assert [digest for _, digest in inside.kernels(folder, {first})] == [first, second]
    assert [digest for _, digest in inside.kernels(folder, {second})] == [second, first]
    assert len(inside.kernels(folder, None)) == 2


def test_files_that_do_not_belong_are_left_alone(cache: tuple[Path, list[str]], tmp_path: Path) -> None:
    hostile = tmp_path / "abc"
    hostile.mkdir()
    (hostile / "link.json").symlink_to("/etc/passwd")
    (hostile / "text.json").write_text("not json")
    (hostile / "list.json").write_text("[]")
    (hostile / "__grp__k.json").write_text("{}")

    assert inside.kernels(tmp_path, None) == []


def test_only_what_has_room_is_gathered(cache: tuple[Path, list[str]]) -> None:
    found = inside.kernels(cache[0], None)

    assert [name for name, _ in inside.gathered(found, None, 1, ROOM)] == ["kernels.json", "0.json", "0.ptx", "0.cubin"]
    assert [name for name, _ in inside.gathered(found, None, 9, 100)] == ["kernels.json"]


def test_registers_and_code_of_a_real_kernel(cache: tuple[Path, list[str]], needs: Callable[[object, str], None], tmp_path: Path) -> None:
    needs(tools.find("nvdisasm") and tools.find("cuobjdump"), "nvdisasm and cuobjdump, as Triton brings them")
    folder, (first, _) = cache
    shelf, plain = Shelf(tmp_path), Sandbox("best-effort")
    with contextlib.ExitStack() as opened:
        answer = memory_file("answer", ROOM, opened)
        pack(answer, inside.gathered(inside.kernels(folder, {first}), {first}, 12, ROOM))
        kernels = compiled(unpack(answer), shelf)

    ran, other = keep(kernels, Means(plain, plain, None, Limits(), lambda: False), shelf, timeout_s=60)

    assert (ran.name, ran.variant, ran.launched, ran.num_warps, ran.arch) == ("double", first[:8], True, 4, "sm_90a")
    assert (other.launched, other.num_warps) == (False, 8)
    assert ran.registers is not None
    assert (ran.spill_store_bytes, ran.spill_load_bytes, ran.shared_bytes) == (0, 0, 0)
    texts = {artefact.note.name: artefact.data.decode() for artefact in read(tmp_path, shelf.notes)}
    assert ".visible .entry double" in texts[f"double-{first[:8]}.ptx"]
    assert "EXIT" in texts[f"double-{first[:8]}.sass"]
    assert len(texts) == 4
    assert shelf.take_left_out() == ()


def test_what_was_handed_on_is_not_compiled_again(cache: tuple[Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, (first, _) = cache
    (tmp_path / "elsewhere").mkdir()
    with contextlib.ExitStack() as opened:
        file = memory_file("compiled", ROOM, opened)
        handed_on.keep(folder, file)
        handed_on.fill(tmp_path / "cache", file)
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    before = {path for path in (tmp_path / "cache").rglob("*") if path.is_file()}

    again = compile_for_a_gpu(tmp_path / "elsewhere", 4)

    assert again == first
    assert {path for path in (tmp_path / "cache").rglob("*") if path.is_file()} == before
    assert not list((tmp_path / "cache").glob("*/*.ttir"))


def test_which_kernels_run_is_heard_from_triton(cache: tuple[Path, list[str]]) -> None:
    from triton import knobs
    from triton.compiler.compiler import LazyDict

    launches = inside.Launches()
    chains: list[tuple[typing.Any, object]] = [
        (knobs.runtime.kernel_load_end_hook, launches._loaded),
        (knobs.runtime.launch_enter_hook, launches._launched),
    ]
    try:
        knobs.runtime.kernel_load_end_hook(None, 11, "double", {}, "ab12")
        knobs.runtime.kernel_load_end_hook(None, 22, "double", {}, "cd34")
        knobs.runtime.launch_enter_hook(LazyDict({"name": "double", "function": 22, "stream": 0}))
        launches.watching = True
        knobs.runtime.launch_enter_hook(LazyDict({"name": "double", "function": 11, "stream": 0}))
    finally:
        for chain, hook in chains:
            chain.remove(hook)

    assert launches.hashes == {"ab12"}
