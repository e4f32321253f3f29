"""The judge as a process of its own, as a worker commands it."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluator.calibration import store
from evaluator.calibration.record import Calibration, Figure, fingerprint
from evaluator.contract import EvaluationRequest, Event, Flag, KernelType, Limits, Mode, State, Verdict
from evaluator.runners.local import LocalRunner, RunnerError
from evaluator.sandbox.tree import descendants

pytestmark = pytest.mark.xdist_group("runner")
GOOD = "import torch\n\ndef relu_kernel_impl(x):\n    return torch.relu(x)\n"
ENDLESS = "import torch\n\ndef relu_kernel_impl(x):\n    while True:\n        pass\n"
SECRET = "postgresql://kbweb:a-secret-that-nobody-may-see@127.0.0.1/kbweb"
GONE_S = 15.0


def request(source: str = GOOD, mode: Mode = Mode.TEST, op: str = "relu") -> EvaluationRequest:
    return EvaluationRequest(op, source, KernelType.TORCH, "cpu", mode, limits=Limits(check_s=60, timing_case_s=0.3))


@pytest.fixture(scope="module")
def calibrations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder where the judge looks for them, empty."""
    return tmp_path_factory.mktemp("calibrations")


@pytest.fixture(scope="module")
def runner(calibrations: Path) -> Iterator[LocalRunner]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("DATABASE_URL", "KB_TOKEN", "SECRET_KEY", "KB_BROKER_URL", "PGPASSWORD"):
            patch.setenv(name, SECRET)
        patch.setenv("KB_CALIBRATION_DIR", str(calibrations))
        runner = LocalRunner("cpu")
        runner.start()
    yield runner
    runner.close()


@pytest.fixture
def started(runner: LocalRunner) -> Callable[[], set[int]]:
    """The judge and everything that it started and that still runs."""
    return lambda: {judge_of(runner), *descendants(judge_of(runner))}


def judge_of(runner: LocalRunner) -> int:
    assert runner._process is not None
    return runner._process.pid


def await_end(pids: set[int]) -> set[int]:
    """Those that are still there after a while. A process is gone when all of its threads are, which `/proc/<pid>/stat` does not tell."""
    deadline = time.monotonic() + GONE_S
    return {pid for pid in pids if not _ends(pid, max(0.0, deadline - time.monotonic()))}


def _ends(pid: int, timeout_s: float) -> bool:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], timeout_s)[0])
    finally:
        os.close(handle)


