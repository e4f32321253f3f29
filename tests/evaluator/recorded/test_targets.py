"""Which torch functions may be an op's reference."""

from __future__ import annotations

import ast

import pytest
import torch

from evaluator.ops.recorded import Reference
from evaluator.ops.recorded.signature import call_text, python_parameters
from evaluator.ops.recorded.starter import starters
from evaluator.ops.recorded.targets import TargetError, callable_text, resolve


@pytest.mark.parametrize(
    "target",
    [
        "aten.softmax.int",
        "aten._softmax.default",
        "aten.add_.Tensor",
        "aten.native_batch_norm.default",
        "aten.index.Tensor",
        "torch.special.i0",
        "torch.nn.functional.gelu",
        "torch.linalg.norm",
        "torch.fft.rfft",
        "torch.Tensor.add",
        "torch.einsum",
    ],
)
def test_functions_of_tensors_are_found(target: str) -> None:
    assert callable(resolve(target))
    ast.parse(callable_text(target))


@pytest.mark.parametrize(
    "target",
    [
        "torch.load",
        "torch.save",
        "torch.from_file",
        "torch.hub.load",
        "torch.compile",
        "torch.set_num_threads",
        "torch.manual_seed",
        "torch.cuda.init",
        "torch.Tensor.numpy",
        "torch.Tensor.share_memory_",
        "torch.Tensor.__reduce_ex__",
        "torch.Tensor.__setstate__",
        "torch.Tensor.cuda",
        "torch.Tensor.shape",
        "torch.nn.functional.os",
        "torch.functional.torch",
        "torch.ops.load_library",
        "torch.os.system",
        "torch.sys",
        "torch.nothing",
        "torch.float32",
        "aten.from_file.default",
        "aten.from_file.out",
        "aten.empty.out",
        "aten.save.default",
        "aten.manual_seed.default",
        "aten.set_.source_Storage",
        "aten.set_.source_Tensor",
        "aten.resize_.default",
        "aten.record_stream.default",
        "aten.pin_memory.default",
        "aten.item.default",
        "aten.size.int",
        "aten._print.default",
        "aten.ones.default",
        "aten.softmax.nothing",
        "aten.nothing.default",
        "aten.softmax",
        "aten.__dir__.x",
        "prim.device.default",
        "builtins.eval",
        "os.system",
        "torch",
        "",
        "torch.relu()",
        "torch.relu\n",
        "torch." + "a" * 300,
    ],
)
def test_everything_else_is_refused(target: str) -> None:
    with pytest.raises(TargetError):
        resolve(target)


def test_the_reason_names_what_there_is() -> None:
    with pytest.raises(TargetError, match=r"aten.softmax has no overload nothing; it has int"):
        resolve("aten.softmax.nothing")


def test_an_in_place_reference_gives_none_and_writes() -> None:
    x = torch.tensor([-1.0, 2.0])

    assert Reference("aten.relu_.default", in_place=True)(x) is None
    assert x.tolist() == [0.0, 2.0]
    assert isinstance(Reference("aten.relu.default", in_place=False)(x), torch.Tensor)


@pytest.mark.parametrize(
    ("signature", "parameters", "call"),
    [
        ("softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", ["self", "dim", "dtype=None"], "self, dim, dtype"),
        ("add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", ["self", "other", "*", "alpha=1"], "self, other, alpha=alpha"),
        ("f(Tensor(a!) self, int[2] stride=[], int[2] padding=[0,1], str mode='a,b') -> (Tensor, Tensor)",
         ["self", "stride=()", "padding=(0, 1)", "mode='a,b'"], "self, stride, padding, mode"),
        ("f(Tensor lambda, float eps=1e-05, Layout? l=strided) -> Tensor", ["lambda_", "eps=1e-05", "l=None"], "lambda_, eps, l"),
        ("x) -> evil(", ["*args", "**kwargs"], "*args, **kwargs"),
        ("f(Tensor a=1, Tensor b) -> Tensor", ["*args", "**kwargs"], "*args, **kwargs"),
        ("f(Tensor a\n__import__('os')) -> Tensor", ["*args", "**kwargs"], "*args, **kwargs"),
        ("f(Tensor a:exit()) -> Tensor", ["*args", "**kwargs"], "*args, **kwargs"),
        ("f(Tensor a):exit()#) -> Tensor", ["*args", "**kwargs"], "*args, **kwargs"),
        ("no arrow", ["*args", "**kwargs"], "*args, **kwargs"),
    ],
)  # fmt: skip
def test_a_signature_becomes_parameters(signature: str, parameters: list[str], call: str) -> None:
    assert python_parameters(signature) == parameters
    assert call_text(parameters) == call


def test_a_signature_of_several_lines_is_no_code() -> None:
    source = starters("entry", "f(Tensor self\n) -> Tensor\nexit()", "aten.relu.default", "ieee_fp32")["torch"]

    assert "# f(Tensor self ) -> Tensor exit()\ndef entry(self):\n" in source


@pytest.mark.parametrize(
    "target", ["aten.max_pool2d_with_indices.default", "aten.native_layer_norm.default", "aten.convolution.default", "aten.gelu.default"]
)
def test_a_starter_calls_what_it_names(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    _, name, overload = target.split(".")
    signature = str(getattr(getattr(torch.ops.aten, name), overload)._schema)
    source = starters("entry", signature, target, "ieee_fp32")["torch"]
    scope: dict[str, object] = {}

    exec(source, scope)

    assert callable(scope["entry"])
    assert f"torch.ops.{target}(" in source
    assert torch.backends.cudnn.allow_tf32 is ("convolution" not in target)


def test_a_starter_of_a_convolution_in_tf32_leaves_torch_as_it_is() -> None:
    assert (
        "allow_tf32"
        not in starters("entry", "conv2d(Tensor input, Tensor weight) -> Tensor", "torch.nn.functional.conv2d", "tf32")["torch"]
    )
