"""`kb` against a running site: what a person and a script get, and the exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rich.text import Text

from kbweb.cli.follow import plain
from tests.live_site import ROOT, LiveSite

pytestmark = pytest.mark.slow
EXAMPLES = ROOT / "examples"
LOUD = """def softmax_kernel_impl(x, dim):
    raise ValueError('[bold]not markup[/nonsense] \\x1b[31m' + 'x' * 5000)
"""


def test_ops_lists_the_catalogue(own: LiveSite) -> None:
    done = own.kb("ops", "--json")

    assert done.returncode == 0
    assert {"softmax", "mm", "layer_norm"} <= {op["slug"] for op in json.loads(done.stdout)}


def test_an_accepted_kernel_is_0_and_stands_on_the_board(own: LiveSite) -> None:
    done = own.kb("submit", str(EXAMPLES / "softmax_torch.py"), "--op", "softmax", "--watch", "--json")

    assert done.returncode == 0, done.stderr
    evaluation = json.loads(done.stdout)["evaluations"][0]
    assert (evaluation["verdict"], evaluation["device"]) == ("accepted", "cpu")
    board = json.loads(own.kb("board", "softmax", "cpu", "--json").stdout)
    assert evaluation["id"] in {row["evaluation"] for row in board["rows"]}
    assert "admin" in own.kb("board", "softmax", "cpu").stdout


def test_a_wrong_kernel_is_1_with_its_reason(own: LiveSite) -> None:
    done = own.kb("submit", str(EXAMPLES / "softmax_wrong.py"), "--op", "softmax", "--device", "cpu", "--watch")
    again = own.kb("submit", str(EXAMPLES / "softmax_wrong.py"), "--op", "softmax", "--device", "cpu", "--mode", "test", "--feedback")

    assert (done.returncode, again.returncode) == (1, 1), done.stderr + again.stderr
    assert "wrong_result" in done.stdout
    assert "elements are wrong" in done.stdout
    assert again.stdout.startswith("# softmax on cpu: wrong_result\n")
    assert "| index | expected | got | ulp |" in again.stdout


def test_what_is_done_can_be_watched_again(own: LiveSite) -> None:
    handed_in = json.loads(own.kb("submit", str(EXAMPLES / "gelu_raises.py"), "--op", "gelu", "--json").stdout)

    by_evaluation = own.kb("watch", handed_in["evaluations"][0]["id"])
    by_submission = own.kb("watch", handed_in["id"], "--json")

    assert (by_evaluation.returncode, by_submission.returncode) == (1, 1)
    lines = by_evaluation.stdout.splitlines()
    assert sum(line.startswith("checking") for line in lines) == 1, "the steps are shown as if one had watched"
    assert sum(line.startswith("runtime_error") for line in lines) == 1
    assert json.loads(by_submission.stdout)["verdict"] == "runtime_error"


def test_what_was_edited_names_what_it_was_made_from(own: LiveSite) -> None:
    command = ("submit", str(EXAMPLES / "gelu_raises.py"), "--op", "gelu", "--mode", "test", "--json")
    first = json.loads(own.kb(*command).stdout)

    second = json.loads(own.kb(*command, "--parent", first["id"]).stdout)
    wrong = own.kb(*command, "--parent", "nothing")

    assert (first["parent"], second["parent"]) == (None, first["id"])
    assert wrong.returncode == 2
    assert "There is no submission 'nothing' whose source you may read." in wrong.stdout


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (["--op", "sofmax", "--device", "cpu"], "op"),
        (["--op", "softmax", "--device", "tpu"], "device"),
        (["--op", "softmax", "--type", "x"], "kernel_type"),
    ],
)
def test_a_refused_hand_in_is_2_and_names_the_field(own: LiveSite, options: list[str], field: str) -> None:
    done = own.kb("submit", str(EXAMPLES / "softmax_torch.py"), *options, "--json")

    assert done.returncode == 2
    assert field in json.loads(done.stdout)["errors"]


def test_an_unknown_id_is_2(own: LiveSite) -> None:
    assert own.kb("watch", "nosuchthing2").returncode == 2


def test_tokens_are_made_listed_and_revoked(own: LiveSite) -> None:
    made = json.loads(own.kb("tokens", "create", "ci", "--read-only", "--json").stdout)
    listed = json.loads(own.kb("tokens", "list", "--json").stdout)
    own.environment |= {"KB_URL": own.url, "KB_TOKEN": made["token"]}
    try:
        reading = own.kb("ops", "--json")
        writing = own.kb("submit", str(EXAMPLES / "softmax_torch.py"), "--op", "softmax", "--device", "cpu")
    finally:
        del own.environment["KB_URL"], own.environment["KB_TOKEN"]
    revoked = own.kb("tokens", "revoke", str(next(token["id"] for token in listed if token["name"] == "ci")))

    assert reading.returncode == 0
    assert writing.returncode == 2
    assert "lacks the scope submit" in writing.stderr
    assert revoked.returncode == 0
    assert "ci" not in {token["name"] for token in json.loads(own.kb("tokens", "list", "--json").stdout)}


def test_a_new_sign_in_link_can_be_had(own: LiveSite) -> None:
    done = own.kb("tokens", "sign-in")

    assert done.stdout.startswith(f"{own.url}/signin/")


def test_doctor_sees_the_running_site(own: LiveSite) -> None:
    found = json.loads(own.kb("doctor", "--no-sandbox", "--json").stdout)

    levels = {finding["name"]: finding["level"] for finding in found["findings"]}
    assert levels["database"] == levels["tables"] == levels["worker"] == "ok"
    assert found["ok"]


def test_watching_goes_on_over_a_restart_of_web_and_database(own: LiveSite) -> None:
    command = [sys.executable, "-u", "-m", "kbweb.cli", "submit", str(EXAMPLES / "layer_norm_torch.py"), "--op", "layer_norm", "--watch"]
    with subprocess.Popen(command, cwd=ROOT, env=own.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as watching:
        assert watching.stdout is not None
        seen = [next(line for line in watching.stdout if "checking" in line)]
        os.kill(own.children()["web"], signal.SIGKILL)
        own.restart_postgres()
        seen += list(watching.stdout)

    assert watching.returncode == 0, "".join(seen)
    cases = [line for line in seen if line.startswith("  ✓")]
    assert len(cases) >= 15
    assert sum(line.startswith("accepted") for line in seen) == 1


def test_a_message_of_any_length_never_breaks_the_terminal(own: LiveSite, tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(LOUD)

    done = own.kb("submit", str(tmp_path / "loud.py"), "--op", "softmax", "--type", "torch", "--watch")

    assert done.returncode == 1, done.stderr
    assert "[bold]not markup[/nonsense]" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_text_of_others_is_harmless_on_a_terminal() -> None:
    shown = plain("[bold]x[/nonsense] \x1b[31m \u202e\r\x07")

    assert Text.from_markup(shown).plain.startswith("[bold]x[/nonsense]")
    assert not {"\x1b", "\u202e", "\r", "\x07"} & set(shown)