def test_no_secret_is_in_the_environment_of_the_judge_or_of_what_it_starts(runner: LocalRunner) -> None:
    processes = {judge_of(runner), *descendants(judge_of(runner))}

    texts = {pid: Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace") for pid in processes if not _ends(pid, 0)}
    assert len(texts) >= 3  # the judge, its baseline, its spare
    for text in texts.values():
        assert "a-secret" not in text
        assert not {"DATABASE_URL", "KB_TOKEN", "SECRET_KEY"} & {pair.partition("=")[0] for pair in text.split("\0")}


def test_facts(runner: LocalRunner) -> None:
    facts = runner.facts()

    assert facts["device_name"]
    assert facts["environment"]["torch"]
    assert facts["sandbox"]["host_uid"]


def test_a_calibration_counts_from_when_it_is_there(runner: LocalRunner, calibrations: Path) -> None:
    before = runner.facts()

    now = fingerprint(before["environment"])
    figures = {"copy": (Figure("copy", 1e10, 1e10, 1e10, 5),)}
    kept = store.save(Calibration("cpu", "2026-11-21T12:00:00+00:00", 1.0, now, bytes_per_s=figures), "cpu", calibrations)
    after = runner.facts()
    kept.unlink()

    assert before["calibration"] == {"note": "not calibrated: kb doctor --calibrate"}
    assert (after["calibration"]["note"], after["calibration"]["bytes_per_s"]) == ("measured 2026-11-21", 1e10)


def test_events_come_in_order(runner: LocalRunner) -> None:
    events: list[Event] = []

    outcome = runner.run(request(mode=Mode.BENCHMARK), on_event=events.append)

    assert outcome.verdict in (Verdict.ACCEPTED, Verdict.SUSPECT), outcome.reasons  # a busy machine can make two clocks disagree
    stages = [event.data["stage"] for event in events if event.kind == "stage"]
    assert stages == [State.CHECKING, State.TIMING]
    assert events[0].kind == "stage"
    cases = [event.data["name"] for event in events if event.kind == "case"]
    assert cases == [case.name for case in outcome.cases]
    timing_from = next(i for i, event in enumerate(events) if event.data.get("stage") == State.TIMING)
    assert {event.data["kind"] for event in events[:timing_from] if event.kind == "case"} == {"correctness"}
    assert {event.data["kind"] for event in events[timing_from:] if event.kind == "case"} == {"performance"}
    assert any(event.kind == "timing" for event in events[timing_from:])
    assert all(not (event.data.get("timing") or {}).get("samples_us") for event in events if event.kind == "case")  # type: ignore[union-attr]
    assert any(case.timing and case.timing.samples_us for case in outcome.cases)


def test_cancelling_takes_about_a_moment(runner: LocalRunner) -> None:
    times: list[float] = []

    def cancelled() -> bool:
        """Yes, once the submission's call runs."""
        if checking and not times:
            times.append(time.monotonic())
        return bool(times)

    checking: list[Event] = []
    outcome = runner.run(request(ENDLESS), on_event=checking.append, cancelled=cancelled)
    took = time.monotonic() - times[0]

    assert outcome.verdict is Verdict.CANCELLED
    assert took < 2 + _slack()
    assert runner.run(request()).verdict is Verdict.ACCEPTED


def test_cancelling_between_short_commands(runner: LocalRunner) -> None:
    """Each call is quick: no single wait is long enough to look at the clock."""
    asked: list[float] = []
    timing: list[Event] = []

    def cancelled() -> bool:
        if timing:
            asked.append(time.monotonic())
        return bool(asked)

    def on_event(event: Event) -> None:
        if event.data.get("stage") == State.TIMING:
            timing.append(event)

    slow_to_time = EvaluationRequest("mm", get_mm(), KernelType.TORCH, "cpu", Mode.BENCHMARK, limits=Limits(timing_case_s=60))
    outcome = runner.run(slow_to_time, on_event=on_event, cancelled=cancelled)

    assert outcome.verdict is Verdict.CANCELLED
    assert time.monotonic() - asked[0] < 2 + _slack()


def get_mm() -> str:
    return "import torch\n\ndef mm_kernel_impl(a, b):\n    return torch.mm(a, b)\n"


def _slack() -> float:
    """Other tests and people use this machine too."""
    return 1.0 + 0.5 * os.getloadavg()[0]


def test_judge_killed_in_the_middle_is_our_failure_and_the_next_run_works(runner: LocalRunner, started: Callable[[], set[int]]) -> None:
    runner.facts()  # answered once the spare of the last evaluation is there
    before: set[int] = set()

    def kill(event: Event) -> None:
        if not before:
            before.update(started())
            os.kill(judge_of(runner), signal.SIGKILL)

    with pytest.raises(RunnerError, match="judge process ended"):
        runner.run(request(ENDLESS), on_event=kill)

    assert len(before) >= 3
    assert await_end(before) == set(), "the candidate outlived its judge"
    assert runner.run(request()).verdict is Verdict.ACCEPTED


def test_judge_killed_between_runs_is_started_again(runner: LocalRunner) -> None:
    runner.facts()
    first = judge_of(runner)
    os.kill(first, signal.SIGKILL)
    await_end({first})

    assert runner.run(request()).verdict is Verdict.ACCEPTED
    assert judge_of(runner) != first


def test_request_that_the_judge_cannot_read_is_our_failure(runner: LocalRunner) -> None:
    with pytest.raises(RunnerError, match="UnknownOp"):
        runner.run(request(op="no-such-op"))

    assert runner.run(request()).verdict is Verdict.ACCEPTED


def test_one_submissions_flags_are_not_the_nexts(runner: LocalRunner) -> None:
    forks = "import os, time, torch\nif os.fork() == 0:\n    time.sleep(3600)\n" + GOOD

    first, second = runner.run(request(forks)), runner.run(request())

    assert (first.verdict, first.flags) == (Verdict.ACCEPTED, (Flag.LEFT_PROCESSES,))
    assert (second.verdict, second.flags) == (Verdict.ACCEPTED, ())


def test_close_leaves_no_process(runner: LocalRunner, started: Callable[[], set[int]]) -> None:
    runner.facts()
    before = {judge_of(runner), *descendants(judge_of(runner))}
    assert len(before) >= 3

    runner.close()
    runner.close()

    assert await_end(before) == set()


def test_a_listener_that_fails_ends_its_evaluation_and_leaves_none_of_it_to_the_next(runner: LocalRunner) -> None:
    runner.facts()
    running: set[int] = set()

    def stop(event: Event) -> None:
        running.update({judge_of(runner), *descendants(judge_of(runner))})
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner.run(request(ENDLESS), on_event=stop)

    assert len(running) >= 3
    assert await_end(running) == set()
    assert runner.run(request()).verdict is Verdict.ACCEPTED


def test_judge_that_cannot_start_says_so() -> None:
    runner = LocalRunner("cpu", sandbox_mode="nonsense")  # type: ignore[arg-type]

    with pytest.raises(RunnerError, match="judge process ended"):
        runner.run(request())

    runner.close()
