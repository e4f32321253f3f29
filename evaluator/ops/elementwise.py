"""Cases that the ops of one tensor, element by element, share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evaluator.ops.arguments import correctness, every_other, hidden, performance, takes_bfloat16, tensor, transposed
from evaluator.ops.definition import Argument, Case


def correctness_cases(device: str, kwargs: Mapping[str, Argument]) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128), **kwargs),
        correctness("odd", tensor(3, 67, 5), **kwargs),
        correctness("one_element", tensor(1), **kwargs),
        correctness("scalar", tensor(), **kwargs),
        correctness("empty", tensor(0, 7), **kwargs),
        correctness("prime", tensor(4099), **kwargs),
        correctness("transposed", transposed(37, 53), **kwargs),
        correctness("every_other", every_other(19, 31), **kwargs),
        correctness("large", tensor(1023, generator="large"), **kwargs),
        correctness("sparse", tensor(33, 65, generator="sparse"), **kwargs),
        correctness("float16", tensor(31, 129, dtype="float16"), **kwargs),
        *([correctness("bfloat16", tensor(31, 129, dtype="bfloat16"), **kwargs)] if takes_bfloat16(device) else []),
    ]


def performance_cases(device: str, kwargs: Mapping[str, Argument]) -> list[Case]:
    if device == "cpu":
        return [
            performance("256x4096", "OPT-6.7B hidden states, 256 tokens", tensor(256, 4096), **kwargs),
            performance("197x3072", "ViT-B/16 MLP, one image", tensor(197, 3072), **kwargs),
        ]
    return [
        performance("gpt2_mlp", "GPT-2 MLP, batch 8", tensor(8, 1024, 3072), **kwargs),
        performance("resnet50_stem", "ResNet-50 stem, batch 32", tensor(32, 64, 112, 112), **kwargs),
        performance("llama3_8b_mlp_fp16", "Llama 3 8B MLP, 4096 tokens", tensor(4096, 14336, dtype="float16"), **kwargs),
    ]


def hidden_cases(pick: Callable[[int, int], int], kwargs: Mapping[str, Argument]) -> list[Case]:
    rows, columns = 2 * pick(1, 60) + 1, 2 * pick(1, 120) + 1
    return [
        hidden("odd", tensor(rows, columns), **kwargs),
        hidden("transposed", transposed(pick(2, 80), pick(2, 80)), **kwargs),
        hidden("long", tensor(pick(5_000, 20_000)), **kwargs),
    ]
