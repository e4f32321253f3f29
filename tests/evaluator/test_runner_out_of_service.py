"""A judge whose device failed its probe tells its runner so, in words and apart from other failures."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from evaluator.contract import EvaluationRequest, KernelType
from evaluator.judge.judge import Judge
from evaluator.judge.service import MAX_FRAME_BYTES, Service
from evaluator.protocol import Channel, ChannelClosed, pair
from evaluator.runners.local import LocalRunner, OutOfServiceError, RunnerError

FAULT = "GPU 0 failed its probe: it did not finish a trivial kernel within 30 s"
REQUEST = EvaluationRequest("relu", "import torch\n", KernelType.TORCH)


class Attached(LocalRunner):
    """A runner on a judge in this process."""

    def __init__(self, channel: Channel) -> None:
        super().__init__("cpu")
        self._channel = channel

    def start(self) -> None:
        assert self._channel is not None


@pytest.fixture
def judge() -> Iterator[Judge]:
    judge = Judge("cpu")
    yield judge
    judge.close()


@pytest.fixture
def runner(judge: Judge) -> Iterator[LocalRunner]:
    ours, theirs = pair()

    def serve() -> None:
        with pytest.raises(ChannelClosed):
            Service(Channel(theirs, max_frame_bytes=MAX_FRAME_BYTES), judge).serve()

    service = threading.Thread(target=serve)
    service.start()
    runner = Attached(Channel(ours, max_frame_bytes=MAX_FRAME_BYTES))
    yield runner
    runner.close()
    service.join(30)
    theirs.close()


def test_a_device_that_failed_its_probe_is_told_in_the_judges_words(judge: Judge, runner: LocalRunner) -> None:
    judge.out_of_service = FAULT

    with pytest.raises(OutOfServiceError) as caught:
        runner.run(REQUEST)

    assert str(caught.value) == FAULT


def test_another_failure_is_not_taken_for_the_devices(runner: LocalRunner) -> None:
    with pytest.raises(RunnerError, match="no_such_op") as caught:
        runner.run(EvaluationRequest("no_such_op", "import torch\n", KernelType.TORCH))

    assert not isinstance(caught.value, OutOfServiceError)
