"""`kb up` as a real process: comes up, heals, stops cleanly, keeps what it holds."""

from __future__ import annotations

import os
import re
import select
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.live_site import LiveSite, live_site

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kb up")]


@pytest.fixture(scope="module")
def own() -> Iterator[LiveSite]:
    """A site that these tests may break; each leaves it running."""
    with live_site(KB_DEVICES="cpu") as running:
        yield running


def test_it_is_ready_and_says_where(own: LiveSite) -> None:
    ready = own.get("/readyz").json()

    assert ready["ready"]
    assert {worker["queue"] for worker in ready["workers"]} == {"build", "device.cpu"}
    assert own.sign_in.startswith(f"{own.url}/signin/")
    assert (own.data_dir / "local.json").stat().st_mode & 0o777 == 0o600


def test_the_link_signs_in_as_the_administrator_once(own: LiveSite) -> None:
    with httpx.Client(follow_redirects=True) as browser:
        page = browser.get(own.sign_in)
        again = httpx.get(own.sign_in)

    assert page.status_code == 200
    assert "admin" in page.text
    assert again.status_code == 410


def test_the_token_of_the_data_directory_works(own: LiveSite) -> None:
    with own.client() as client:
        assert client.get("me").json()["username"] == "admin"


def test_no_secret_is_on_a_command_line(own: LiveSite) -> None:
    secrets = {own.token, *re.findall(r'"(?:password|superuser_password)": "([^"]+)"', (own.data_dir / "database.json").read_text())}
    lines = [path.read_bytes().decode(errors="replace") for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]

    assert len(secrets) == 3
    assert not [line for line in lines for secret in secrets if secret in line]


def test_a_second_kb_up_on_the_same_data_names_the_first(own: LiveSite) -> None:
    second = LiveSite(own.data_dir)

    done = second.kb("up")

    assert done.returncode == 3
    assert f"in use by process {own.process.pid}" in done.stderr


@pytest.mark.parametrize("name", ["build", "device.cpu", "web", "postgres"])
def test_a_killed_part_comes_back(own: LiveSite, name: str) -> None:
    before = own.children()[name]

    os.kill(before, signal.SIGKILL)

    own.until(lambda: own.children().get(name) not in (None, before), f"{name} is started again")
    own.until(lambda: own.get("/readyz").status_code == 200, "it is ready again")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_every_process_and_starts_again_with_its_data(own: LiveSite, how: signal.Signals) -> None:
    handles = {name: os.pidfd_open(pid) for name, pid in own.children().items()}
    token = own.token

    status = own.stop(how)
    left = [name for name, handle in handles.items() if not select.select([handle], [], [], 0)[0]]
    began = time.monotonic()
    own.start()

    assert status == 0
    assert set(handles) == {"web", "build", "device.cpu", "postgres"}
    assert left == []
    assert own.token == token
    assert time.monotonic() - began < 30
    for handle in handles.values():
        os.close(handle)


def test_children_end_with_a_killed_supervisor(own: LiveSite) -> None:
    handles = [os.pidfd_open(pid) for pid in own.children().values()]

    own.process.kill()

    for handle in handles:
        assert select.select([handle], [], [], 30)[0]
        os.close(handle)
    own.start()
