"""An unsafe production does not start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.checks import Error
from django.test import override_settings

from kbweb.checks import production_is_safe

ROOT = Path(__file__).parent.parent.parent
SAFE = {
    "KB_PRODUCTION": "true",
    "KB_SECRET_KEY": "k" * 50,
    "KB_SITE_URL": "https://kernels.example",
    "KB_ALLOWED_HOSTS": "kernels.example",
    "DATABASE_URL": "postgresql://u:p@db/x",
}

SAFE_SETTINGS = {
    "PRODUCTION": True,
    "DEBUG": False,
    "SECRET_KEY_GIVEN": True,
    "SECRET_KEY": "k" * 50,
    "SITE_URL": "https://kernels.example",
    "SITE_HOST": "kernels.example",
    "HTTPS": True,
    "ALLOWED_HOSTS": ["kernels.example"],
    "SANDBOX": "strict",
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
        (
            {
                "KB_SECRET_KEY": "short",
                "KB_DEBUG": "true",
                "KB_ALLOWED_HOSTS": "*,kernels.example",
                "KB_SITE_URL": "http://kernels.example",
                "KB_SANDBOX": "off",
            },
            ["shorter than 32", "KB_DEBUG", "allows every host", "is not https", "KB_SANDBOX=off"],
        ),
        (
            {"KB_SECRET_KEY": "", "KB_ALLOWED_HOSTS": "other.example"},
            ["KB_SECRET_KEY is not set", "lacks the host of KB_SITE_URL"],
        ),
    ],
)
def test_an_unsafe_production_says_all_that_is_to_be_set(changes: dict[str, str], said: list[str]) -> None:
    done = start(**changes)

    assert done.returncode != 0
    assert [text for text in said if text not in done.stderr] == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("SECRET_KEY_GIVEN", False, "KB_SECRET_KEY is not set"),
        ("SECRET_KEY", "k" * 31, "shorter than 32"),
        ("DEBUG", True, "KB_DEBUG"),
        ("ALLOWED_HOSTS", ["*", "kernels.example"], "allows every host"),
        ("HTTPS", False, "is not https"),
        ("ALLOWED_HOSTS", ["other.example"], "lacks the host of KB_SITE_URL"),
        ("SANDBOX", "off", "KB_SANDBOX=off"),
    ],
)
def test_each_of_them_alone_is_an_error(name: str, value: object, said: str) -> None:
    with override_settings(**SAFE_SETTINGS):
        assert production_is_safe(None) == []
    with override_settings(**SAFE_SETTINGS | {name: value}):
        (found,) = production_is_safe(None)

    assert isinstance(found, Error)
    assert said in found.msg
