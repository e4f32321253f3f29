"""A source that does not become an entry point is the author's `compile_error`, and says where to look."""

from __future__ import annotations

import pytest

from evaluator.contract import Limits, Outcome, State, Verdict
from tests.evaluator.judge.conftest import Judged
from tests.evaluator.judge.kernels import GOOD, relu

pytestmark = pytest.mark.usefixtures("good_in_the_end")


def reason(outcome: Outcome) -> str:
    assert len(outcome.reasons) == 1
    return outcome.reasons[0].message


def test_syntax_error_names_the_line(evaluate: Judged) -> None:
    outcome = evaluate("import torch\n\ndef relu_kernel_impl(x)\n    return x\n")

    assert (outcome.verdict, outcome.stage) == (Verdict.COMPILE_ERROR, State.BUILDING)
    assert "line 3" in reason(outcome)
    assert outcome.correctness_score is None


def test_raising_at_import_shows_the_authors_lines_only(evaluate: Judged) -> None:
    outcome = evaluate("import torch\n\nraise KeyError('no such table')\n" + GOOD)

    assert (outcome.verdict, outcome.stage) == (Verdict.COMPILE_ERROR, State.BUILDING)
    assert "KeyError" in reason(outcome)
    assert "no such table" in reason(outcome)
    assert 'submission.py", line 3' in outcome.reasons[0].detail
    assert "harness.py" not in outcome.reasons[0].detail


def test_exit_at_import_is_not_an_exit_of_the_judge(evaluate: Judged) -> None:
    outcome = evaluate("raise SystemExit(0)\n" + GOOD)

    assert outcome.verdict is Verdict.COMPILE_ERROR
    assert "SystemExit" in reason(outcome)


def test_importing_what_is_not_there(evaluate: Judged) -> None:
    outcome = evaluate("import a_module_that_nobody_has\n" + GOOD)

    assert outcome.verdict is Verdict.COMPILE_ERROR
    assert "a_module_that_nobody_has" in reason(outcome)


def test_missing_entry_point_lists_the_callables(evaluate: Judged) -> None:
    outcome = evaluate("import torch\n\ndef my_relu(x):\n    return x\n\nclass Fast:\n    pass\n")

    assert (outcome.verdict, outcome.stage) == (Verdict.COMPILE_ERROR, State.BUILDING)
    assert "relu_kernel_impl" in reason(outcome)
    assert "my_relu" in reason(outcome)
    assert "Fast" in reason(outcome)


def test_entry_point_that_goes_away_while_importing_lists_the_callables(evaluate: Judged) -> None:
    outcome = evaluate(GOOD + "\ndef other(x):\n    return x\n\ndel globals()['relu_kernel_impl']\n")

    assert outcome.verdict is Verdict.COMPILE_ERROR
    assert "callables found: other" in reason(outcome)


def test_entry_point_that_cannot_be_called(evaluate: Judged) -> None:
    outcome = evaluate("relu_kernel_impl = 3\n")

    assert outcome.verdict is Verdict.COMPILE_ERROR
    assert "relu_kernel_impl" in reason(outcome)


def test_endless_import_ends_at_its_limit(judged: Judged) -> None:
    outcome = judged("while True:\n    pass\n" + GOOD, limits=Limits(import_s=1.5))

    assert (outcome.verdict, outcome.stage) == (Verdict.COMPILE_TIMEOUT, State.BUILDING)
    assert outcome.stage_seconds["importing"] < 60


def test_process_that_ends_while_importing_has_crashed(judged: Judged) -> None:
    outcome = judged("import os\nos._exit(0)\n" + GOOD)

    assert (outcome.verdict, outcome.stage) == (Verdict.CRASHED, State.BUILDING)
    assert "status 0" in reason(outcome)


def test_module_that_takes_its_own_name_away(judged: Judged) -> None:
    """`sys.modules` and `__file__` belong to the submission; the harness does not depend on them."""
    outcome = judged(relu("return torch.relu(x)", "import sys, torch\ndel sys.modules['submission']\n__file__ = None"))

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
