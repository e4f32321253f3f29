"""All that the result page shows of one evaluation, read once for the first page, its fragment and its reload."""

from __future__ import annotations

from evaluator.contract import EPOCH, State, Verdict
from submissions.access import Reader, is_staff, may_cancel, may_read_log, may_read_source, may_rerun
from submissions.competitions.access import competition_of
from submissions.confirming import CONFIRMING_RUNS, of_evaluation
from submissions.decisions.reading import decisions_of
from submissions.models import Evaluation, Submission, Visibility
from submissions.pages import words
from submissions.pages.beside import beside
from submissions.pages.build_sheet import build_sheet
from submissions.pages.counts import counts
from submissions.pages.headline import headline
from submissions.pages.live_tables import live_tables
from submissions.pages.planned import planned
from submissions.pages.profile import profile_sheet
from submissions.pages.progress import Progress, progress
from submissions.pages.reproduce import commands
from submissions.pages.share_links import share_links
from submissions.pages.sheet import Sheet, sheet
from submissions.pages.surroundings import surroundings
from submissions.pages.told import told
from submissions.pages.typical import typical
from submissions.profile_run import may_profile
from submissions.queue_position import position

WAITING = (State.QUEUED, State.WAITING)
REFRESH_WAITING_S = 4
"""Nobody tells the stream of an evaluation that others before it are done, so whoever waits asks again."""


def result_context(user: Reader, shown: Submission, evaluation: Evaluation) -> dict[str, object]:
    """What `submissions/_evaluation.html` needs. `evaluation` has its submission and author at hand."""
    done = evaluation.state == State.DONE
    now = progress(evaluation, typical(evaluation))
    readable = may_read_source(user, shown)
    found = sheet(evaluation, may_read_source=readable) if done else None
    confirming = of_evaluation(evaluation, shown)
    others = beside(evaluation, user)
    on_board = others is not None and others.place is not None
    public = shown.visibility != Visibility.PRIVATE
    common = {
        "submission": shown,
        "competition": competition_of(user, shown.competition_id),
        "evaluation": evaluation,
        "done": done,
        "epoch_now": EPOCH,
        "told": told(evaluation, found),
        "counts": counts(evaluation, others, confirming),
        "flags": [(flag, words.FLAGS.get(flag, "")) for flag in evaluation.flags],
        "progress": now,
        "may_read_log": may_read_log(user, evaluation),
        "may_read_source": readable,
        "may_cancel": may_cancel(user, evaluation),
        "confirming": confirming,
        "confirming_run": confirming.run_of(evaluation.pk) if confirming else None,
        "confirming_runs_needed": CONFIRMING_RUNS,
        "beside": others,
        "share": share_links(evaluation, headline(evaluation), on_board=on_board) if public else None,
    }
    return common | (_final(user, shown, evaluation, found, now) if done else _live(evaluation, now, readable=readable))


def _live(evaluation: Evaluation, now: Progress, *, readable: bool) -> dict[str, object]:
    waits = evaluation.state in WAITING
    return {
        "tables": live_tables(State(evaluation.state), planned(evaluation), now, may_read_source=readable),
        "log": now.log if readable else "",
        "queue": position(evaluation) if waits else None,
        "refresh_s": REFRESH_WAITING_S if waits else None,
    }


def _final(user: Reader, shown: Submission, evaluation: Evaluation, found: Sheet | None, now: Progress) -> dict[str, object]:
    readable = may_read_source(user, shown)
    return {
        "sheet": found,
        "log": evaluation.log if may_read_log(user, evaluation) else "",
        "decisions": decisions_of(user, evaluation),
        "may_moderate": is_staff(user),
        "may_rerun": may_rerun(user, evaluation),
        "worth_sharing": evaluation.verdict not in (Verdict.SUSPECT, Verdict.CANCELLED, Verdict.INFRA_ERROR),
        "may_correct": may_rerun(user, evaluation) and evaluation.verdict not in (Verdict.ACCEPTED, Verdict.SUSPECT),
        "build": build_sheet(evaluation, found.outcome if found else None, now.notes) if readable else None,
        "surroundings": surroundings(evaluation, found.outcome) if found else [],
        "commands": commands(evaluation, shown, found) if found else [],
        "profile": profile_sheet(evaluation, found) if readable and found is not None else None,
        "may_profile": may_profile(user, evaluation),
    }
