"""An op as JSON: what is read is what was written, and what is wrong is said with its place."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import typing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.ops.definition import Argument, Case, DType, TensorSpec
from evaluator.ops.recorded import (
    DocumentError,
    Recorded,
    RecordedCase,
    Variation,
    document_of,
    from_document,
    load_file,
    read,
    to_document,
)
from evaluator.ops.recorded.arguments import argument_json, read_argument
from tests.evaluator.recorded.offers import softmax_document

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(st.characters(exclude_characters="\0", codec="ascii"), max_size=9),
)
tensors = st.builds(
    TensorSpec,
    st.lists(st.integers(0, 9), max_size=4).map(tuple),
    st.sampled_from(["float32", "bfloat16", "float16", "bool"]),
    st.sampled_from(["normal", "uniform", "special"]),
    st.floats(-5, 5),
    st.floats(-5, 5),
)
arguments = st.recursive(
    st.one_of(scalars, tensors, st.just(DType("float16"))), lambda one: st.lists(one, max_size=3).map(tuple), max_leaves=6
)


def like(a: Argument, b: Argument) -> bool:
    """Equal, of one type, and NaN is NaN."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(like, a, b))
    return type(a) is type(b) and (a == b or (a != a and b != b)) and str(a) == str(b)


@given(arguments)
def test_every_argument_survives_json(argument: Argument) -> None:
    text = json.dumps(argument_json(argument), allow_nan=False)

    assert like(read_argument(json.loads(text), "here"), argument)


@pytest.mark.parametrize("number", [1e16, 1e300, -0.0, 0.1, math.inf, -math.inf, 5e-324])
def test_floats_are_texts_because_databases_change_numbers(number: float) -> None:
    written = argument_json(number)

    assert written == {"float": repr(number)}
    assert math.copysign(1, typing.cast("float", read_argument(written, ""))) == math.copysign(1, number)


def test_what_is_read_is_what_was_written() -> None:
    recorded = read(softmax_document())

    assert read(document_of(recorded)) == recorded
    assert to_document(from_document(document_of(recorded))) == document_of(recorded)
    assert recorded.cases[1].case.args == (TensorSpec((7, 64), "float16", strides=(1, 7)), 1)
    assert recorded.cases[1].case.kwargs == {"dtype": DType("float32")}


def test_the_op_has_what_the_document_says() -> None:
    op = from_document(softmax_document())

    assert (op.slug, op.entry_point, op.aten, op.suites) == ("mine/softmax.int", "softmax__int_kernel_impl", "aten.softmax.int", ("mine",))
    assert [case.name for case in op.cases("h100")] == ["8x33_float32", "7x64_float16", "32x256_float32"]
    assert op.cost(op.performance_cases("cpu")[0]).bytes == 2 * 32 * 256 * 4
    assert op.cost(Case("hidden_1", "correctness", (TensorSpec((8, 66)), -1), hidden=True)).bytes == 2 * 8 * 66 * 4


