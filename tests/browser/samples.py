"""What the shared site's pages show: the bundled examples, one of them edited, a competition, and one evaluation that is under way."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import re
import secrets
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import httpx

from tests.live_site import ROOT, LiveSite

EXAMPLES = {"accepted": "softmax_triton.py", "wrong": "softmax_wrong.py", "broken": "gelu_raises.py"}
EDITED = "softmax_torch.py"
TAG = "cpu_baseline"
SLEEPS = "import time\n\n\ndef softmax_kernel_impl(x, dim):\n    time.sleep({seconds})\n"


def judged(site: LiveSite) -> dict[str, str]:
    """What fills the paths of pages: the examples when all are judged, and what is made beside them. Once a site: it takes names."""
    held = hold_competition(site)
    found, runs = examples_judged(site)
    with site.client() as client:
        with ThreadPoolExecutor(1) as beside:
            run = beside.submit(site.kb, "baseline", "relu", "--name", "torch_eager", "--device", "cpu", "--tag", TAG)
            edited = _edit(site, found[EDITED])
        made = client.post("webhooks", json={"url": "https://example.org/kernels", "topics": ["record_lost"]})
        assert made.status_code == 201, made.text
    pair = f"{runs['softmax_triton.py']},{runs[EDITED]}"
    assert run.result().returncode == 0, run.result().stderr
    others = {"run": TAG, "edited": edited, "held": runs[EDITED], "pair": pair, "author": "examples", "webhook": made.json()["id"]}
    return {name: found[file] for name, file in EXAMPLES.items()} | others | held


def examples_judged(site: LiveSite, within_s: float = 300) -> tuple[dict[str, str], dict[str, str]]:
    """Ids of the examples' submissions and evaluations by their files' names, when all have a verdict."""
    index = {entry["file"] for entry in json.loads((ROOT / "examples" / "index.json").read_text())}
    found: dict[str, str] = {}
    runs: dict[str, str] = {}

    def all_done() -> bool:
        rows = client.get("submissions", params={"author": "examples", "limit": 100}).json()["results"]
        found.update({row["filename"]: row["id"] for row in rows})
        waited = [client.get(f"submissions/{one}", params={"wait": 20}).json() for one in found.values()]
        runs.update({one["filename"]: one["evaluations"][0]["id"] for one in waited})
        return index <= set(found) and all(run["verdict"] for one in waited for run in one["evaluations"])

    with site.client() as client:
        site.until(all_done, "the examples are judged", within_s)
    return found, runs


def _edit(site: LiveSite, parent: str) -> str:
    """Hand an example in again with another name inside, and wait until it is accepted."""
    source = (ROOT / "examples" / EDITED).read_text().replace("highest", "largest")
    body = {"op": "softmax", "device": "cpu", "source": source, "parent": parent, "mode": "test"}
    with site.client() as client:
        answer = client.post("submissions", json=body)
    assert answer.status_code == 201, answer.text
    run_of(site, answer.json(), "accepted")
    return cast("str", answer.json()["id"])


def run_of(site: LiveSite, submission: Mapping[str, Any], verdict: str) -> str:
    """Id of the submission's only evaluation, once it has ended with that verdict."""
    (run,) = submission["evaluations"]
    with site.client() as client:

        def ended() -> bool:
            found.update(client.get(f"evaluations/{run['id']}", params={"wait": 20}).json())
            return found["state"] == "done"

        found: dict[str, Any] = {}
        site.until(ended, f"{run['id']} is done", within_s=180)
    assert found["verdict"] == verdict, found
    return cast("str", run["id"])


def under_way(site: LiveSite, seconds: float = 20, *, until: str = "") -> str:
    """Id of a submission that waits for its turn or sleeps in it; waits until it is in the state `until`."""
    body = {"op": "softmax", "device": "cpu", "source": SLEEPS.format(seconds=seconds), "mode": "test"}
    with site.client() as client:
        answer = client.post("submissions", json=body)
        assert answer.status_code == 201, answer.text
        made = cast("str", answer.json()["id"])
        if until:
            run = f"evaluations/{answer.json()['evaluations'][0]['id']}"
            site.until(lambda: client.get(run).json()["state"] == until, f"it is {until}", within_s=180)
    return made


