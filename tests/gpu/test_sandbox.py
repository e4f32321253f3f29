"""On a GPU: CUDA and Triton work inside the sandbox, and only the leased GPU is there."""

from __future__ import annotations

import pytest

from evaluator.contract import Limits
from evaluator.sandbox import Sandbox, gpu_healthy, probe
from evaluator.sandbox.gpus import gpus

LIMITS = Limits(memory_bytes=16 << 30, log_bytes=64 << 10)

TORCH = """
import torch
x = torch.arange(1 << 20, device='cuda', dtype=torch.float32)
torch.cuda.synchronize()
print('right', float((x * 2).sum()) == float(x.sum()) * 2, torch.cuda.device_count())
"""

TRITON = """
import sys, textwrap
text = '''
import torch, triton, triton.language as tl

@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)

x = torch.arange(1000, device='cuda', dtype=torch.float32)
y = torch.empty_like(x)
double[(4,)](x, y, 1000, BLOCK=256)
print('right', torch.equal(y, 2 * x))
'''
open('kernel.py', 'w').write(textwrap.dedent(text))
sys.path.insert(0, '.')
import kernel
"""


def output(code: str, sandbox: Sandbox) -> str:
    with sandbox.start("timeit", ["-n1", "-r1", code], limits=LIMITS) as process:
        code_of_exit = process.wait(120)
        process.kill()
        text = process.log()[0]
    assert code_of_exit == 0, text
    return text


@pytest.mark.parametrize("mode", ["best-effort", "off"])
def test_torch_computes_on_the_one_visible_gpu(mode: str) -> None:
    assert "right True 1" in output(TORCH, Sandbox(mode, gpu_index=0))


def test_triton_compiles_and_runs_inside() -> None:
    assert "right True" in output(TRITON, Sandbox("best-effort", gpu_index=0))


def test_the_probe_holds_with_a_gpu() -> None:
    table = probe("best-effort", 0)

    assert not table.error
    rows = {row.name: row for row in table.rows}
    for name in ("cuda_kernel", "other_gpus", "not_root", "no_capabilities", "internet_socket", "core_limit"):
        assert rows[name].proven is True, rows[name]
    print([(row.name, row.detail) for row in table.failures])


def test_every_layer_that_the_host_allows_is_active_with_a_gpu() -> None:
    table = probe("strict", 0)
    if "KB_SANDBOX=strict" in table.error:
        pytest.skip(table.error)

    assert table.overall == "enforcing", table.failures


def test_device_files_of_other_gpus_are_not_visible() -> None:
    own = gpus()[0].node
    sandbox = Sandbox("best-effort", gpu_index=0)
    with sandbox.start("timeit", ["-n1", "-r1", "pass"], limits=LIMITS, packages=False) as process:
        if process.layers["mount_namespace"] != "active":
            pytest.skip("no mount namespace here")

    text = output("import glob; print(sorted(glob.glob('/dev/nvidia[0-9]*')))", sandbox)

    assert str([own]) in text


def test_without_a_gpu_none_is_visible() -> None:
    assert "False" in output("import torch; print(torch.cuda.is_available())", Sandbox("best-effort"))


def test_the_health_probe_runs_a_kernel() -> None:
    healthy, detail = gpu_healthy(0)

    assert healthy, detail
    assert "a kernel ran on" in detail


def test_a_hung_probe_is_given_up() -> None:
    healthy, detail = gpu_healthy(0, deadline_s=0.001)

    assert not healthy
    assert "within 0.001 s" in detail
