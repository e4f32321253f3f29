"""`kb import`: from a trace to rows of the site, the ops tried in a process of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kbweb.cli import app
from kbweb.cli.output import Failure
from leaderboard import imported
from leaderboard.models import Op
from tests.evaluator.recorded.offers import softmax_document

pytestmark = pytest.mark.django_db
Kb = Callable[..., Result]
TRACE = """Operator: aten.relu.default
cnt: 2, ((T([9, 65], f32),), {})
cnt: 1, ((T([9, 65], f99),), {})
Operator: aten.view.default
cnt: 2, ((T([9, 65], f32), [585]), {})
"""


@pytest.fixture
def kb() -> Kb:
    return lambda *arguments: CliRunner().invoke(app, ["import", *arguments], catch_exceptions=False)


def test_a_dry_run_tries_all_reports_all_and_changes_nothing(kb: Kb, tmp_path: Path) -> None:
    """That `kb import` fills rows is seen on a live site: `test_worker_end_to_end.py`."""
    (tmp_path / "trace.txt").write_text(TRACE)

    done = kb("backendbench", str(tmp_path / "trace.txt"), "--dry-run", "--suite", "mine")

    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.output.splitlines()]
    assert lines[1] == ["mine/aten.relu.default", "1", "1", "–"]
    assert [line[:2] for line in lines[2:4]] == [["refused", "aten.view.default:"], ["unused", "trace.txt:3:"]]
    assert done.output.endswith("1 ops loaded, 1 refused, 1 lines unused\nnothing was changed\n")
    assert not Op.objects.exists()


def test_a_suite_is_removed(kb: Kb) -> None:
    imported.store([softmax_document()], "backendbench")

    assert json.loads(kb("--remove", "mine", "--json").output) == {"removed": ["mine/softmax.int"]}
    assert not Op.objects.active().exists()
    with pytest.raises(Failure, match="No imported op of a suite 'mine'"):
        kb("--remove", "mine")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Name a source"),
        (("backendbench", "--remove", "x"), "Name a source"),
        (("backendbench", "nowhere.txt"), "nowhere.txt does not exist"),
        (("somebody",), "invalid choice: 'somebody'"),
    ],
)
def test_wrong_use_is_2_and_says_what_is_wrong(kb: Kb, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(Failure, match=message) as failure:
        kb(*arguments)

    assert failure.value.exit_code == 2