def test_an_op_in_python_has_no_document() -> None:
    from evaluator.ops.registry import get

    with pytest.raises(ValueError, match="softmax is defined in Python"):
        to_document(get("softmax"))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("format", 2, "format: this evaluator reads format 1"),
        ("slug", "../etc/passwd", "slug: "),
        ("slug", "a//b", "slug: "),
        ("slug", None, "slug: expected a text, got NoneType"),
        ("entry_point", "os.system", "entry_point: 'os.system' is no name of a Python function"),
        ("target", "os.system", "target: 'os.system' is neither"),
        ("target", "torch.load.x", "target: 'torch.load.x' is neither"),
        ("target", "torch.Tensor.numpy", "target: torch.Tensor.numpy reaches past"),
        ("suites", [], "suites: an op belongs to at least one suite"),
        ("dtypes", ["float33"], "dtypes: 'float33' is not one of"),
        ("precision", "exact", "precision: 'exact' is not one of ieee_fp32"),
        ("mutates", [1], "mutates: cases[0] has only 1 tensors"),
        ("may_alias", 1, "may_alias: expected true or false, got 1"),
        ("colour", "red", "unknown field 'colour'"),
        ("title", "x" * 121, "title: a text of at most 120"),
        ("title", "x\x00", "title: a text of at most 120 characters without NUL"),
        ("cases", [], "cases: there is no correctness case for cpu"),
        ("cases/0/name", "7x64_float16", "cases: two correctness cases for cpu are named 7x64_float16"),
        ("cases/0/kind", "both", "cases[0].kind: 'both' is not one of correctness, performance"),
        ("cases/0/devices", "gpu", None),
        ("cases/0/args", [3], "cases[0]: has 0 tensors"),
        ("cases/0/args/0", {"eval": "1"}, "cases[0].args[0]: an object is {tensor: …}"),
        ("cases/0/args/1", [[[[[1]]]]], "cases[0].args[1][0][0][0][0]: lists are nested more than 4 deep"),
        ("cases/0/args/1", 2**63, "cases[0].args[1]: 9223372036854775808 does not fit into 64 bits"),
        ("cases/0/args/1", {"float": "x"}, "cases[0].args[1].float: 'x' is no number"),
        ("cases/0/kwargs", {"a b": 1}, "cases[0].kwargs: 'a b' is no name"),
        ("cases/0/flops", -1, "cases[0].flops: expected a whole number from 0"),
        ("cases/0/args/0/tensor/shape", [1 << 20, 1 << 20], "cases[0].args[0].tensor: the tensor takes 4398046511104 bytes"),
        ("cases/0/args/0/tensor/shape", [1.5], "cases[0].args[0].tensor.shape[0]: expected a whole number"),
        ("cases/0/args/0/tensor/strides", [1], "cases[0].args[0].tensor.strides: 1 strides for 2 dimensions"),
        ("cases/0/args/0/tensor/dtype", "int64", None),
        ("cases/0/args/0/tensor/dtype", "object", "cases[0].args[0].tensor.dtype: 'object' is not one of"),
        ("cases/0/args/0/tensor/generator", "evil", "cases[0].args[0].tensor.generator: 'evil' is not one of"),
        ("cases/0/args/0/tensor/low", math.inf, "cases[0].args[0].tensor.low: expected a finite number"),
        ("cases/0/args/0/tensor/low", 10**400, "cases[0].args[0].tensor.low: expected a finite number"),
        ("cases/0/args/1", math.nan, 'cases[0].args[1]: nan is no JSON; write {"float": "nan"}'),
        ("variations/0/case", "nothing", "variations[0].case: there is no correctness case nothing"),
        ("variations/0/size", 34, "variations[0].size: no dimension of 8x33_float32 has length 34"),
        ("variations/0/to", [0], "variations[0].to: lengths of at least 1"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(path: str, value: object, message: str | None) -> None:
    document = softmax_document()
    *parents, last = [int(part) if part.isdecimal() else part for part in path.split("/")]
    place: typing.Any = document
    for part in parents:
        place = place[part]
    place[last] = value

    if message is None:
        read(document)
        return
    with pytest.raises(DocumentError) as error:
        read(document)
    assert str(error.value).startswith(message)


def test_integers_need_a_range() -> None:
    with pytest.raises(DocumentError, match="leave no integers to draw"):
        read_argument({"tensor": {"shape": [2], "dtype": "int64", "low": 3, "high": 3}}, "here")
    with pytest.raises(DocumentError, match="must be whole numbers"):
        read_argument({"tensor": {"shape": [2], "dtype": "int64", "low": 0.5, "high": 3}}, "here")


@pytest.mark.parametrize("document", [None, [], "x", 3, {}, {"format": "1"}, {"format": 1, "slug": {}}])
def test_what_is_no_document_is_refused(document: object) -> None:
    with pytest.raises(DocumentError):
        read(document)


def test_a_document_has_a_bounded_size() -> None:
    with pytest.raises(DocumentError, match="1048576 are allowed"):
        read({**softmax_document(), "description": "x" * 2**20})


def test_bfloat16_is_left_out_where_it_cannot_be_had() -> None:
    def case(name: str, dtype: str) -> RecordedCase:
        return RecordedCase(Case(name, "correctness", (TensorSpec((4, 4), dtype),)))

    both, only = (case("a", "float32"), case("b", "bfloat16")), (case("b", "bfloat16"),)

    def names(cases: tuple[RecordedCase, ...], device: str) -> list[str]:
        recorded = Recorded("m/x", "x", "", "x() -> Tensor", "torch.relu", "f", ("m",), (), cases)
        return [one.name for one in recorded.op().cases(device)]

    assert names(both, "h100") == ["a", "b"]
    assert names(both, "cpu") == names(both, "t4") == ["a"]
    assert names(only, "cpu") == ["b"]


def test_hidden_cases_have_lengths_that_were_tried() -> None:
    op = from_document(softmax_document())

    (drawn,) = op.hidden_cases(lambda low, high: high, "cpu")
    assert drawn == Case("hidden_1", "correctness", (TensorSpec((8, 67)), -1), hidden=True)
    assert read(softmax_document()).variations == (Variation("8x33_float32", 33, (11, 45, 67)),)


def test_reading_needs_no_torch() -> None:
    script = (
        "import sys, json; sys.modules.update(dict.fromkeys(('torch', 'triton', 'numpy')))\n"
        "from evaluator.ops.recorded import from_document, to_document\n"
        "op = from_document(json.load(sys.stdin)); op.cases('cpu'); op.hidden_cases(lambda low, high: low, 'cpu')\n"
        "print(op.starters['torch'])"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], input=json.dumps(softmax_document()), capture_output=True, text=True, cwd=Path(__file__).parents[3]
    )

    assert done.returncode == 0, done.stderr
    assert "def softmax__int_kernel_impl(self, dim, dtype=None):\n    return torch.ops.aten.softmax.int(self, dim, dtype)" in done.stdout


class TestFiles:
    @pytest.mark.parametrize("wrap", [lambda d: d, lambda d: [d], lambda d: {"ops": [d]}, lambda d: {"slug": "x", "document": d}])
    def test_a_file_holds_one_or_many(self, tmp_path: Path, wrap: typing.Callable[[object], object]) -> None:
        file = tmp_path / "ops.json"
        file.write_text(json.dumps(wrap(softmax_document())))

        assert list(load_file(file)) == ["mine/softmax.int"]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("{", "is not JSON"),
            (json.dumps([softmax_document()] * 2), "two ops have the slug mine/softmax.int"),
            (json.dumps([softmax_document(), {**softmax_document(), "slug": "b", "title": 3}]), "op b: title: expected a text"),
        ],
    )
    def test_a_wrong_file_says_which_op(self, tmp_path: Path, content: str, message: str) -> None:
        file = tmp_path / "ops.json"
        file.write_text(content)

        with pytest.raises(DocumentError, match=message):
            load_file(file)

    def test_a_missing_file_says_so(self, tmp_path: Path) -> None:
        with pytest.raises(DocumentError, match=r"none\.json: cannot be read: No such file"):
            load_file(tmp_path / "none.json")
