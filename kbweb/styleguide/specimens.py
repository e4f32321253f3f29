"""The components, each as the fragment that pages use. Those that show results show real ones of this site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from django.contrib.auth.models import AbstractBaseUser

from evaluator.contract import Flag, State, Verdict
from kbweb.styleguide.tokens import colours, sizes
from leaderboard.models import Entry
from leaderboard.overview import record_history
from leaderboard.pages.board import lines
from leaderboard.ranking import board
from submissions.access import visible_evaluations
from submissions.line_diff import diff
from submissions.models import HOUSE, Evaluation
from submissions.pages import words
from submissions.pages.result_context import result_context
from submissions.pages.tokens import TokenForm


@dataclass(frozen=True, slots=True)
class Specimen:
    """A component: what it is for, the template that draws it, and what that template is given. `wide` ones stand below each other."""

    name: str
    title: str
    says: str
    template: str
    context: Mapping[str, object] = field(default_factory=dict)
    wide: bool = False


def specimens(reader: AbstractBaseUser) -> Iterator[Specimen]:
    """All components in the order of the page."""
    yield Specimen(
        "colours", "Colours", "Tokens with their contrast on the page's paper.", _own("colours"), {"colours": colours()}, wide=True
    )
    yield Specimen(
        "type", "Type", "Six sizes, one face for text and one for code and names; figures are tabular.", _own("type"), {"sizes": sizes()}
    )
    yield Specimen("head", "Page head", "Where this is, one h1, a sentence, one main action.", _own("head"))
    yield Specimen(
        "buttons", "Buttons and links", "One primary button a page. Whatever changes something is a button in a form.", _own("buttons")
    )
    yield Specimen("badges", "Badges and verdicts", "A tone is never the only sign: the word stands in it.", _own("badges"), _words())
    yield Specimen("notices", "Notices", "What happened and what to do, in that order.", _own("notices"))
    yield Specimen(
        "figures", "Figures and facts", "Numbers that matter with unit and interval; names and values in two columns.", _own("figures")
    )
    yield Specimen(
        "form", "Forms", "A label above, an error below its field; the field says that it is wrong.", _own("form"), {"form": _wrong_form()}
    )
    yield Specimen("filters", "Filters and tabs", "Filters are a form with GET, so that an address holds them.", _own("filters"))
    yield Specimen("cards", "Cards, lists, empty states", "An empty state says how to fill it.", _own("cards"))
    yield Specimen("details", "Details", "What few need. The summary says what is inside, and how much.", _own("details"))
    yield Specimen(
        "code", "Code", "Line numbers are not copied. A block that scrolls can have the focus.", _own("code"), {"source": SOURCE}
    )
    changed = diff(SOURCE, SOURCE.replace("0.0)", "0.0).to(tl.float16)"))
    yield Specimen("changes", "Changed lines", "What is gone, and what is new.", "submissions/_changed_lines.html", {"diff": changed})
    yield from _board_parts(reader)
    yield from _result_parts(reader)


def _board_parts(reader: AbstractBaseUser) -> Iterator[Specimen]:
    newest = Entry.objects.eligible().order_by("-achieved_at").first()
    if newest is None:
        yield Specimen("table", "Tables", "Numbers stand right; the table scrolls in its own box.", _own("nothing"))
        return
    shown = board(newest.op_id, newest.device_id, viewer=reader)
    rows = lines(shown.rows, shown.baselines) or lines(shown.interpreted)
    context = {"rows": rows, "label": "Ranking", "op": newest.op_id, "device": newest.device_id}
    says = "Numbers stand right, with units; bands of ties begin with a darker line; baselines have no rank. It scrolls in its own box."
    yield Specimen("table", "Tables and error bars", says, "leaderboard/_rows.html", context, wide=True)
    if history := record_history(newest.op_id, newest.device_id):
        says = "A picture, and the table with the same numbers."
        yield Specimen("record", "Steps", says, "leaderboard/_history.html", {"history": history, "board": shown}, wide=True)


def _result_parts(reader: AbstractBaseUser) -> Iterator[Specimen]:
    done = visible_evaluations(reader).filter(state=State.DONE).exclude(purpose__in=HOUSE).order_by("-queued_at")
    accepted, wrong = (
        done.filter(verdict=Verdict.ACCEPTED, speedup__isnull=False).first(),
        done.filter(verdict=Verdict.WRONG_RESULT).first(),
    )
    if accepted is not None:
        context = _result(reader, accepted)
        yield Specimen(
            "rail", "Stage rail", "Where an evaluation is, and how long each stage took.", "submissions/_rail.html", context, wide=True
        )
        yield Specimen(
            "charts",
            "Charts",
            "Drawn by the server, coloured by class; the table beside each has the same numbers.",
            _own("charts"),
            context,
            wide=True,
        )
    if wrong is not None:
        says = "What failed stands first, the most telling one open; below it each case with its errors."
        yield Specimen("cases", "Cases", says, _own("cases"), _result(reader, wrong), wide=True)


def _result(reader: AbstractBaseUser, evaluation: Evaluation) -> dict[str, object]:
    return result_context(reader, evaluation.submission, evaluation)


def _words() -> dict[str, object]:
    return {
        "verdicts": [verdict.value for verdict in Verdict],
        "states": [state.value for state in State],
        "flags": [(flag, words.FLAGS[flag]) for flag in Flag],
    }


def _wrong_form() -> TokenForm:
    """The form of the page of tokens as it comes back when the name is missing."""
    form = TokenForm({"name": "", "may": ["submit"], "days": "90"}, label_suffix="")
    form.is_valid()
    return form


def _own(name: str) -> str:
    return f"kbweb/specimens/{name}.html"


SOURCE = '''@triton.jit
def relu_kernel(x, out, n, BLOCK: tl.constexpr):
    """max(x, 0), one block a program."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)  # elements of this program
    tl.store(out + at, tl.maximum(tl.load(x + at, mask=at < n), 0.0), mask=at < n)
'''
