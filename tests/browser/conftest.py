"""Real Chromium against the whole site: web, PostgreSQL, build worker and device worker, as `kb up` starts them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Response, expect

from tests.browser.chromium import ARGUMENTS, executable
from tests.browser.samples import examples_judged
from tests.live_site import ROOT, LiveSite
from tests.needs import need

EXAMPLES = ROOT / "examples"
JUDGED_MS = 180_000
"""How long a browser waits for a verdict: the queue may hold the bundled examples."""
State = dict[str, object]
NewPage = Callable[..., Page]
expect.set_options(timeout=15_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A journey may wait for several verdicts on a busy machine."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(480))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    need(executable(), "Chromium")
    return {"executable_path": executable(), "args": ARGUMENTS}


@pytest.fixture(scope="session")
def signed_in(browser: Browser, site: LiveSite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cookies of the administrator, who came in by the one-time link that `kb up` printed."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(site.sign_in)
    assert page.locator("header").get_by_text("Sign out").is_visible()
    path = tmp_path_factory.mktemp("session") / "state.json"
    context.storage_state(path=path)
    context.close()
    return path


@pytest.fixture(scope="session")
def examples(site: LiveSite) -> dict[str, str]:
    """Ids of the bundled examples' submissions by their files' names, all judged."""
    return examples_judged(site)[0]


@pytest.fixture
def new_page(browser: Browser, site: LiveSite, signed_in: Path) -> Iterator[NewPage]:
    """Open pages, signed in unless `visitor=True`. The test fails when one of them breaks the CSP, throws, or misses a file."""
    opened: list[BrowserContext] = []
    faults: list[str] = []

    def make(*, visitor: bool = False, **options: object) -> Page:
        if not visitor:
            options["storage_state"] = signed_in
        context = browser.new_context(base_url=site.url, **options)  # type: ignore[arg-type]
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        opened.append(context)
        page = context.new_page()
        watch(page, faults)
        return page

    yield make
    for context in opened:
        context.close()
    assert not faults


@pytest.fixture
def page(new_page: NewPage) -> Page:
    return new_page()


def watch(page: Page, faults: list[str]) -> None:
    """Note what a healthy page never does."""

    def console(message: ConsoleMessage) -> None:
        against_policy = "Content Security Policy" in message.text
        if against_policy or (message.type == "error" and "status of 4" not in message.text and "WebSocket" not in message.text):
            faults.append(f"{page.url}: {message.text}")

    def answered(response: Response) -> None:
        if response.status >= 500 or (response.status >= 400 and "/static/" in response.url):
            faults.append(f"{response.url}: {response.status}")

    page.on("console", console)
    page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
    page.on("response", answered)


def example(name: str) -> str:
    return (EXAMPLES / name).read_text()


def write_source(page: Page, source: str) -> None:
    """Write into the editor of an open submit page, once it stands where the form's own field stood."""
    editor = page.get_by_role("textbox", name="Source", exact=True)
    expect(editor).to_have_id("source-editor")  # an action that has found the field keeps waiting for it when it has been hidden
    editor.fill(source)


def submit_by_rest(site: LiveSite, source: str, *, wait_s: int = 0, **fields: object) -> dict[str, object]:
    """Hand in as a bot does; with `wait_s` until the verdict is there."""
    with site.client() as client:
        answer = client.post(f"submissions?wait={wait_s}", json={"op": "softmax", "source": source, "device": "cpu"} | fields)
    assert answer.status_code == 201, answer.text
    return dict(json.loads(answer.text))
