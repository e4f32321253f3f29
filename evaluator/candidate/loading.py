"""Import a submission from source and find its entry point."""

from __future__ import annotations

import importlib.util
import sys
import traceback
import typing
from collections.abc import Callable
from pathlib import Path

MAX_TRACEBACK = 16 * 1024
MAX_MESSAGE = 2000


class EntryPointMissing(Exception):
    """The module has no callable of the wanted name."""

    def __init__(self, wanted: str, callables: list[str]) -> None:
        super().__init__(f"no function named {wanted}")
        self.callables = callables


def load(source: str, path: Path, entry_point: str) -> Callable[..., object]:
    """Write `source` to `path` (Triton reads source lines from the file), import it and return the entry point.

    Raises `EntryPointMissing`, or whatever the module raises while it is imported.
    """
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("submission", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules["submission"] = module
    spec.loader.exec_module(module)
    entry = getattr(module, entry_point, None)
    if not callable(entry):
        names = [n for n, v in vars(module).items() if callable(v) and not n.startswith("_") and not isinstance(v, type(sys))]
        own = [n for n in names if getattr(getattr(module, n), "__module__", "submission") == "submission"]
        raise EntryPointMissing(entry_point, sorted(own)[:40])
    return typing.cast("Callable[..., object]", entry)


def describe_error(error: BaseException, path: Path | None) -> dict[str, object]:
    """An exception as plain data: kind (`exception` or `out_of_memory`), type, message, traceback from the submission's first frame."""
    try:
        message = str(error)[:MAX_MESSAGE]
    except BaseException:  # a hostile __str__
        message = "(the exception's message could not be read)"
    frames = error.__traceback__
    if path is not None:
        inner = frames
        while inner is not None and inner.tb_frame.f_code.co_filename != str(path):
            inner = inner.tb_next
        frames = inner or frames
    try:
        text = "".join(traceback.format_exception(type(error), error, frames))
    except BaseException:
        text = ""
    if len(text) > MAX_TRACEBACK:
        text = text[: MAX_TRACEBACK // 2] + "\n… cut …\n" + text[-MAX_TRACEBACK // 2 :]
    lowered = message.lower()
    oom = isinstance(error, MemoryError) or "out of memory" in lowered or "can't allocate memory" in lowered
    described: dict[str, object] = {
        "kind": "out_of_memory" if oom else "exception",
        "type": type(error).__name__[:200],
        "message": message,
        "traceback": text,
    }
    if isinstance(error, EntryPointMissing):
        described |= {"kind": "no_entry_point", "callables": error.callables}
    return described
