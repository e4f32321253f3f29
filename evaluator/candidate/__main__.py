"""Start of a candidate: import torch (and Triton) ahead of need, say ready, obey. `python -m evaluator.candidate FD cpu|cuda`."""

from __future__ import annotations

import contextlib
import io
import socket
import sys

from evaluator.candidate.imports import no_collections
from evaluator.protocol import TO_CANDIDATE_BYTES, Channel


def main() -> None:
    fd, device = int(sys.argv[1]), sys.argv[2]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True)  # this process ends by SIGKILL, which would take what is still in a buffer
    with no_collections():
        import torch

        with contextlib.suppress(ImportError):
            import triton
            import triton.language  # noqa: F401
        from evaluator.candidate.harness import Harness

    if device == "cpu":
        torch.set_num_threads(1)
        torch.set_num_interop_threads(1)

    Harness(Channel(socket.socket(fileno=fd), max_frame_bytes=TO_CANDIDATE_BYTES), device).serve()


if __name__ == "__main__":
    main()
