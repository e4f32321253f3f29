"""One traced call as text: a closed set of values, nothing evaluated."""

from __future__ import annotations

import math
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.ops.definition import DType, TensorSpec
from evaluator.ops.traces.grammar import DTYPES, CallError, Marker, Value, parse_call
from evaluator.ops.traces.recipe import plain


def one(text: str) -> Value:
    ((value,), kwargs) = parse_call(f"(({text},), {{}})")
    assert kwargs == {}
    return value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("T([4, 8], f16)", TensorSpec((4, 8), "float16")),
        ("T([], f32)", TensorSpec((), "float32")),
        ("T([0, 3], i64)", TensorSpec((0, 3), "int64")),
        ("T([4, 8], bf16, [8, 1])", TensorSpec((4, 8), "bfloat16", strides=(8, 1))),
        ("T([4, 8], f64, stride=(0, 1))", TensorSpec((4, 8), "float64", strides=(0, 1))),
        ("T((4, 8), b8, stride=None)", TensorSpec((4, 8), "bool")),
        ("T([4], torch.float32)", TensorSpec((4,), "float32")),
        ("T([4], 'u8')", TensorSpec((4,), "uint8")),
        ("T([4], c64, device='cuda')", TensorSpec((4,), "complex64")),
        ("[T([4], i8), T([5], i16)]", (TensorSpec((4,), "int8"), TensorSpec((5,), "int16"))),
        ("[None, T([4], i32)]", (None, TensorSpec((4,), "int32"))),
        ("[]", ()),
        ("[[1, -2], (3,)]", ((1, -2), (3,))),
        ("f16", DType("float16")),
        ("'bf16'", DType("bfloat16")),
        ("torch.bool", DType("bool")),
        ("th.half", DType("float16")),
        ("torch.strided", Marker("layout", "strided")),
        ("torch.channels_last", Marker("memory_format", "channels_last")),
        ("torch.device('cuda')", Marker("device", "cuda")),
        ("device(type='cuda', index=0)", Marker("device", "cuda")),
        ("\"torch.device('cpu')\"", Marker("device", "cpu")),
        ("'tanh'", "tanh"),
        ("None", None),
        ("True", True),
        ("-1", -1),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("1e-05", 1e-05),
        ("-0.5", -0.5),
        ("inf", math.inf),
        ("-inf", -math.inf),
        ("float('-inf')", -math.inf),
        ("torch.inf", math.inf),
    ],
)
def test_forms_that_traces_use(text: str, value: object) -> None:
    found = one(text)

    assert found == value
    assert type(found) is type(value)


def test_nan_is_a_float() -> None:
    assert math.isnan(float(str(one("nan"))))
    assert math.isnan(float(str(one("float('nan')"))))


