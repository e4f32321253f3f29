"""A GPU makes the bits that the CPU makes."""

from __future__ import annotations

import itertools
import math
import typing

import pytest
import torch

from evaluator.generate import CUDA_KERNEL_ELEMENTS, fill, storage_elements, view
from evaluator.ops.definition import Generator, TensorSpec

GENERATORS: tuple[Generator, ...] = typing.get_args(Generator)
DTYPES = ("float32", "float16", "bfloat16", "float64", "int64", "bool")
SHAPES = [(), (1,), (37, 53), (CUDA_KERNEL_ELEMENTS - 1,), (CUDA_KERNEL_ELEMENTS,), (1031, 1033)]


def make(spec: TensorSpec, device: str) -> torch.Tensor:
    tensor = view(torch.zeros(storage_elements(spec), dtype=getattr(torch, spec.dtype), device=device), spec)
    fill(tensor, spec, 0xFEDCBA9876543210, 0x89ABCDEF01234567)
    return tensor.cpu()


def bounds(generator: Generator, dtype: str, shape: tuple[int, ...]) -> tuple[float, float]:
    if generator == "permutation":
        return -3.0, math.prod(shape) + 5.0
    return (-3.0, 97.0) if generator in ("integers", "ascending") or dtype == "int64" else (0.7, 1.3)


@pytest.mark.parametrize("generator", GENERATORS)
def test_bits_are_those_of_the_cpu(generator: Generator) -> None:
    for dtype, shape in itertools.product(DTYPES, SHAPES):
        spec = TensorSpec(shape, dtype, generator, *bounds(generator, dtype, shape))

        on_cpu, on_gpu = make(spec, "cpu"), make(spec, "cuda")

        assert torch.equal(on_cpu.reshape(-1).view(torch.uint8), on_gpu.reshape(-1).view(torch.uint8)), spec


def test_strided_bits_are_those_of_the_cpu() -> None:
    spec = TensorSpec((701, 303), strides=(1, 811))

    assert torch.equal(make(spec, "cpu"), make(spec, "cuda"))


def test_a_new_seed_compiles_nothing() -> None:
    from evaluator import generate_cuda

    spec = TensorSpec((CUDA_KERNEL_ELEMENTS,))
    tensor = torch.empty(spec.shape, device="cuda")
    fill(tensor, spec, 3, 5)
    kernels = sum(len(cache[0]) for cache in generate_cuda._fill_tile.device_caches.values())

    for seed, counter in ((1, 1), (16, 0), (2**31, 2**31), (2**32 - 1, 7), (2**63, 2**40)):
        fill(tensor, spec, seed, counter)

    assert sum(len(cache[0]) for cache in generate_cuda._fill_tile.device_caches.values()) == kernels
