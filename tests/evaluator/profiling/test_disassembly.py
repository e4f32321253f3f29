"""A kernel compiled here and taken apart by NVIDIA's real tools in a real sandbox; no GPU is needed for that."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.contract import Limits
from evaluator.profiling import tools
from evaluator.profiling.disassembly import Disassembled, disassemble
from evaluator.profiling.running import Means
from evaluator.sandbox import Sandbox

KERNEL = """
.version 8.0
.target sm_90a
.address_size 64
.visible .entry fill(.param .u64 out)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<5>;
    .shared .align 4 .b8 room[512];
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    mad.lo.s32 %r2, %r1, 3, 1;
    st.global.u32 [%rd4], %r2;
    ret;
}
"""


@pytest.fixture
def means() -> Means:
    plain = Sandbox("best-effort")
    return Means(plain, plain, None, Limits(), lambda: False)


def test_registers_spills_and_instructions(means: Means, needs: Callable[[object, str], None], tmp_path: Path) -> None:
    needs(
        tools.find("ptxas") and tools.find("nvdisasm") and tools.find("cuobjdump"), "ptxas, nvdisasm and cuobjdump, as Triton brings them"
    )
    (tmp_path / "k.ptx").write_text(KERNEL)
    subprocess.run([str(tools.find("ptxas")), "--gpu-name=sm_90a", "-o", "k.cubin", "k.ptx"], cwd=tmp_path, check=True)
    cubin = (tmp_path / "k.cubin").read_bytes()

    (whole, broken, without), missing = disassemble(
        means, [("sm_90a", KERNEL, cubin), ("sm_90a", "garbage", b"\x7fELF garbage"), ("", "", b"")], timeout_s=60
    )

    assert "EXIT" in whole.sass
    assert "STG.E" in whole.sass
    assert whole.registers is not None
    assert 4 <= whole.registers <= 32
    assert (whole.spill_store_bytes, whole.spill_load_bytes, whole.stack_bytes) == (0, 0, 0)
    assert broken == Disassembled()
    assert without == Disassembled()
    assert missing == []


def test_what_is_missing_is_said(means: Means, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "find", lambda _program: None)

    found, missing = disassemble(means, [("sm_90a", KERNEL, b"\x7fELF")], timeout_s=60)

    assert found == [Disassembled()]
    assert "not installed" in missing[0]
