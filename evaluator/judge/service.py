"""The judge as a process of its own, commanded by a worker over a socket pair: it holds torch and the device, and no secret of the site.

`python -m evaluator.judge.service FD DEVICE GPU_INDEX SANDBOX_MODE` (GPU_INDEX `-` on a CPU).
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import traceback
import typing
from pathlib import Path

from evaluator.build import BuildReport
from evaluator.candidate.imports import no_collections
from evaluator.contract import EvaluationRequest, Event, from_json, to_json
from evaluator.judge.peer import DeviceInUseError
from evaluator.protocol import Channel, ChannelClosed

if typing.TYPE_CHECKING:
    from evaluator.judge.judge import Judge

MAX_FRAME_BYTES = 64 * 1024 * 1024


class Service:
    """Answers `facts` and `evaluate`; a `cancel` that arrives during an evaluation ends it."""

    def __init__(self, channel: Channel, judge: Judge) -> None:
        self.channel = channel
        self.judge = judge
        self._cancelled = False

    def serve(self) -> None:
        """Until the worker closes the channel."""
        while True:
            message = self.channel.receive()
            try:
                if message["cmd"] == "facts":
                    self.channel.send({"facts": to_json(self.judge.facts())})
                elif message["cmd"] == "evaluate":
                    self._evaluate(message)
            except ChannelClosed:
                raise
            except Exception as error:
                text = "".join(traceback.format_exception(error))[-8000:]
                fault = self.judge.out_of_service
                busy = isinstance(error, DeviceInUseError)
                self.channel.send({"failed": f"{type(error).__name__}: {error}", "detail": text, "out_of_service": fault, "busy": busy})

    def _evaluate(self, message: dict[str, object]) -> None:
        request = from_json(EvaluationRequest, message["request"])
        built = from_json(BuildReport, message["build"]) if message.get("build") is not None else None
        self._cancelled = False
        folder = Path(str(message["artefacts"])) if message.get("artefacts") else None
        outcome = self.judge.evaluate(request, built, emit=self._emit, cancelled=self._is_cancelled, artefacts=folder)
        self.channel.send({"outcome": to_json(outcome), "out_of_service": self.judge.out_of_service})
        if not self.judge.out_of_service:
            self.judge.prepare_next()

    def _emit(self, event: Event) -> None:
        self.channel.send({"event": to_json(event)})

    def _is_cancelled(self) -> bool:
        while not self._cancelled and self.channel.ready(0):
            self._cancelled = self.channel.receive().get("cmd") == "cancel"
        return self._cancelled


def main() -> None:
    fd, device, index, mode = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with no_collections():
        from evaluator.judge.judge import Judge

    judge = Judge(device, gpu_index=None if index == "-" else int(index), sandbox_mode=typing.cast("typing.Any", mode))
    channel = Channel(socket.socket(fileno=fd), max_frame_bytes=MAX_FRAME_BYTES)
    try:
        judge.warm_up()
        channel.send({"ready": True, "pid": os.getpid()})
        Service(channel, judge).serve()
    except ChannelClosed:
        pass
    except Exception as error:
        channel.send({"failed": f"{type(error).__name__}: {error}", "detail": traceback.format_exc()[-8000:]})
    finally:
        judge.close()


if __name__ == "__main__":
    main()