@pytest.mark.parametrize("name", DTYPES)
def test_every_abbreviation_is_a_dtype(name: str) -> None:
    assert one(name) == DType(DTYPES[name])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("T([4, 8])", r"a tensor is T\(shape, dtype\)"),
        ("T([4], f16, [1], [2])", r"a tensor is T\(shape, dtype\)"),
        ("T([4], f16, colour=1)", r"a tensor is T\(shape, dtype\)"),
        ("T([4], 3)", "3 is no dtype"),
        ("T([4], c32)", "tensors of complex32 are not supported"),
        ("T([4, 8], f16, [1])", "1 strides for 2 dimensions"),
        ("T([4, -8], f16)", "-8 is no length"),
        ("T([4, 1.5], f16)", "1.5 is no length"),
        ("T([True], f16)", "True is no length"),
        ("T(4, f16)", "4 is no list of at most 12 lengths"),
        ("T([1]*9, f16)", r"\[1\] \* 9 is not known here"),
        ("T([1000000, 1000000], f16)", "the tensor takes 2000000000000 bytes"),
        ("T([2, 2], f16, [1000000000000, 1])", "the tensor takes"),
        ("__import__('os').system('true')", "is not known here"),
        ("open('/etc/passwd')", "is not known here"),
        ("torch.load('x')", "is not known here"),
        ("torch.__dict__", "torch.__dict__ is not known here"),
        ("torch.ops.aten.add", "is not known here"),
        ("().__class__", "is not known here"),
        ("[x for x in ()]", "is not known here"),
        ("lambda: 0", "is not known here"),
        ("f'{1}'", "is not known here"),
        ("1 + 1", "is not known here"),
        ("1j", "is of a kind that is not known here"),
        ("b'x'", "is of a kind that is not known here"),
        ("...", "is of a kind that is not known here"),
        ("-None", "-None is no number"),
        ("-True", "-True is no number"),
        ("whatever", "the name 'whatever' is not known here"),
        ("{1: 2}", "is not known here"),
        ("*x", "is not known here"),
        ("99999999999999999999", "does not fit into 64 bits"),
        ("[torch.strided]", "a layout .strided. in a list"),
        ("[" * 11 + "]" * 11, "nested 13 deep"),
        ("[" + "1," * 300 + "]", "300 items, 256 are allowed"),
        ("'" + "x" * 40_000 + "'", "32768 are allowed"),
        ("(", "this is no list of arguments"),
        ("'\\N{x}'", "this is no list of arguments"),
        ("torch.device(0)", "is not known here"),
        ("'device(evil'", "is no device"),
    ],
)
def test_everything_else_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(CallError, match=message):
        one(text)


@pytest.mark.parametrize("text", ["", "()", "((), {}, 1)", "[(), {}]", "((1,), {1: 2})", "((1,), {'a b': 2})", "((1,), {**x})", "(1, {})"])
def test_a_call_is_a_tuple_and_a_dictionary(text: str) -> None:
    with pytest.raises(CallError):
        parse_call(text)


def test_nothing_is_evaluated(tmp_path: object) -> None:
    marker = os.path.join(str(tmp_path), "here")  # noqa: PTH118 (a text for the trace)

    with pytest.raises(CallError):
        parse_call(f"((T([1], f32), open({marker!r}, 'w')), {{}})")

    assert not os.path.exists(marker)  # noqa: PTH110


@given(st.text(max_size=60))
def test_any_text_gives_a_call_or_a_refusal(text: str) -> None:
    try:
        parse_call(f"(({text},), {{}})")
    except CallError as error:
        assert str(error)


class TestPlain:
    def test_what_says_where_a_tensor_lies_is_left_out(self) -> None:
        text = (
            "((T([4], f32),), {'dtype': f16, 'layout': torch.strided, 'device': 'cuda', 'pin_memory': False, 'non_blocking': True, "
            "'memory_format': torch.contiguous_format, 'generator': None})"
        )

        assert plain(*parse_call(text)) == ((TensorSpec((4,), "float32"),), {"dtype": DType("float16")})

    @pytest.mark.parametrize(
        ("kwargs", "message"),
        [
            ("{'device': 'cpu'}", "device='cpu' moves data"),
            ("{'device': torch.device('meta')}", "device='meta' moves data"),
            ("{'layout': torch.sparse_coo}", "layout=torch.sparse_coo cannot be passed on"),
            ("{'memory_format': torch.channels_last}", "memory_format=torch.channels_last cannot be passed on"),
        ],
    )
    def test_what_a_kernel_cannot_be_given_is_refused(self, kwargs: str, message: str) -> None:
        with pytest.raises(CallError, match=message):
            plain(*parse_call(f"((T([4], f32),), {kwargs})"))

    def test_a_device_by_position_is_refused(self) -> None:
        with pytest.raises(CallError, match=r"a device .cuda. by position"):
            plain(*parse_call("((T([4], f32), device('cuda')), {})"))


@pytest.mark.parametrize("text", ["-" * 1500 + "1", "+".join("1" * 1500)])
def test_signs_and_sums_without_end_are_refused(text: str) -> None:
    with pytest.raises(CallError):
        parse_call(f"(({text},), {{}})")
