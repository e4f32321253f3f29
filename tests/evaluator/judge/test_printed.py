"""What a kernel prints is told while it runs, in pieces, once, and never beside a clock."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from evaluator.contract import Event, Mode, Verdict
from evaluator.judge.printed import MOST_AT_ONCE, MOST_IN_ALL, Printed
from evaluator.sandbox.captured import CapturedOutput
from tests.evaluator.judge.conftest import Judged
from tests.evaluator.judge.kernels import relu


class Scripted:
    """A process that has printed what a test says."""

    def __init__(self) -> None:
        self.said = b""

    def printed(self, position: int) -> tuple[bytes, int]:
        return self.said[position:], len(self.said)


def told(pieces: list[bytes]) -> list[str]:
    found: list[Event] = []
    process, printed = Scripted(), Printed(found.append)
    printed.follow(process)  # type: ignore[arg-type]
    for piece in pieces:
        process.said += piece
        printed.tell()
    return [str(event.data["text"]) for event in found]


@given(st.lists(st.text(max_size=20).map(str.encode), max_size=8), st.data())
def test_every_character_is_told_once_however_the_bytes_come(texts: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(texts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]

    assert "".join(told(pieces)) == whole.decode().replace("\x00", "�")


def test_of_a_flood_the_newest_is_told_and_then_no_more() -> None:
    flood = [b"x" * 10 * MOST_AT_ONCE + b"the end\n"] * (MOST_IN_ALL // MOST_AT_ONCE + 5)

    texts = told(flood)

    assert len(texts) == MOST_IN_ALL // MOST_AT_ONCE
    assert texts[0].startswith(f"[… {9 * MOST_AT_ONCE + 8} bytes are not shown while it runs …]")
    assert texts[0].endswith("the end\n")
    assert "more is not shown" in texts[-1]


def test_before_a_process_is_there_nothing_is_told() -> None:
    Printed(lambda event: None).tell()


def test_what_was_printed_can_be_read_along_and_again() -> None:
    output = CapturedOutput(8)
    end = os.dup(output.writer)
    output.start()
    os.write(end, b"0123456789abcdef")
    os.close(end)
    assert output.join(10)

    assert output.since(0) == (b"0123cdef", 16)
    assert output.since(14) == (b"ef", 16)
    assert output.since(16) == (b"", 16)
    assert output.since(2)[0] == b"23cdef"


def test_a_kernel_that_prints_is_heard_case_by_case_and_its_log_is_whole(evaluate: Judged) -> None:
    events: list[Event] = []

    outcome = evaluate(relu("print('called with', tuple(x.shape))\nreturn torch.relu(x)"), mode=Mode.BENCHMARK, emit=events.append)

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    kinds = [event.kind for event in events]
    assert kinds.index("log") < kinds.index("case") < len(kinds) - 1 - kinds[::-1].index("log")
    live = "".join(str(event.data["text"]) for event in events if event.kind == "log")
    assert live.count("called with") > len(outcome.cases)
    timed = kinds.index("stage", kinds.index("case"))
    assert all(kinds[number + 1] == "case" for number in range(timed, len(kinds) - 1) if kinds[number] == "log")
