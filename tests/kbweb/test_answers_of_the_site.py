"""What `kb` makes of answers: which evaluations are followed, and nothing breaks on what is missing."""

from __future__ import annotations

from kbweb.cli import answers
from kbweb.cli.follow import own_evaluations
from submissions.models import HOUSE, Purpose


def test_nobody_waits_for_the_site_s_own_runs() -> None:
    runs = [{"id": purpose.value, "purpose": purpose.value} for purpose in Purpose]

    assert own_evaluations({"evaluations": runs}) == [purpose.value for purpose in Purpose if purpose not in HOUSE]
    assert own_evaluations({}) == []


def test_what_is_missing_is_empty() -> None:
    answer: answers.Json = {"rows": [{"a": 1}, 7], "one": {"b": 2}, "text": "x", "null": None}

    assert answers.objects(answer, "rows") == [{"a": 1}]
    assert answers.values(answer, "rows") == [{"a": 1}, 7]
    assert answers.part(answer, "one") == {"b": 2}
    for name in ("text", "null", "none"):
        assert (answers.objects(answer, name), answers.values(answer, name), answers.part(answer, name)) == ([], [], {})
    assert (answers.ratio(1.5), answers.ratio(None), answers.number("1"), answers.number(2)) == ("1.500×", "–", None, 2.0)
