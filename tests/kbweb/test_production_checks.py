"""An unsafe production does not start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SAFE = {
    "KB_PRODUCTION": "true",
    "KB_SECRET_KEY": "k" * 50,
    "KB_SITE_URL": "https://kernels.example",
    "KB_ALLOWED_HOSTS": "kernels.example",
    "DATABASE_URL": "postgresql://u:p@db/x",
}


def start(**changes: str) -> subprocess.CompletedProcess[str]:
    environment = (
        {"PATH": os.environ["PATH"], "KB_DATA_DIR": os.environ["KB_DATA_DIR"], "DJANGO_SETTINGS_MODULE": "kbweb.settings"} | SAFE | changes
    )
    script = "import django; django.setup(); from django.conf import settings; print(settings.SANDBOX)"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, env=environment)


def test_a_safe_production_starts_with_the_strict_sandbox() -> None:
    done = start()

    assert (done.returncode, done.stdout.strip()) == (0, "strict"), done.stderr


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"KB_SECRET_KEY": ""}, "KB_SECRET_KEY is not set"),
        ({"KB_SECRET_KEY": "short"}, "shorter than 32"),
        ({"KB_DEBUG": "true"}, "KB_DEBUG"),
        ({"KB_ALLOWED_HOSTS": "*,kernels.example"}, "allows every host"),
        ({"KB_SITE_URL": "http://kernels.example"}, "is not https"),
        ({"KB_ALLOWED_HOSTS": "other.example"}, "lacks the host of KB_SITE_URL"),
        ({"KB_SANDBOX": "off"}, "KB_SANDBOX=off"),
    ],
)
def test_an_unsafe_production_says_what_to_set(changes: dict[str, str], said: str) -> None:
    done = start(**changes)

    assert done.returncode != 0
    assert said in done.stderr
