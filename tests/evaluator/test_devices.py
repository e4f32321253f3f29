"""Which board a GPU belongs to."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.devices import DEVICES, class_of_gpu, device_class


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("NVIDIA H200", "h200"),
        ("NVIDIA B200", "b200"),
        ("NVIDIA A100-SXM4-80GB", "a100"),
        ("NVIDIA A100 80GB PCIe", "a100"),
        ("Tesla T4", "t4"),
        ("NVIDIA L4", "l4"),
    ],
)
def test_known_gpus(name: str, slug: str) -> None:
    assert class_of_gpu(name) == slug


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("NVIDIA L40S", "l40s"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("NVIDIA H100 PCIe", "h100-pcie"),
        ("NVIDIA H100 NVL", "h100-nvl"),
        ("NVIDIA GH200 480GB", "gh200-480gb"),
        ("NVIDIA A100-SXM4-40GB", "a100-sxm4-40gb"),
        ("NVIDIA H100 80GB HBM3 MIG 1g.10gb", "h100-80gb-hbm3-mig-1g-10gb"),
        ("", "unknown-gpu"),
        ("CPU", "cpu-gpu"),
    ],
)
def test_other_gpus_get_a_board_of_their_own(name: str, slug: str) -> None:
    assert class_of_gpu(name) == slug
    assert device_class(slug).kind == "cuda"
    assert device_class(slug).dram_bytes_per_s is None


@given(st.text())
def test_any_name_gives_a_slug(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", class_of_gpu(name))
    assert class_of_gpu(name) != "cpu"


def test_classes_are_complete() -> None:
    assert list(DEVICES) == ["cpu", "t4", "l4", "a100", "h100", "h200", "b200"]
    for device in DEVICES.values():
        if device.kind == "cuda":
            assert device.dram_bytes_per_s and device.l2_bytes and device.flops_per_s["ieee_fp32"] and device.flops_per_s["fp16"]
