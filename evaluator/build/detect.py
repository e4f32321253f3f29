"""Guess a source's kernel type from its text."""

from __future__ import annotations

from functools import cache

from evaluator.build.registry import builders
from evaluator.build.signs import END, LINE, START, Sign
from evaluator.contract import MAX_SOURCE_BYTES, KernelType

# Signs of the types that no file builds: such a source is refused by its name instead of being run as torch.
_UNBUILT = (
    Sign(
        KernelType.CUDA,
        50,
        rf"{LINE}[ \t]*(?:template[^\n]{{0,200}}\n[ \t]*)?(?:extern[^\n]{{0,80}})?__global__{END}",
        unless=rf"{LINE}(?:import|from|def|class|@)[ \t]*[A-Za-z0-9_]",
    ),
    Sign(KernelType.HELION, 40, rf"{LINE}[ \t]*(?:import|from)[ \t]+helion{END}"),
    Sign(KernelType.TORCH_CUDA, 30, rf"{START}(?:cuda_sources|CUDAExtension){END}"),
    Sign(KernelType.CPP, 20, rf"{START}(?:cpp_sources|CppExtension|cpp_extension){END}"),
)


@cache
def signs() -> tuple[Sign, ...]:
    """The signs of all types, the surest first: the first that a source shows names its type."""
    built = [sign for builder in builders().values() for sign in builder.signs]
    found = [*built, *(sign for sign in _UNBUILT if sign.kernel_type not in builders())]
    return tuple(sorted(found, key=lambda sign: -sign.score))


def detect(source: str) -> KernelType:
    """The most likely type; `torch` when nothing speaks for another. Text only: safe on any input."""
    text = source[:MAX_SOURCE_BYTES]
    return next((sign.kernel_type for sign in signs() if sign.speaks_for(text)), KernelType.TORCH)
