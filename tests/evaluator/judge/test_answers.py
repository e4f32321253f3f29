"""Any JSON value that a candidate answers with is read as a result or found to be none: never another error."""

from __future__ import annotations

import contextlib
import typing

from hypothesis import given
from hypothesis import strategies as st

from evaluator.contract import dumps
from evaluator.judge.answers import MAX_TEXT, CallFailed, Returned, Timed, calls_of, error_of, text_of, timed_of
from evaluator.judge.peer import PeerBrokeProtocol

WORDS = ["error", "kind", "type", "message", "traceback", "callables", "calls", "outputs", "shape", "strides", "dtype", "device", "layout"]
WORDS += ["alias", "samples_ns", "host_ns", "kept", "peak_bytes", "id"]
TEXTS = st.one_of(
    st.text(max_size=20), st.sampled_from(["torch.Tensor", "strided", "out_of_memory", "no_entry_point", "float32", "\x00", "\ud800"])
)
NUMBERS = st.one_of(st.integers(), st.integers(-(2**70), 2**70), st.floats(), st.booleans(), st.none())
SCALARS = st.one_of(NUMBERS, TEXTS)


def _containers(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    names = st.one_of(st.sampled_from(WORDS), st.text(max_size=5))
    return st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=8))


VALUES: st.SearchStrategy[object] = st.recursive(SCALARS, _containers, max_leaves=30)
OBJECTS = st.dictionaries(st.sampled_from(WORDS), VALUES, max_size=8)
OUTPUTS = st.fixed_dictionaries(
    {"type": st.one_of(st.just("torch.Tensor"), VALUES), "layout": st.one_of(st.just("strided"), VALUES)},
    optional={
        "shape": st.one_of(st.lists(NUMBERS, max_size=3), VALUES),
        "strides": st.one_of(st.lists(NUMBERS, max_size=3), VALUES),
        "dtype": VALUES,
        "device": VALUES,
        "alias": VALUES,
    },
)
CALLS = st.fixed_dictionaries(
    {"calls": st.lists(st.one_of(st.fixed_dictionaries({"outputs": st.lists(OUTPUTS, max_size=3)}), VALUES), max_size=3)}
)
Answers = dict[str, object]


@given(st.one_of(OBJECTS, CALLS), st.integers(1, 3))
def test_calls(answer: Answers, count: int) -> None:
    with contextlib.suppress(PeerBrokeProtocol):
        results = calls_of(answer, count)

        assert len(results) == count
        for result in results:
            assert isinstance(result, (CallFailed, Returned))
            if isinstance(result, Returned):
                _shown(
                    result.wrong_type, result.sparse, result.alias, *(text for meta in result.metas for text in (meta.dtype, meta.device))
                )
                assert all(len(meta.shape) == len(meta.strides) and min((*meta.shape, 0)) == 0 for meta in result.metas)


@given(st.one_of(OBJECTS, st.fixed_dictionaries({"error": st.one_of(OBJECTS, VALUES)})), st.booleans())
def test_errors(answer: Answers, importing: bool) -> None:
    with contextlib.suppress(PeerBrokeProtocol):
        failed = error_of(answer, importing=importing)

        assert (failed is None) == ("error" not in answer)
        if failed is not None:
            dumps(failed.reason).encode()
            assert "\x00" not in dumps(failed.reason)
            assert len(failed.reason.detail) <= MAX_TEXT


@given(
    st.one_of(
        OBJECTS,
        st.fixed_dictionaries(
            {"samples_ns": st.lists(NUMBERS, max_size=3), "host_ns": st.lists(NUMBERS, max_size=3), "kept": VALUES, "peak_bytes": NUMBERS}
        ),
    ),
    st.integers(1, 3),
)
def test_times(answer: Answers, count: int) -> None:
    with contextlib.suppress(PeerBrokeProtocol):
        timed = timed_of(answer, count)

        assert isinstance(timed, Timed)
        assert len(timed.samples_ns) == len(timed.host_ns) == count
        assert all(type(n) is int and 0 <= n < 2**63 for n in (*timed.samples_ns, *timed.host_ns, timed.peak_bytes))
        assert timed.kept in (True, False)


def test_an_honest_answer_is_read() -> None:
    output = {
        "type": "torch.Tensor",
        "layout": "strided",
        "shape": [2, 3],
        "strides": [3, 1],
        "dtype": "float32",
        "device": "cpu",
        "alias": "",
    }

    (result,) = calls_of({"calls": [{"outputs": [output]}]}, 1)

    assert isinstance(result, Returned)
    assert result.metas[0].shape == (2, 3)


def _shown(*texts: typing.Any) -> None:
    for text in texts:
        assert isinstance(text, str)
        assert "\x00" not in text
        text.encode()


@given(st.text(max_size=50), st.text(max_size=50), st.booleans())
def test_a_message_is_one_line_and_nothing_of_it_is_lost(said: str, traceback: str, importing: bool) -> None:
    failed = error_of({"error": {"kind": "exception", "type": "E", "message": said, "traceback": traceback}}, importing=importing)

    assert failed is not None
    first, _, more = text_of(said).partition("\n")
    assert failed.reason.message.endswith(f": {first}")
    assert "\n" not in failed.reason.message
    assert more.strip("\n") in failed.reason.detail
