"""What a submission writes to the judge's channel ends its own evaluation and no other."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from evaluator.contract import Limits, Verdict
from tests.evaluator.judge.conftest import Judged
from tests.evaluator.judge.kernels import hostile

FORGED = {
    "garbage": "b'\\xde\\xad\\xbe\\xef' * 64",
    "oversized frame": "struct.pack('>I', 2**31)",
    "not JSON": "frame(b'not json')",
    "deep nesting": "frame(b'[' * 500_000)",
    "wrong number": "frame({'id': 99, 'calls': []})",
    "sizes as text": "frame(answers_to_first_call(shape=['64', '128']))",
    "NaN for a size": "frame(answers_to_first_call(shape=[float('nan'), 128]))",
    "negative size": "frame(answers_to_first_call(shape=[-64, 128]))",
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_frame(judged: Judged, name: str) -> None:
    outcome = judged(hostile(f"os.write(channel, {FORGED[name]})\nreturn torch.relu(x)"))

    assert outcome.verdict is Verdict.REJECTED, outcome.reasons
    (reason,) = outcome.reasons
    assert reason.code == "protocol_broken"
    assert "descriptor" in reason.hint


def test_answer_that_claims_a_right_output_without_one(judged: Judged) -> None:
    outcome = judged(hostile("os.write(channel, frame(answers_to_first_call()))\ntime.sleep(3600)"), limits=Limits(check_s=3))

    assert (outcome.cases[0].passed, outcome.cases[0].verdict) == (False, Verdict.WRONG_RESULT)
    assert outcome.cases[0].mismatches[0].got == "nan"
    assert outcome.verdict is Verdict.TIMEOUT  # the second case is never answered


def test_answers_to_all_commands_at_once(judged: Judged) -> None:
    outcome = judged(
        hostile("for n in range(3, 60):\n    os.write(channel, frame({**answers_to_first_call(), 'id': n}))\nreturn torch.relu(x)")
    )

    # Which forged answer is read for which call depends on who is quicker: a case of another shape may be the first with a wrong one.
    assert outcome.verdict in (Verdict.WRONG_RESULT, Verdict.WRONG_SHAPE, Verdict.REJECTED), outcome.reasons


def test_closing_the_channel(judged: Judged) -> None:
    outcome = judged(hostile("os.close(channel)\nreturn torch.relu(x)"))

    assert outcome.verdict in (Verdict.CRASHED, Verdict.TIMEOUT), outcome.reasons


def test_shutting_the_channel_down_and_living_on(judged: Judged) -> None:
    outcome = judged(hostile("import socket\nsocket.socket(fileno=os.dup(channel)).shutdown(socket.SHUT_RDWR)\ntime.sleep(3600)"))

    assert outcome.verdict is Verdict.CRASHED, outcome.reasons


def test_reading_the_commands_away(judged: Judged) -> None:
    body = """
        import threading
        def read():
            while True:
                os.read(channel, 65536)
        threading.Thread(target=read, daemon=True).start()
        return torch.relu(x)
    """
    outcome = judged(hostile(body), limits=Limits(check_s=3))

    assert outcome.verdict in (Verdict.TIMEOUT, Verdict.CRASHED, Verdict.RUNTIME_ERROR), outcome.reasons


def test_half_a_frame_does_not_blind_the_watch_over_memory(judged: Judged) -> None:
    body = """
        os.write(channel, b'\\x00\\x00')
        files = []
        for _ in range(16):
            files.append(os.memfd_create('more'))
            for _ in range(16):
                os.write(files[-1], bytes(16 << 20))
        time.sleep(3600)
    """
    outcome = judged(hostile(body), limits=Limits(check_s=30, memory_bytes=1 << 30))

    assert outcome.verdict is Verdict.OUT_OF_MEMORY, outcome.reasons


def test_half_a_frame_does_not_keep_an_evaluation_from_being_cancelled(judged: Judged) -> None:
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 20

    outcome = judged(hostile("os.write(channel, b'\\x00\\x00')\ntime.sleep(3600)"), limits=Limits(check_s=30), cancelled=cancelled)

    assert outcome.verdict is Verdict.CANCELLED, outcome.reasons


def test_descriptors_sent_to_the_judge_are_dropped(judged: Judged) -> None:
    body = """
        import array, socket
        if not hasattr(torch, "sent"):
            torch.sent = True
            side = socket.socket(fileno=os.dup(channel))
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [os.open("one-that-was-sent", os.O_CREAT)]))]
            side.sendmsg([b"\\x00"], rights)
        return torch.relu(x)
    """
    outcome = judged(hostile(body))

    assert outcome.verdict is Verdict.REJECTED, outcome.reasons
    assert not [name for name in _open_files() if "one-that-was-sent" in name]


def _open_files() -> list[str]:
    """What this process, and so the judge, holds open."""
    names = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # that of the listing itself
            names.append(str(descriptor.readlink()))
    return names
