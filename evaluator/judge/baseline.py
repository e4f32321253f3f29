"""The baseline process: torch eager under the candidate's harness. `python -m evaluator.judge.baseline FD cpu|cuda`."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Mapping

from evaluator.candidate.imports import no_collections
from evaluator.protocol import TO_CANDIDATE_BYTES, Channel


def reference(message: Mapping[str, object]) -> Callable[..., object]:
    """The op's reference in its precision class, ready to be called again and again."""
    import torch

    from evaluator.correctness.oracle import set_float32_products
    from evaluator.ops.recorded import Reference
    from evaluator.ops.resolve import resolve

    definition = message.get("definition")
    op = resolve(str(message["op"]), definition if isinstance(definition, dict) else None)
    set_float32_products(op)
    torch.set_grad_enabled(False)
    return op.reference.direct if isinstance(op.reference, Reference) else op.reference


def main() -> None:
    fd, device = int(sys.argv[1]), sys.argv[2]
    with no_collections():
        import torch

        from evaluator.candidate.harness import Harness

    if device == "cpu":
        torch.set_num_threads(1)
        torch.set_num_interop_threads(1)

    Harness(Channel(socket.socket(fileno=fd), max_frame_bytes=TO_CANDIDATE_BYTES), device, reference).serve()


if __name__ == "__main__":
    main()
