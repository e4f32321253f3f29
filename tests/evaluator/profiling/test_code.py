"""Kernels out of a cache that may be the submission's own work."""

from __future__ import annotations

import json

import pytest

from evaluator.profiling.artefacts import Shelf
from evaluator.profiling.bounded import Unreadable
from evaluator.profiling.code import MOST_KERNELS, MOST_PTX_BYTES, Compiled
from evaluator.profiling.code import compiled as compiled_by
from evaluator.profiling.disassembly import Disassembled, ptxas_of, read

PTX = b".version 8.5\n.target sm_90a\n.address_size 64\n"
METADATA = {"name": "softmax_kernel", "num_warps": 4, "num_stages": 3, "shared": 2048, "hash": "ab" * 32}


def listed(*rows: object) -> bytes:
    return json.dumps({"kernels": rows, "found": len(rows)}).encode()


def compiled(files: dict[str, bytes]) -> tuple[Compiled, ...]:
    return compiled_by(files, Shelf(None))


def test_what_the_cache_says_of_a_kernel() -> None:
    row = {"key": "ab" * 32, "launched": True}

    (kernel,) = compiled({"kernels.json": listed(row), "0.json": json.dumps(METADATA).encode(), "0.ptx": PTX, "0.cubin": b"\x7fELF"})

    found = kernel.found
    assert (found.name, found.variant, found.launched, found.arch) == ("softmax_kernel", "abababab", True, "sm_90a")
    assert (found.shared_bytes, found.num_warps, found.num_stages) == (2048, 4, 3)
    assert kernel.cubin == b"\x7fELF"


@pytest.mark.parametrize(
    "metadata",
    [b"[]", b"7", b'{"name": 3, "num_warps": "x", "shared": -5, "num_stages": 1e400}', json.dumps({"name": "../../x\x00" * 200}).encode()],
)
def test_metadata_that_makes_no_sense(metadata: bytes) -> None:
    (kernel,) = compiled({"kernels.json": listed({"key": "../../etc", "launched": "yes"}), "0.json": metadata})

    found = kernel.found
    assert (found.variant, found.launched, found.arch) == ("0", None, "")
    assert (found.num_warps, found.num_stages, found.shared_bytes) == (None, None, None)
    assert found.name.isprintable()
    assert len(found.name) <= 300


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"kernels.json": b"{}"},
        {"kernels.json": b"[]"},
        {"kernels.json": listed(*[{}] * (MOST_KERNELS + 1))},
    ],
    ids=["nothing", "no list", "only a list", "too many"],
)
def test_no_answer(files: dict[str, bytes]) -> None:
    with pytest.raises(Unreadable):
        compiled(files)


def test_what_is_too_long_of_one_kernel_costs_nothing_else() -> None:
    shelf = Shelf(None)
    files = {
        "kernels.json": listed({"key": "ab" * 32}, {}),
        "0.json": b"{" * 70_000,
        "0.ptx": bytes(MOST_PTX_BYTES + 1),
        "0.cubin": b"\x7fELF",
        "1.json": json.dumps(METADATA).encode(),
        "1.ptx": PTX,
    }

    first, second = compiled_by(files, shelf)

    assert (first.found.name, first.ptx, first.cubin) == ("kernel", "", b"\x7fELF")
    assert (second.found.name, second.found.arch) == ("softmax_kernel", "sm_90a")
    (said,) = shelf.take_left_out()
    assert said.startswith("PTX of kernel abababab: ")


def test_kernels_that_are_not_shown_are_counted() -> None:
    shelf = Shelf(None)

    compiled_by({"kernels.json": json.dumps({"kernels": [{}], "found": 31}).encode()}, shelf)

    (said,) = shelf.take_left_out()
    assert said.startswith("30 more compiled kernels")


def test_a_text_of_nothing_but_line_ends_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern that looks past the end of its line would look past all of them, from each."""
    (kernel,) = compiled({"kernels.json": listed({}), "0.ptx": b"\n" * 200_000 + PTX})

    assert kernel.found.arch == "sm_90a"


@pytest.mark.parametrize("target", [b".target sm_90a; rm", b".target $(x)", b"// .target", b".target sm_9", b".target compute_90"])
def test_a_target_that_is_none_is_not_passed_on(target: bytes) -> None:
    (kernel,) = compiled({"kernels.json": listed({}), "0.ptx": target.replace(b"sm_90a; rm", b"sm_90ab")})

    assert kernel.found.arch == ""


def test_what_the_tools_said() -> None:
    usage = b"\nResource usage:\n Common:\n  GLOBAL:0\n Function f:\n  REG:40 STACK:16 SHARED:1536 LOCAL:0 CONSTANT[0]:536 TEXTURE:0\n"
    spills = b"ptxas info    : Function properties for f\n    16 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads\n"
    sass = b"nvdisasm warning : old format\n\t.section\t.text.f\n        /*0000*/   EXIT ;\n"

    found = read({"0.usage": usage, "0.ptxas": spills, "0.sass": sass}, 0)

    assert found == Disassembled("\t.section\t.text.f\n        /*0000*/   EXIT ;\n", 40, 16, 1536, 24, 32)


def test_tools_that_said_nothing() -> None:
    assert read({"0.sass": b"nvdisasm fatal   : no cubin\n", "0.usage": b"REG:99999999 STACK:1"}, 0) == Disassembled()


def test_newer_gpus_have_a_compiler_of_their_own() -> None:
    older, newer = ptxas_of("sm_90a"), ptxas_of("sm_100a")

    assert older is not None
    assert older.name == "ptxas"
    assert newer is not None
    assert newer.name in ("ptxas", "ptxas-blackwell")
