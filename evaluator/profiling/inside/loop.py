"""Call again and again on command, for a measurement of energy.

`python -m evaluator.profiling.inside.loop QUESTION INPUTS COMPILED CHANNEL` (numbers of descriptors). Says hello, then does as it is told:
`load` imports the source and calls it until it is warm, `loop` {seconds} answers with the number of calls.
"""

from __future__ import annotations

import json
import socket
import sys
import time

from evaluator.profiling.inside.archive import unpack
from evaluator.profiling.inside.job import Job
from evaluator.protocol import TO_CANDIDATE_BYTES, Channel, ChannelClosed

_QUEUED_S = 0.02
"""About so much work is queued before the device is waited for."""
_monotonic = time.monotonic


def main() -> None:
    question, inputs, compiled, channel = (int(number) for number in sys.argv[1:5])
    talk = Channel(socket.socket(fileno=channel), max_frame_bytes=TO_CANDIDATE_BYTES)
    job = Job(json.loads(unpack(question)["question.json"]), inputs, compiled)
    batch = 1
    talk.send({"id": 0, "ready": True})
    while True:
        try:
            message = talk.receive()
        except ChannelClosed:
            return
        if message["cmd"] == "load":
            batch = _load(job)
            talk.send({"id": message["id"]})
        else:
            talk.send({"id": message["id"], "calls": _loop(job, batch, float(str(message["seconds"])))})


def _load(job: Job) -> int:
    """How many calls are queued at a time."""
    job.load()
    job.warm_up()
    started = _monotonic()
    job.call()
    job.synchronize()
    return max(1, int(_QUEUED_S / max(_monotonic() - started, 1e-6)))


def _loop(job: Job, batch: int, seconds: float) -> int:
    calls, end = 0, _monotonic() + seconds
    while _monotonic() < end:
        for _ in range(batch):
            job.call()
        job.synchronize()
        calls += batch
    return calls


if __name__ == "__main__":
    main()
