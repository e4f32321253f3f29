"""`kb` without a site: every failure is one message and the agreed exit code, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def kb(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KB_", "DATABASE_"))}
    command = [sys.executable, "-m", "kbweb.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=kept | environment, check=False)


@pytest.mark.parametrize("arguments", [("board", "softmax"), ("suite", "results", "core"), ("submit", "x.py"), ("fly",), ("worker",)])
def test_wrong_use_is_2(arguments: tuple[str, ...]) -> None:
    done = kb(*arguments)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_no_known_site_is_2_and_says_how_to_name_one(tmp_path: Path) -> None:
    done = kb("ops", KB_DATA_DIR=str(tmp_path))

    assert done.returncode == 2
    assert "kb up" in done.stderr
    assert "KB_URL" in done.stderr


def test_a_site_that_does_not_answer_is_3() -> None:
    done = kb("ops", KB_URL="http://127.0.0.1:9", KB_TOKEN="x")

    assert done.returncode == 3
    assert "does not answer" in done.stderr


def test_with_json_a_failure_is_a_document(tmp_path: Path) -> None:
    done = kb("ops", "--json", KB_DATA_DIR=str(tmp_path))

    assert done.returncode == 2
    assert "KB_URL" in json.loads(done.stdout)["detail"]


@pytest.mark.parametrize(("content", "said"), [(None, "cannot be read"), (b"\xff\xfe", "not UTF-8")])
def test_a_file_that_is_no_text_is_named_before_anything_is_sent(tmp_path: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / "k.py").write_bytes(content)

    done = kb("submit", str(tmp_path / "k.py"), "--op", "softmax", KB_URL="http://127.0.0.1:9")

    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize(("name", "value"), [("KB_PORT", "x"), ("KB_PORT", "0")])
def test_a_wrong_variable_stops_kb_up_with_2(tmp_path: Path, name: str, value: str) -> None:
    done = kb("up", **{name: value, "KB_DATA_DIR": str(tmp_path / "d")})

    assert done.returncode == 2
    assert name in done.stderr


def test_a_port_in_use_stops_kb_up_with_3(tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = kb("up", KB_PORT=str(taken.getsockname()[1]), KB_DATA_DIR=str(tmp_path / "d"))

    assert done.returncode == 3
    assert "is in use by another program" in done.stderr
    assert "KB_PORT=" in done.stderr


def test_a_data_directory_that_cannot_be_made_stops_kb_up_with_3() -> None:
    done = kb("up", KB_DATA_DIR="/dev/null/x")

    assert done.returncode == 3
    assert "/dev/null/x" in done.stderr


def test_kb_up_on_a_database_that_is_not_there_is_3(tmp_path: Path) -> None:
    done = kb("up", KB_DATA_DIR=str(tmp_path / "d"), DATABASE_URL="postgresql://u:p@127.0.0.1:9/x")

    assert done.returncode == 3
    assert "DATABASE_URL" in done.stderr
    assert "Traceback" not in done.stderr


def test_doctor_reports_as_json_without_a_site(tmp_path: Path) -> None:
    done = kb("doctor", "--no-sandbox", "--json", KB_DATA_DIR=str(tmp_path))

    names = {finding["name"] for finding in json.loads(done.stdout)["findings"]}
    assert {"python", "torch", "compiler", "data directory", "database"} <= names
