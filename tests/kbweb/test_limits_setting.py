"""`KB_LIMITS`: read at the start, named when wrong, asked of every run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SCRIPT = """
import django; django.setup()
from submissions.models import Evaluation, Submission
from submissions.request import request_of
from submissions.jobs import build
limits = request_of(Evaluation(submission=Submission(source="x", kernel_type="torch"), op="softmax", device="cpu", mode="test")).limits
print(limits.check_s, limits.memory_bytes, limits.timing_s, build.options["time_limit"])
"""


def start(limits: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "KB_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "kbweb.settings",
        "KB_LIMITS": limits,
    }
    return subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, cwd=ROOT, env=environment)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ("", "60.0 8589934592 120.0 1200000"),
        (" check_s=20, memory_bytes=1000000 ", "20.0 1000000 120.0 1200000"),
        ("timing_s=3000", "60.0 8589934592 3000.0 4080000"),
    ],
)
def test_every_request_carries_them(limits: str, said: str, tmp_path: Path) -> None:
    done = start(limits, tmp_path)

    assert (done.returncode, done.stdout.strip()) == (0, said), done.stderr


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ("check=20", "KB_LIMITS: 'check' is not one of build_s, import_s, check_s"),
        ("check_s=soon", "KB_LIMITS: check_s='soon' is not a number"),
        ("check_s", "KB_LIMITS: check_s='' is not a number"),
        ("memory_bytes=0", "KB_LIMITS: memory_bytes=0 must be positive"),
        ("memory_bytes=8GiB", "KB_LIMITS: memory_bytes='8GiB' is not a number"),
        ("check_s=nan", "must be positive"),
    ],
)
def test_a_wrong_one_stops_the_start_and_is_named(limits: str, said: str, tmp_path: Path) -> None:
    done = start(limits, tmp_path)

    assert done.returncode != 0
    assert said in done.stderr
