"""`kb up` as a real process: comes up, heals, stops cleanly, keeps what it holds."""

from __future__ import annotations

import json
import os
import re
import select
import signal
from pathlib import Path

import httpx
import pytest

from tests.live_site import LiveSite
from tests.submissions.webhooks.receiver import receiving

pytestmark = [pytest.mark.slow, pytest.mark.late]
PARTS = {"web", "build", "webhooks", "device.cpu", "postgres"}


def test_it_is_ready_and_says_where(own: LiveSite) -> None:
    ready = own.get("/readyz").json()

    assert ready["ready"]
    assert {worker["queue"] for worker in ready["workers"]} == {"build", "webhooks", "device.cpu"}
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


def test_what_a_webhook_is_told_arrives(own: LiveSite) -> None:
    with receiving() as receiver, own.client() as client:
        made = client.post("webhooks", json={"url": receiver.url, "topics": ["done"]}).json()
        handed_in = client.post("submissions", json={"op": "softmax", "device": "cpu", "source": "import this, is, wrong"}).json()
        evaluation = handed_in["evaluations"][0]["id"]
        client.post(f"evaluations/{evaluation}/cancel")

        def told() -> list[dict[str, str]]:
            return [headers for headers, body in list(receiver.got) if json.loads(body)["data"]["evaluation"] == evaluation]

        own.until(told, "the webhook worker has sent it")
        client.delete(f"webhooks/{made['id']}")
        (headers,) = told()

    assert headers["webhook-signature"].startswith("v1,")


def test_a_second_kb_up_on_the_same_data_names_the_first(own: LiveSite) -> None:
    second = LiveSite(own.data_dir)

    done = second.kb("up")

    assert done.returncode == 3
    assert f"in use by process {own.process.pid}" in done.stderr


@pytest.mark.parametrize("name", ["build", "webhooks", "device.cpu", "web", "postgres"])
def test_a_killed_part_comes_back(own: LiveSite, name: str) -> None:
    before = own.children()[name]

    os.kill(before, signal.SIGKILL)

    own.until(lambda: own.children().get(name) not in (None, before), f"{name} is started again")
    own.until(lambda: own.get("/readyz").status_code == 200, "it is ready again")


def ended(own: LiveSite, how: signal.Signals) -> dict[str, bool]:
    """Stop it in that way; says of each process whether it has ended at once."""
    handles = {name: os.pidfd_open(pid) for name, pid in own.children().items()}
    status = own.stop(how)
    over = {name: bool(select.select([handle], [], [], 0)[0]) for name, handle in handles.items()}
    for handle in handles.values():
        os.close(handle)
    assert status == 0
    return over


def test_children_end_with_a_killed_supervisor_and_it_starts_again(own: LiveSite) -> None:
    handles = [os.pidfd_open(pid) for pid in own.children().values()]

    own.process.kill()

    for handle in handles:
        assert select.select([handle], [], [], 30)[0]
        os.close(handle)
    own.start()


def test_it_stops_every_process_and_starts_again_with_its_data(own: LiveSite) -> None:
    token = own.token

    over = ended(own, signal.SIGINT)
    own.start()

    assert over == dict.fromkeys(PARTS, True)
    assert own.token == token
    with own.client() as client:
        assert client.get("me").json()["username"] == "admin"


def test_a_service_manager_stops_every_process(own: LiveSite) -> None:
    """The last one: it leaves the site down."""
    assert ended(own, signal.SIGTERM) == dict.fromkeys(PARTS, True)
