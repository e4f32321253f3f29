"""`kb suite` against the site's own views, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from pytest_django.live_server_helper import LiveServer
from typer.testing import CliRunner, Result

from evaluator.contract import Flag, KernelType
from kbweb.cli import app
from kbweb.cli.output import Failure
from leaderboard.suites import Suite
from tests.leaderboard.trial import OPS, ended, make_trial

pytestmark = pytest.mark.django_db(transaction=True, available_apps=[app.name for app in apps.get_app_configs()])
Kb = Callable[..., Result]


@pytest.fixture
def trial(db: None) -> Suite:
    return make_trial()


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def kb(live_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> Kb:
    monkeypatch.setenv("KB_URL", live_server.url)
    monkeypatch.delenv("KB_TOKEN", raising=False)
    return lambda *arguments: CliRunner().invoke(app, ["suite", *arguments])


def test_suites_and_the_figures_of_one(kb: Kb, trial: Suite, alice: User) -> None:
    fast = ended(alice, OPS[0], 1.6, agent="[bold]bot")
    ended(alice, OPS[1], score=0.5, agent="[bold]bot")

    listed, as_json = kb("list"), kb("list", "--json")
    everybody = kb("results", "trial", "--device", "h100")
    agents = kb("results", "trial", "--device", "h100", "--by", "agent")
    document = kb("results", "trial", "--device", "h100", "--author", "alice", "--json")

    assert listed.output.split("\n")[1].split() == ["trial", "4", "Ops", "imported", "as", "trial."]
    assert [suite["slug"] for suite in json.loads(as_json.output)] == ["trial"]
    lines = [" ".join(line.split()) for line in everybody.output.splitlines()]
    assert "everybody 2 / 4 1 25.0% 0.750 25.0% 25.0% 25.0% 0.0% 1.600× (1) 2" in lines
    assert f"{OPS[0]} accepted 1.000 1.600× (1.584 to 1.616) alice ([bold]bot) {fast.pk}" in lines
    assert any(line.startswith(f"{OPS[1]} wrong_result 0.500 –") for line in lines)
    assert f"{OPS[3]} not attempted – –" in lines
    assert "\n[bold]bot " in agents.output
    assert "op by op" not in agents.output
    assert json.loads(document.output)["rows"][0]["figures"]["accepted"] == 1


def test_what_was_interpreted_says_so(kb: Kb, trial: Suite, alice: User) -> None:
    ended(alice, OPS[0], 0.01, device="cpu", kernel_type=KernelType.TRITON, flags=(Flag.INTERPRETED,))

    shown = kb("results", "trial", "-d", "cpu").output

    assert "everybody, interpreted" in shown
    assert "interpreted, op by op" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("results", "trail", "--device", "h100"), "suite: There is no suite 'trail'. Did you mean trial?"),
        (("results", "trial", "--device", "h100", "--by", "cat"), "by: "),
        (("results", "trial", "--device", "h100", "--author", "nobody"), "author: Nobody called 'nobody'"),
    ],
)
def test_a_wrong_name_is_2_and_says_which(kb: Kb, trial: Suite, arguments: tuple[str, ...], said: str) -> None:
    failure = kb(*arguments).exception

    assert isinstance(failure, Failure)
    assert failure.exit_code == 2
    assert said in failure.message
