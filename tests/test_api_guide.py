"""The examples of `docs/api-guide.md` run against a running site, in their order, and answer as the guide says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.browser.samples import examples_judged
from tests.live_site import ROOT, LiveSite

GUIDE = ROOT / "docs" / "api-guide.md"
RUN = {"sh": "{block}", "python": f"{sys.executable} - <<'END_OF_EXAMPLE'\n{{block}}END_OF_EXAMPLE\n"}


def blocks() -> list[tuple[str, str]]:
    """Language and text of each code block."""
    return [(token.info, token.content) for token in MarkdownIt().parse(GUIDE.read_text()) if token.type == "fence"]


def script() -> str:
    """All commands as one script for a shell; each writes what it prints to a file of its own number."""
    lines = ["set -eu -o pipefail"]
    for number, (info, block) in enumerate(blocks()):
        if info in RUN:
            lines.append(f"echo example {number} >&2\n{{\n{RUN[info].format(block=block)}}} > answer.{number}")
    return "\n".join(lines)


def unlike(said: object, got: object, where: str = "") -> list[str]:
    """What the guide says and the answer does not have. Of a list each item must be like one of the answer's; null is like anything."""
    if isinstance(said, dict) and isinstance(got, dict):
        absent = [f"{where}.{name} is not there" for name in said if name not in got]
        return absent + [fault for name in said if name in got for fault in unlike(said[name], got[name], f"{where}.{name}")]
    if isinstance(said, list) and isinstance(got, list):
        tried = [[unlike(item, other, f"{where}[]") for other in got] for item in said]
        return [min(faults, key=len, default=[f"{where} is empty"])[0] for faults in tried if not any(not found for found in faults)]
    number = isinstance(said, (int, float)) and isinstance(got, (int, float)) and not isinstance(said, bool) and not isinstance(got, bool)
    alike = said is None or got is None or number or type(said) is type(got)
    return [] if alike else [f"{where} is {got!r} and not like {said!r}"]


def test_unlike_sees_what_differs() -> None:
    assert unlike({"a": 1, "b": [{"c": "x"}]}, {"a": 2.5, "b": [{"c": 1}, {"c": "y"}], "d": None}) == []
    assert unlike({"a": "x"}, {"a": 1}) == [".a is 1 and not like 'x'"]
    assert unlike({"a": {"b": 1}}, {"a": {}}) == [".a.b is not there"]
    assert unlike([{"a": 1}], []) == [" is empty"]


def test_every_block_is_run_or_an_answer() -> None:
    assert {info for info, _ in blocks()} == {"sh setup", "sh", "python", "json"}
    assert all(json.loads(block) is not None for info, block in blocks() if info == "json")


@pytest.mark.slow
@pytest.mark.timeout(480)
def test_the_examples_do_what_the_guide_says(site: LiveSite, tmp_path: Path, needs: Callable[[object, str], None]) -> None:
    needs(shutil.which("curl"), "curl")
    examples_judged(site)  # the guide's examples wait for one verdict each, and not for six of others
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("KB_", "DJANGO_", "DATABASE_"))}
    environment |= {"KB_URL": site.url, "KB_TOKEN": site.token, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    done = subprocess.run(
        ["bash", "-c", script()], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL
    )

    assert done.returncode == 0, done.stderr[-2000:]
    told = blocks()
    wrong = []
    for number, (info, block) in enumerate(told):
        if info == "json":
            answer = (tmp_path / f"answer.{number - 1}").read_text()
            wrong += [f"example {number}: {fault}" for fault in unlike(json.loads(block), json.loads(answer))]
    assert not wrong, "\n".join(wrong)
    assert (tmp_path / "softmax.py").exists()
    printed = [(tmp_path / f"answer.{number}").read_text() for number, (info, _) in enumerate(told) if info == "python"]
    assert printed[0].split() == ["done", "wrong_result"]
    assert printed[1].split() == ["1", "wrong_result", "2", "accepted"]
