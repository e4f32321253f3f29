"""Linear layers with what follows them in a model, as one op."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import correctness, cost, hidden, padded, performance, takes_bfloat16, tensor, transposed
from evaluator.ops.cases import projections
from evaluator.ops.definition import Case, Cost, Op

if typing.TYPE_CHECKING:
    import torch


def linear_relu_reference(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    import torch

    return torch.relu(torch.nn.functional.linear(x, weight, bias))


def linear_relu_cases(device: str) -> list[Case]:
    return [*projections.correctness_cases(device), *linear_relu_performance_cases(device)]


def linear_relu_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            projections.biased("detr_mlp", "DETR MLP, 100 queries", (100, 256), 2048),
            projections.plain("t5_small_mlp", "T5-small MLP, 64 tokens", (64, 512), 2048),
        ]
    return [
        projections.biased("detr_mlp", "DETR MLP, 8 images of 25 x 34 patches", (8, 850, 256), 2048),
        projections.biased("opt_6_7b_mlp_fp16", "OPT-6.7B MLP, 1024 tokens", (1024, 4096), 16384, "float16"),
        projections.plain("t5_base_mlp_fp16", "T5-base MLP, batch 16 of 512 tokens", (16, 512, 768), 3072, "float16"),
    ]


LINEAR_RELU = Op(
    slug="linear_relu",
    title="Linear layer and ReLU",
    summary="A linear layer whose negative outputs become zero.",
    description=(
        "The input times the transposed weight, plus the bias where one is given, then the larger of that and zero. It is the first half "
        "of the MLP in T5, OPT, DETR and many smaller models. On its own ReLU would read and write the whole result again; in the "
        "product's last step it costs nothing. So all that is left is a fast product, which must not lose to the library's by more than "
        "that saves."
    ),
    signature="linear_relu(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
    reference=linear_relu_reference,
    cases=linear_relu_cases,
    hidden_cases=projections.hidden_cases,
    cost=projections.least_cost,
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("matmul", "epilogue", "fused"),
    starters=starter.load("linear_relu"),
)


def linear_gelu_reference(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, *, approximate: str = "none"
) -> torch.Tensor:
    import torch

    return torch.nn.functional.gelu(torch.nn.functional.linear(x, weight, bias), approximate=approximate)


def linear_gelu_cases(device: str) -> list[Case]:
    return [
        *projections.correctness_cases(device),
        correctness("none_by_name", tensor(33, 65, high=0.25), tensor(17, 65, high=0.25), tensor(17), approximate="none"),
        correctness("tanh", tensor(33, 65, high=0.25), tensor(17, 65, high=0.25), tensor(17), approximate="tanh"),
        correctness("tanh_no_bias", tensor(33, 65, high=0.25), tensor(17, 65, high=0.25), approximate="tanh"),
        correctness("tanh_large", tensor(31, 65, generator="large"), tensor(33, 65), tensor(33), approximate="tanh"),
        *linear_gelu_performance_cases(device),
    ]


def linear_gelu_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            projections.biased("vit_s16_mlp", "ViT-S/16 MLP, one image", (197, 384), 1536),
            projections.biased("gpt2_mlp", "GPT-2 MLP, 32 tokens", (32, 768), 3072, approximate="tanh"),
        ]
    return [
        projections.biased("bert_large_mlp", "BERT-large MLP, batch 8 of 512 tokens", (8, 512, 1024), 4096),
        projections.biased("vit_l16_mlp_fp16", "ViT-L/16 MLP, 32 images", (32, 197, 1024), 4096, "float16"),
        projections.biased("gpt2_mlp_fp16", "GPT-2 MLP, batch 8 of 1024 tokens", (8, 1024, 768), 3072, "float16", approximate="tanh"),
    ]


LINEAR_GELU = Op(
    slug="linear_gelu",
    title="Linear layer and GELU",
    summary="A linear layer whose outputs pass through GELU.",
    description=(
        "The input times the transposed weight, plus the bias where one is given, then GELU: x times the normal distribution function of "
        "x, or its approximation by tanh where approximate is 'tanh'. It is the first half of the MLP in BERT, GPT-2, ViT and Whisper. "
        "GELU costs some twenty instructions for each element, which compete with the product for the scheduler's slots when they come all "
        "at once at a tile's end; fast kernels let one tile's GELU overlap with the next tile's product."
    ),
    signature="linear_gelu(Tensor input, Tensor weight, Tensor? bias=None, *, str approximate='none') -> Tensor",
    reference=linear_gelu_reference,
    cases=linear_gelu_cases,
    hidden_cases=projections.hidden_cases,
    cost=projections.least_cost,
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("matmul", "epilogue", "fused"),
    starters=starter.load("linear_gelu"),
)


def linear_swiglu_reference(x: torch.Tensor, gate_weight: torch.Tensor, up_weight: torch.Tensor) -> torch.Tensor:
    import torch

    gate = torch.nn.functional.linear(x, gate_weight)
    return torch.nn.functional.silu(gate) * torch.nn.functional.linear(x, up_weight)


def linear_swiglu_cases(device: str) -> list[Case]:
    halves = ["float16", *(["bfloat16"] if takes_bfloat16(device) else [])]
    return [
        correctness("plain", tensor(64, 64), tensor(64, 64), tensor(64, 64)),
        correctness("odd", tensor(33, 65), tensor(17, 65), tensor(17, 65)),
        correctness("one_element", tensor(1, 1), tensor(1, 1), tensor(1, 1)),
        correctness("one_row", tensor(1, 129), tensor(31, 129), tensor(31, 129)),
        correctness("one_output", tensor(67, 43), tensor(1, 43), tensor(1, 43)),
        correctness("one_inner", tensor(67, 1), tensor(35, 1), tensor(35, 1)),
        correctness("long_inner", tensor(5, 1023), tensor(7, 1023), tensor(7, 1023)),
        correctness("batch", tensor(5, 11, 37), tensor(41, 37), tensor(41, 37)),
        correctness("transposed", transposed(37, 53), transposed(29, 53), tensor(29, 53)),
        correctness("one_buffer", padded(31, 45, 3), padded(19, 45, 45), padded(19, 45, 45)),
        correctness("small_gate", tensor(33, 65), tensor(17, 65, high=0.01), tensor(17, 65)),
        correctness("large", tensor(31, 65, generator="large"), tensor(33, 65), tensor(33, 65)),
        *(correctness(name, tensor(33, 65, dtype=name), *[tensor(47, 65, dtype=name, high=0.5)] * 2) for name in halves),
        correctness("long_inner_float16", tensor(9, 1777, dtype="float16"), *[tensor(11, 1777, dtype="float16", high=0.1)] * 2),
        *linear_swiglu_performance_cases(device),
    ]


def linear_swiglu_performance_cases(device: str) -> list[Case]:
    def case(name: str, source: str, tokens: int, inputs: int, outputs: int, dtype: str = "float32") -> Case:
        return performance(name, source, tensor(tokens, inputs, dtype=dtype), *[tensor(outputs, inputs, dtype=dtype)] * 2)

    if device == "cpu":
        return [
            case("stories15m", "Llama of 15 million parameters (stories15M), 256 tokens", 256, 288, 768),
            case("smollm_135m", "SmolLM 135M, 32 tokens", 32, 576, 1536),
        ]
    return [
        case("llama3_2_1b", "Llama 3.2 1B, 2048 tokens", 2048, 2048, 8192),
        case("llama3_8b_fp16", "Llama 3 8B, 1024 tokens", 1024, 4096, 14336, "float16"),
        case("mistral_7b_decode_fp16", "Mistral 7B, one token for each of 16 users", 16, 4096, 14336, "float16"),
    ]


def linear_swiglu_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, inputs, outputs = 2 * pick(1, 60) + 1, 2 * pick(1, 80) + 1, 2 * pick(1, 60) + 1
    return [
        hidden("odd", tensor(rows, inputs), tensor(outputs, inputs), tensor(outputs, inputs)),
        hidden("transposed", transposed(3, rows, 21), transposed(outputs, 21), tensor(outputs, 21)),
    ]


def linear_swiglu_cost(case: Case) -> Cost:
    x, gate_weight, _ = case.tensors
    rows, outputs = math.prod(x.shape[:-1]), gate_weight.shape[0]
    return cost(case, rows * outputs, x.dtype, flops=rows * outputs * (4 * x.shape[-1] + 5))


LINEAR_SWIGLU = Op(
    slug="linear_swiglu",
    title="SwiGLU of two linear layers",
    summary="Two linear layers of one input: SiLU of the first, times the second.",
    description=(
        "With gate = input times the transposed gate weight and up = input times the transposed up weight, the result is gate / (1 + "
        "exp(-gate)) * up. It is the wide half of the MLP in Llama, Mistral, Qwen and most language models of today, about half of their "
        "arithmetic. In eager mode gate and up each cross memory three times. A fused kernel reads each tile of the input once for both "
        "weights and holds two tiles of sums, which is what makes registers scarce."
    ),
    signature="linear_swiglu(Tensor input, Tensor gate_weight, Tensor up_weight) -> Tensor",
    reference=linear_swiglu_reference,
    cases=linear_swiglu_cases,
    hidden_cases=linear_swiglu_hidden_cases,
    cost=linear_swiglu_cost,
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("matmul", "epilogue", "fused"),
    starters=starter.load("linear_swiglu"),
)

OPS: tuple[Op, ...] = (LINEAR_RELU, LINEAR_GELU, LINEAR_SWIGLU)
