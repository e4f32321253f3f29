"""The program that Nsight tools look at: `python -m evaluator.profiling.inside.target JOB INPUTS COMPILED` (paths of files).

Only the calls between start and stop of CUDA's profiler are theirs; imports, compilers and first calls are not.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import torch

from evaluator.profiling.inside.job import Job

_start: Callable[[], object] = torch.cuda.profiler.start
_stop: Callable[[], object] = torch.cuda.profiler.stop


def main() -> None:
    asked = json.loads(Path(sys.argv[1]).read_bytes())
    inputs, compiled = (os.open(path, os.O_RDWR | os.O_CLOEXEC) for path in sys.argv[2:4])
    job = Job(asked, inputs, compiled)
    job.load()
    job.warm_up()
    _start()
    for _ in range(job.calls):
        job.call()
    job.synchronize()
    _stop()


if __name__ == "__main__":
    main()
