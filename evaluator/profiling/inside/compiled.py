"""What Triton compiled for the calls: `python -m evaluator.profiling.inside.compiled QUESTION INPUTS COMPILED ANSWER`.

Answers `kernels.json` ({kernels: [{key, launched}], found: how many there are in all}) and for each of these kernels `<number>.json`,
`<number>.ptx` and `<number>.cubin` from Triton's cache of this process. Kernels that the last call launched come first: autotuning compiles
more than is used.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path

from evaluator.profiling.inside.archive import pack, unpack
from evaluator.profiling.inside.job import Job, triton_cache

_ENDINGS = ("json", "ptx", "cubin")


class Launches:
    """Which compiled kernels run while `watching`, by Triton's own hooks. `hashes` stays None where this Triton has none."""

    def __init__(self) -> None:
        self.hashes: set[str] | None = None
        self.watching = False
        self._of_function: dict[object, str] = {}
        with contextlib.suppress(Exception):  # hooks differ between versions of Triton; without them the answer just says less
            from triton import knobs

            knobs.runtime.kernel_load_end_hook.add(self._loaded)
            knobs.runtime.launch_enter_hook.add(self._launched)
            self.hashes = set()

    def _loaded(self, module: object, function: object, name: str, group: object, digest: str) -> None:
        self._of_function[function] = digest

    def _launched(self, metadata: object) -> None:
        if self.watching and self.hashes is not None:
            with contextlib.suppress(Exception):  # else the launch would fail
                self.hashes.add(self._of_function[metadata.get()["function"]])  # type: ignore[attr-defined]


def main() -> None:
    question, inputs, earlier, answer = (int(number) for number in sys.argv[1:5])
    asked = json.loads(unpack(question)["question.json"])
    launches = Launches()
    job = Job(asked, inputs, earlier)
    job.load()
    job.warm_up()
    launches.watching = True
    job.call()
    job.synchronize()
    found = kernels(triton_cache(), launches.hashes)
    pack(answer, gathered(found, launches.hashes, int(asked["most_kernels"]), int(asked["most_bytes"])))


def kernels(cache: Path, launched: set[str] | None) -> list[tuple[Path, str]]:
    """Metadata file and hash of each compiled kernel: launched ones first, then the newest."""
    found = []
    for path in cache.glob("*/*.json"):
        if path.name.startswith("__grp__") or path.is_symlink():
            continue
        with contextlib.suppress(OSError, ValueError, AttributeError):
            digest = str(json.loads(path.read_bytes()).get("hash", ""))
            found.append((digest in (launched or ()), path.stat().st_mtime, path, digest))
    return [(path, digest) for _, _, path, digest in sorted(found, key=lambda item: (item[0], item[1]), reverse=True)]


def gathered(found: list[tuple[Path, str]], launched: set[str] | None, most: int, most_bytes: int) -> list[tuple[str, bytes]]:
    """The first `most` kernels' files as long as they fit into `most_bytes` together, and what there was besides."""
    files: list[tuple[str, bytes]] = []
    listed: list[dict[str, object]] = []
    for path, digest in found[:most]:
        mine = [path.with_suffix(f".{ending}") for ending in _ENDINGS]
        size = sum(one.stat().st_size for one in mine if one.is_file())
        if size > most_bytes:
            continue
        most_bytes -= size
        files += [(f"{len(listed)}.{one.suffix[1:]}", one.read_bytes()) for one in mine if one.is_file()]
        listed.append({"key": digest, "launched": None if launched is None else digest in launched})
    return [("kernels.json", json.dumps({"kernels": listed, "found": len(found)}).encode()), *files]


if __name__ == "__main__":
    main()
