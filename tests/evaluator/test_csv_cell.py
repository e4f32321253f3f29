"""What a spreadsheet would run is text."""

from __future__ import annotations

import pytest

from evaluator.csv_cell import cell
from evaluator.samples import CaseSamples, as_csv


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\nx", "  =1", "\uff1d1", " \uff0b1"])
def test_no_cell_is_a_formula(text: str) -> None:
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "alice", "1=1", "a-b", " a", "(64, 1, 1)"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert cell(text) == text


def test_samples_are_written_so() -> None:
    assert as_csv([CaseSamples("=cmd|x", (1.5,), ())]).splitlines()[1] == "'=cmd|x,candidate,1,1.5"
