"""An entry that brings torch down, or never ends, costs itself and no other."""

from __future__ import annotations

import pytest

from evaluator.ops.opinfo.children import Built, Child, build_apart
from tests.evaluator.opinfo.works import work


def test_a_process_that_dies_is_replaced(capfd: pytest.CaptureFixture[str]) -> None:
    built = list(build_apart(["killed", "fine", "fine, too"], "mine", 2, work))

    assert built == [
        Built("killed", refused="torch brings its process down (signal 9)"),
        Built("fine", refused="mine has no use for it"),
        Built("fine, too", refused="mine has no use for it"),
    ]
    out, err = capfd.readouterr()
    assert (out, err.count("to standard output")) == ("", 2)


def test_one_that_never_ends_is_given_up() -> None:
    child = Child("mine", work, limit_s=0.2)
    try:
        assert child.build("endless") == Built("endless", refused="it takes more than 0.2 s")
    finally:
        child.close()
