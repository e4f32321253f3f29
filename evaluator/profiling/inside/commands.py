"""Run programs one after the other and hand back what they wrote.

`python -m evaluator.profiling.inside.commands QUESTION [INPUTS COMPILED] ANSWER` (numbers of descriptors).

The question's archive holds files to put into the work directory, and `question.json`:
{steps: [{argv, timeout_s, into, may_fail}], within_s, take: {file: most bytes}, room_bytes}.
In `argv`, `{python}` stands for this interpreter with our packages, `{inputs}` and `{compiled}` for the files of these. A step's output
goes to the file `into`. The answer holds `ends.json` ({ends: [{status, error}], too_large: [file]}) and the files that were asked for, as
far as `room_bytes` go. Standard library only: it starts without site-packages.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

from evaluator.profiling.inside.archive import pack, unpack

_ROOT = Path(__file__).resolve().parents[3]


def main() -> None:
    question, *given, answer = (int(number) for number in sys.argv[1:])
    files = unpack(question)
    asked = json.loads(files.pop("question.json"))
    for name, data in files.items():
        Path(name).write_bytes(data)
    names = {"{python}": sys.executable}
    names |= {name: f"/proc/{os.getpid()}/fd/{number}" for name, number in zip(("{inputs}", "{compiled}"), given, strict=False)}
    until = time.monotonic() + float(asked["within_s"])
    ends = []
    for step in asked["steps"]:
        left_s = min(float(step["timeout_s"]), until - time.monotonic())
        ends.append(_run([names.get(part, part) for part in step["argv"]], max(0.0, left_s), Path(step["into"])))
        if ends[-1]["status"] != 0 and not step["may_fail"]:
            break
    taken, too_large = _taken(asked["take"], int(asked["room_bytes"]))
    pack(answer, [("ends.json", json.dumps({"ends": ends, "too_large": too_large}).encode()), *taken])


def _run(argv: list[str], timeout_s: float, into: Path) -> dict[str, object]:
    """Its exit status (negative: killed by that signal) or `timeout`."""
    environment = {**os.environ, "PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONSAFEPATH": "1"}
    with into.open("wb") as output:
        try:
            process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment, start_new_session=True
            )
        except OSError as error:
            return {"status": 127, "error": f"{argv[0]}: {error.strerror}"}
        try:
            return {"status": process.wait(timeout_s)}
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return {"status": "timeout"}


def _taken(wanted: dict[str, int], room: int) -> tuple[list[tuple[str, bytes]], list[str]]:
    """Regular files that hold something, and the names of those that are too large for themselves or for what room is left."""
    taken, too_large = [], []
    for name, most_bytes in wanted.items():
        try:
            about = Path(name).lstat()
            if not stat.S_ISREG(about.st_mode) or about.st_size == 0:
                continue
            if about.st_size > min(most_bytes, room):
                too_large.append(name)
                continue
            data = Path(name).read_bytes()
        except OSError:
            continue
        room -= len(data)
        taken.append((name, data))
    return taken, too_large


if __name__ == "__main__":
    main()
