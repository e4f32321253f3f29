"""What a sandboxed process finds in its environment: one GPU by its UUID, and the driver's library for Triton."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evaluator.sandbox import driver
from evaluator.sandbox.environment import environment
from evaluator.sandbox.gpus import Gpu
from tests.evaluator.sandbox.running import TREE

GPU = Gpu(index=3, node="/dev/nvidia3", uuid="GPU-1234")
PROGRAM = """
from pathlib import Path
from evaluator.sandbox.environment import environment
from evaluator.sandbox.gpus import Gpu
print(environment("/box", {}, gpu=Gpu(0, "/dev/nvidia0", ""), others_hidden=True).get("TRITON_LIBCUDA_PATH"))
"""


@pytest.mark.parametrize("wanted", [{}, {"CUDA_VISIBLE_DEVICES": "3", "CUDA_DEVICE_ORDER": "FASTEST_FIRST"}])
@pytest.mark.parametrize("others_hidden", [True, False])
def test_a_gpu_is_named_by_its_uuid_whatever_the_caller_says(
    wanted: dict[str, str], others_hidden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")

    found = environment("/box", wanted, gpu=GPU, others_hidden=others_hidden)

    assert found["CUDA_VISIBLE_DEVICES"] == "GPU-1234"
    assert found["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"


@pytest.mark.parametrize(("others_hidden", "index"), [(True, "0"), (False, "3")])
def test_without_a_uuid_the_index_is_the_one_that_holds_inside(others_hidden: bool, index: str) -> None:
    gpu = Gpu(index=3, node="/dev/nvidia3", uuid="")

    assert environment("/box", {}, gpu=gpu, others_hidden=others_hidden)["CUDA_VISIBLE_DEVICES"] == index


def test_without_a_gpu_none_is_visible_whatever_the_caller_says() -> None:
    found = environment("/box", {"CUDA_VISIBLE_DEVICES": "0", "TRITON_INTERPRET": "1"}, gpu=None, others_hidden=True)

    assert found["CUDA_VISIBLE_DEVICES"] == ""
    assert found["TRITON_INTERPRET"] == "1"
    assert "TRITON_LIBCUDA_PATH" not in found


def test_the_linker_tells_where_a_library_lies() -> None:
    path = driver.path_of("libc.so.6")

    assert path is not None
    assert path.name == "libc.so.6"
    assert path.is_file()
    assert driver.path_of("libno-such-library.so.1") is None


def test_triton_is_told_where_the_driver_lies(tmp_path: Path, needs) -> None:  # type: ignore[no-untyped-def]
    needs(shutil.which("gcc"), "gcc")
    real = tmp_path / "driver" / "libcuda.so.999"
    real.parent.mkdir()
    subprocess.run(["gcc", "-shared", "-x", "c", "/dev/null", "-Wl,-soname,libcuda.so.1", "-o", str(real)], check=True)
    (real.parent / driver.LIBRARY).symlink_to(real.name)

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "LD_LIBRARY_PATH": str(real.parent), "PYTHONPATH": str(TREE)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == str(real.parent.resolve())
