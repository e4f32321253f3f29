"""`KB_LIMITS` and the quotas: read at the start, named when wrong. Limits are asked of every run."""

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


def start(limits: str, tmp_path: Path, script: str = SCRIPT, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **more,
        "PATH": os.environ["PATH"],
        "KB_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "kbweb.settings",
        "KB_LIMITS": limits,
    }
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, env=environment)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ("", "60.0 8589934592 120.0 1380000"),
        (" check_s=20, memory_bytes=1000000 ", "20.0 1000000 120.0 1340000"),
        ("timing_s=3000", "60.0 8589934592 3000.0 8580000"),
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


QUOTAS = """
from submissions import limits
print(limits.quota(), limits.artefact_bytes_per_author(), limits.house_patience_s(), limits.webhooks_per_user())
"""


def test_quotas_come_from_the_environment(tmp_path: Path) -> None:
    given = {"KB_OPEN_EVALUATIONS": "3", "KB_SUBMISSIONS_PER_HOUR": "4", "KB_ARTEFACT_BYTES_PER_AUTHOR": "5"}

    done = start("", tmp_path, QUOTAS, **given, KB_HOUSE_PATIENCE_S="6", KB_WEBHOOKS_PER_USER="7")

    assert (done.returncode, done.stdout.strip()) == (0, "Quota(open_evaluations=3, submissions_per_hour=4) 5 6.0 7"), done.stderr


def test_a_quota_that_lets_nothing_in_stops_the_start(tmp_path: Path) -> None:
    done = start("", tmp_path, QUOTAS, KB_SUBMISSIONS_PER_HOUR="0")

    assert done.returncode != 0
    assert "KB_SUBMISSIONS_PER_HOUR=0 is outside 1.." in done.stderr
