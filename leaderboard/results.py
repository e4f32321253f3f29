"""How far an author, an agent or everybody together got with a suite on a device: one result per op, summed up (`leaderboard/figures.py`).

What counts:

- An op is *attempted* when an evaluation of it ended with a verdict on the kernel. `cancelled` and `infra_error` say nothing about it,
  and a run with a seed of the author's choice shows its inputs beforehand and leaves hidden cases out: neither is an attempt.
  Nor is a run under another policy than the ranked one, or one that the site handed in by itself.
- A confirming run that ends with a verdict against its source is an attempt, though, and the accepted evaluations of that source in that
  epoch are none any more: what was refused on a second look is not right. Nor is such an entry fast, or any that could not be confirmed.
- An op is *accepted* when an evaluation in any mode ended `accepted`. Of several the best counts, as for KernelBench's best of k
  samples; the number of evaluations is given, because the best of a thousand tries says less than the first.
- `suspect` and `rejected` evaluations count as attempts with a correctness_score of 0: what they computed is not believed.
- An op's speedup is that of the author's entry (`leaderboard.models.Entry`, with a rank now). With an agent label, it is that of the best
  source handed in under the label, by the entry's own rule: the median over all eligible runs of the same normalised source.
- What ran in Triton's interpreter is kept apart, as on boards.
- Private submissions count for nobody but their author, in what that author sees (staff, too, see the public figures); they have no
  entry, so they never count as fast.

Two queries, with agent labels three, whatever the number of ops, authors and evaluations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.contrib.auth.models import AnonymousUser
from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import (
    BooleanField,
    Case,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    FloatField,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
    Window,
)
from django.db.models.functions import Coalesce

from evaluator.contract import KernelType, Policy, State, Verdict
from leaderboard.eligibility import eligible_evaluations, interpreted
from leaderboard.figures import Attempt, Figures, OpResult, Speed, best_first, best_of, figures
from leaderboard.medians import CONFIRMING, fresh, median
from leaderboard.models import Entry
from leaderboard.suites import Suite
from submissions.access import visible_evaluations
from submissions.confirming import CONFIRMING_RUNS, MOST_DOUBTS, Confirmation, doubts, on_boards, refuses
from submissions.models import HOUSE, Evaluation, Purpose, Visibility
from submissions.readers import Reader

By = Literal["author", "agent"]
NO_ATTEMPT = (Verdict.CANCELLED, Verdict.INFRA_ERROR)
NOT_BELIEVED = (Verdict.SUSPECT, Verdict.REJECTED)


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of an author (`author`), of an agent label (`agent`, empty for kernels without one), or of all together (both empty).

    `per_op` has one result for each op of the suite, in its order.
    """

    author: str
    agent: str
    interpreted: bool
    figures: Figures
    per_op: tuple[OpResult, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """A suite on a device as a reader sees it. `rows`, best first, and `interpreted` are apart.

    `together` takes the best of all rows for each op; `interpreted_together` is None when nothing was interpreted. `author` and `agent`
    are the filters.
    """

    suite: Suite
    device: str
    author: str
    agent: str
    rows: tuple[Row, ...]
    interpreted: tuple[Row, ...]
    together: Row
    interpreted_together: Row | None

    @property
    def only_interpreted(self) -> bool:
        return bool(self.interpreted) and not self.rows


@dataclass(frozen=True, slots=True)
class Key:
    """One result: of whom (author or agent label), interpreted or not, at which op."""

    who: str
    interpreted: bool
    op: str


def results(suite: Suite, device: str, *, reader: Reader | None = None, author: str = "", agent: str = "", by: By = "author") -> Results:
    """The figures per author, or per agent label, and of all together; `author` and `agent` narrow what is looked at (empty: all).

    An unknown device, author or label gives no rows, and a `together` in which nothing was attempted.
    """
    wanted = Q(op__in=[op.slug for op in suite.ops]) & Q(device=device)
    attempts = _attempts(wanted, reader or AnonymousUser(), author, agent, by)
    speeds = _runs(wanted, author, agent, by) if agent or by == "agent" else _entries(wanted, author)
    found: dict[tuple[bool, str], dict[str, OpResult]] = defaultdict(dict)
    titles = {op.slug: op.title for op in suite.ops}
    for key, attempt in attempts.items():
        speed = speeds.get(key) if attempt.accepted else None
        found[key.interpreted, key.who][key.op] = OpResult(key.op, titles[key.op], attempt, speed)
    rows = [_row(suite, who if by == "author" else "", who if by == "agent" else "", apart, ops) for (apart, who), ops in found.items()]
    rows.sort(key=lambda row: (*best_first(row.figures), row.author, row.agent))
    compiled = tuple(row for row in rows if not row.interpreted)
    in_interpreter = tuple(row for row in rows if row.interpreted)
    return Results(
        suite=suite,
        device=device,
        author=author,
        agent=agent,
        rows=compiled,
        interpreted=in_interpreter,
        together=_together(suite, author, agent, compiled, apart=False),
        interpreted_together=_together(suite, author, agent, in_interpreter, apart=True) if in_interpreter else None,
    )


def _row(suite: Suite, author: str, agent: str, apart: bool, by_op: Mapping[str, OpResult]) -> Row:
    per_op = tuple(by_op.get(op.slug) or OpResult(op.slug, op.title) for op in suite.ops)
    return Row(author, agent, apart, figures(per_op), per_op)


def _together(suite: Suite, author: str, agent: str, rows: Iterable[Row], *, apart: bool) -> Row:
    per_row = [row.per_op for row in rows]
    by_op = {of_op[0].op: best_of(of_op) for of_op in zip(*per_row, strict=True)}
    return _row(suite, author, agent, apart, by_op)


def _attempts(wanted: Q, reader: Reader, author: str, agent: str, by: By) -> dict[Key, Attempt]:
    """The best evaluation of everyone at each op: accepted before not, then by cases right, then the first."""
    unread = Q(submission__visibility=Visibility.PRIVATE) & ~Q(author_id=reader.pk)
    right = Case(
        When(verdict=Verdict.ACCEPTED, then=Value(1.0)),
        When(verdict__in=NOT_BELIEVED, then=Value(0.0)),
        default=Coalesce("correctness_score", 0.0),
        output_field=FloatField(),
    )
    ended_in_build = Q(device="cpu", submission__kernel_type=KernelType.TRITON) & ~Q(verdict=Verdict.ACCEPTED)
    tried = _of(visible_evaluations(reader).filter(wanted), author, agent)
    tried = tried.filter(state=State.DONE, seed__isnull=True, policy=Policy.SCALED).exclude(verdict__in=NO_ATTEMPT).exclude(unread)
    tried = tried.annotate(held=Coalesce("submission__competition_id", 0)).annotate(refused=_refused())
    tried = tried.filter(
        Q(refused=False) & ~Q(purpose__in=HOUSE) | Q(refused=True) & ~Q(purpose=Purpose.HOUSE) & ~Q(verdict=Verdict.ACCEPTED)
    )
    tried = tried.annotate(
        who=_who(by),
        apart=ExpressionWrapper(interpreted() | ended_in_build, output_field=BooleanField()),
        accepted=ExpressionWrapper(Q(verdict=Verdict.ACCEPTED), output_field=BooleanField()),
        right=right,
    ).annotate(tries=Window(Count("pk"), partition_by=["who", "apart", "op"]))
    best = tried.order_by("who", "apart", "op", "-accepted", "-right", "finished_at", "pk").distinct("who", "apart", "op")
    names = ("who", "apart", "op", "pk", "submission_id", "author__username", "submission__agent", "verdict", "mode", "right", "tries")
    return {Key(who, apart, op): Attempt(*values) for who, apart, op, *values in best.values_list(*names)}


def _refused() -> Exists:
    """Whether confirming runs of an evaluation's epoch spoke against its source there: on the open boards, or in its own competition."""
    same = {name: OuterRef(name) for name in ("op", "device", "author_id", "epoch", "submission__normalised_sha256")}
    held = Coalesce("submission__competition_id", 0)
    runs = Evaluation.objects.filter(refuses() | doubts(), **same).annotate(held=held).filter(held=OuterRef("held")).order_by()
    spoken = runs.values("author_id").annotate(against=Count("pk", filter=refuses()), doubtful=Count("pk"))
    return Exists(spoken.filter(Q(against__gt=0) | Q(doubtful__gte=MOST_DOUBTS)))


def _entries(wanted: Q, author: str) -> dict[Key, Speed]:
    """The speed of each author's entry."""
    standing = Entry.objects.ranked().filter(wanted).order_by()
    if author:
        standing = standing.filter(author__username=author)
    names = ("author__username", "interpreted", "op_id", "evaluation_id", "evaluation__submission_id")
    more = ("author__username", "evaluation__submission__agent", "speedup", "speedup_low", "speedup_high")
    return {Key(who, apart, op): Speed(*values) for who, apart, op, *values in standing.values_list(*names, *more)}


def _runs(wanted: Q, author: str, agent: str, by: By) -> dict[Key, Speed]:
    """The speed of the best source of each author or agent label, as `entries.best_source` finds it, over runs under the label alone."""
    runs = _of(eligible_evaluations().filter(wanted, finished_at__isnull=False), author, agent).order_by()
    runs = runs.annotate(who=_who(by), apart=ExpressionWrapper(interpreted(), output_field=BooleanField()))
    sources = runs.values(
        "who", "apart", "op", "author_id", "author__username", "submission__agent", "submission__normalised_sha256"
    ).annotate(
        fresh=fresh(),
        median_speedup=median("speedup"),
        median_low=median("speedup_low"),
        median_high=median("speedup_high"),
        evaluations=_in_order("pk"),
        submissions=_in_order("submission_id"),
        first=Min("finished_at"),
    )
    stopped = _stopped(wanted)
    by_author: dict[tuple[Key, int], list[Mapping[str, Any]]] = defaultdict(list)
    for source in sources.order_by("-median_speedup", "first"):
        if (source["op"], source["author_id"], source["submission__normalised_sha256"]) not in stopped:
            by_author[Key(source["who"], source["apart"], source["op"]), source["author_id"]].append(source)
    best: dict[Key, Speed] = {}
    for (key, _), of_author in by_author.items():
        speed = _speed(_standing(of_author))
        if key not in best or best[key].speedup < speed.speedup:
            best[key] = speed
    return best


def _standing(of_author: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The source that would be its author's entry, of several, best first."""
    confirmed = next((source for source in of_author if source["fresh"] >= CONFIRMING_RUNS), None)
    if confirmed is None:
        return of_author[0]
    return next(source for source in of_author if source is confirmed or source["median_low"] > confirmed["median_high"])


def _speed(source: Mapping[str, Any]) -> Speed:
    middle = (len(source["evaluations"]) - 1) // 2
    return Speed(
        evaluation=source["evaluations"][middle],
        submission=source["submissions"][middle],
        author=source["author__username"],
        agent=source["submission__agent"],
        speedup=source["median_speedup"],
        low=source["median_low"],
        high=source["median_high"],
    )


def _stopped(wanted: Q) -> set[tuple[str, int, str]]:
    """Op, author and normalised source of what the site could not confirm."""
    found = on_boards(wanted).items()
    return {(op, author, sha) for (op, _, author, sha), runs in found if runs.confirmation is Confirmation.NOT_CONFIRMED}


def _in_order(column: str) -> Case:
    """A column of the runs that the medians are over, slowest first. Needs `fresh`, as they do."""
    order = ("speedup", "finished_at", "pk")
    enough = When(fresh__gte=CONFIRMING_RUNS, then=ArrayAgg(column, filter=CONFIRMING, order_by=order))
    return Case(enough, default=ArrayAgg(column, order_by=order))


def _of(evaluations: QuerySet[Evaluation], author: str, agent: str) -> QuerySet[Evaluation]:
    if author:
        evaluations = evaluations.filter(author__username=author)
    return evaluations.filter(submission__agent=agent) if agent else evaluations


def _who(by: By) -> F:
    return F("author__username" if by == "author" else "submission__agent")
