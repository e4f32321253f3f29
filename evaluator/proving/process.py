"""The process that runs mutants and starters under the candidate's harness. `python -m evaluator.proving.process FD cpu|cuda`.

All that it runs is our own code, so it has no sandbox and is used for many loads.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from evaluator.candidate.imports import no_collections
from evaluator.protocol import TO_CANDIDATE_BYTES, Channel
from evaluator.proving.interpreting import remember_builtins


def kernel(message: Mapping[str, object]) -> Callable[..., object]:
    """What a load message asks for: a source, or a mutant of an op by name ("" is torch itself)."""
    import torch

    from evaluator.candidate.loading import load
    from evaluator.judge.baseline import reference
    from evaluator.ops import registry
    from evaluator.proving import mutants

    reference(message)  # sets the precision class
    if message["device"] != "cpu":
        torch.cuda.empty_cache()
    op = registry.get(str(message["op"]))
    if "source" in message:
        entry = load(str(message["source"]), Path(os.getcwd()) / f"{op.entry_point}.py", op.entry_point)  # noqa: PTH109
        # No gradients are wanted, as in a candidate whose author never asked for any: inputs do not require them.
        return torch.no_grad()(entry)
    if not message["mutant"]:
        return mutants.torch_itself(op)
    return mutants.by_name(op.slug, str(message["device"]))[str(message["mutant"])].make()


def main() -> None:
    fd, device = int(sys.argv[1]), sys.argv[2]
    with no_collections():
        import torch

        from evaluator.candidate.harness import Harness

        if device == "cpu":
            torch.set_num_threads(1)
            remember_builtins()

    with tempfile.TemporaryDirectory(prefix="kb-proving-") as folder:
        os.chdir(folder)
        Harness(Channel(socket.socket(fileno=fd), max_frame_bytes=TO_CANDIDATE_BYTES), device, kernel).serve()


if __name__ == "__main__":
    main()