def cancel(site: LiveSite, submission: str) -> None:
    with site.client() as client:
        for run in client.get(f"submissions/{submission}").json()["evaluations"]:
            client.post(f"evaluations/{run['id']}/cancel")


SOFTMAX = "import torch\n\n\ndef softmax_kernel_impl(x, dim):\n    return {body}.contiguous()\n"
BOARD = {
    "alice": "torch.softmax(x, dim)",
    "bob": "x.float().log_softmax(dim).exp().to(x.dtype)",
    "charlie": "(lambda e: e / e.sum(dim, keepdim=True))(torch.exp(x.float() - x.float().amax(dim, keepdim=True))).to(x.dtype)",
}
"""Kernels that are right and differ in speed, by who hands them in."""


def fill_board(site: LiveSite) -> dict[str, str]:
    """Three people sign up as on the pages, and hand in a kernel each; waits until the board shows them. Their submissions by name."""
    handed = {name: str(hand_in_as(site, name, SOFTMAX.format(body=body))["id"]) for name, body in BOARD.items()}

    def shown() -> bool:
        return len(client.get("leaderboards/softmax/cpu").json()["rows"]) >= len(BOARD)

    with site.client() as client:
        site.until(shown, "the board is filled", within_s=300)
    return handed


def hand_in_as(site: LiveSite, name: str, source: str, op: str = "softmax", *, wait_s: int = 0) -> dict[str, Any]:
    """Sign up by the form and hand in over REST, with the session; gives the submission."""
    with signed_up(site, name) as browser:
        return _hand_in(browser, {"op": op, "device": "cpu", "source": source, "filename": f"{op}_{name}.py"}, wait_s)


def hold_competition(site: LiveSite) -> dict[str, str]:
    """Sign up, make a group with a link and an open competition, and hand in to it: what fills the paths of their pages."""
    now = dt.datetime.now(dt.UTC)
    with signed_up(site, f"organiser-{secrets.token_hex(2)}") as browser:
        group = _sent(browser, "/groups/", {"name": "A lab", "about": "Who works on softmax here."}).url.path.split("/")[2]
        linked = _sent(browser, f"/groups/{group}/links/", {"days": "7", "competition": ""})
        link = re.search(r"/join/([\w-]+)/", linked.text)
        assert link is not None, linked.text
        plan = {
            "title": "A week of softmax",
            "group": group,
            "admission": "invitation",
            "ops": "softmax\nlayer_norm",
            "devices": "cpu",
            "opens_at": f"{now - dt.timedelta(minutes=2):%Y-%m-%dT%H:%M}",
            "closes_at": f"{now + dt.timedelta(days=7):%Y-%m-%dT%H:%M}",
            "rules": "# Prizes\n\nA **cake** for whoever leads on both boards.",
        }
        made = _sent(browser, "/competitions/new/", plan)
        competition = made.url.path.split("/")[2]
        assert competition != "new", made.text
        source = (ROOT / "examples" / EXAMPLES["accepted"].replace("triton", "torch")).read_text() + "\n# for the cake\n"
        _hand_in(browser, {"op": "softmax", "device": "cpu", "source": source, "competition": competition}, 0)
    return {"group": group, "invitation": link[1], "competition": competition}


@contextlib.contextmanager
def signed_up(site: LiveSite, name: str) -> Iterator[httpx.Client]:
    """Somebody new, by the form."""
    with httpx.Client(base_url=site.url, timeout=60, follow_redirects=True) as browser:
        password = secrets.token_urlsafe(16)
        _sent(browser, "/accounts/signup/", {"username": name, "password1": password, "password2": password})
        yield browser


def _sent(browser: httpx.Client, path: str, form: Mapping[str, str]) -> httpx.Response:
    """The page that follows a form."""
    if "csrftoken" not in browser.cookies:
        browser.get(path)
    answer = browser.post(path, data={**form, "csrfmiddlewaretoken": browser.cookies["csrftoken"]})
    assert answer.is_success, answer.text
    return answer


def _hand_in(browser: httpx.Client, body: Mapping[str, object], wait_s: int) -> dict[str, Any]:
    sign = {"X-CSRFToken": browser.cookies["csrftoken"]}
    answer = browser.post("/api/v1/submissions", params={"wait": wait_s}, json=dict(body), headers=sign)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())
