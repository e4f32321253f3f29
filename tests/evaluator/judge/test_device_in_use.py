"""A device that somebody else keeps is no fault of the kernel's, and nothing was begun."""

from __future__ import annotations

import contextlib
import threading

import pytest

from evaluator.contract import EvaluationRequest, KernelType, Mode, to_json
from evaluator.judge import judge as judges
from evaluator.judge.judge import Judge
from evaluator.judge.peer import DeviceInUseError
from evaluator.judge.service import MAX_FRAME_BYTES, Service
from evaluator.protocol import Channel, ChannelClosed, pair
from evaluator.sandbox.lock import device_lock
from tests.evaluator.judge.conftest import LIMITS
from tests.evaluator.judge.kernels import GOOD

REQUEST = EvaluationRequest("relu", GOOD, KernelType.TORCH, "cpu", Mode.TEST, limits=LIMITS)


def test_it_is_told_who_has_it(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judges, "LOCK_WAIT_S", 0.05)

    with device_lock("cpu", purpose="measuring something else"), pytest.raises(DeviceInUseError, match="measuring something else"):
        judge.evaluate(REQUEST)


def test_another_process_hears_that_the_device_is_busy(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judges, "LOCK_WAIT_S", 0.05)
    ours, theirs = pair()
    service = threading.Thread(target=_serve, args=[Service(Channel(theirs, max_frame_bytes=MAX_FRAME_BYTES), judge)])
    service.start()
    asking = Channel(ours, max_frame_bytes=MAX_FRAME_BYTES)

    with device_lock("cpu", purpose="measuring something else"):
        asking.send({"cmd": "evaluate", "request": to_json(REQUEST)})
        answer = asking.receive()
    asking.close()
    service.join(30)

    assert answer["busy"] is True
    assert "measuring something else" in str(answer["failed"])


def _serve(service: Service) -> None:
    with contextlib.suppress(ChannelClosed):
        service.serve()
