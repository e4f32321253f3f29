"""`/moderation/`: what is held for review, the evidence, and the decision. For staff; for others it does not exist."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django import forms
from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluator.contract import State, Verdict
from leaderboard.evidence import evidence, latest_decisions, queue, since
from leaderboard.moderation import MAX_REASON, OPEN_TO, DecisionError, decide, may_be_hidden, withdraw
from leaderboard.similar import similar_to
from submissions.access import access_evaluation, access_submission, is_staff
from submissions.decisions.models import Decision, Kind
from submissions.line_diff import kept_diff
from submissions.models import Evaluation
from submissions.pages import words

View = Callable[..., HttpResponse]
WORDS = {
    Kind.ACCEPT: "Accept as it is: the verdict becomes accepted, and it stands on the board",
    Kind.REFUSE: "Refuse: the verdict becomes rejected, it stays out, and its source is held again whoever hands it in",
    Kind.HIDE: "Hide the submission: only its author and staff see it, and it leaves all boards",
}


class DecisionForm(forms.Form):
    kind = forms.ChoiceField(label="Decision", widget=forms.RadioSelect)
    reason = forms.CharField(
        label="Reason", max_length=MAX_REASON, widget=forms.Textarea(attrs={"rows": 4}), help_text="The author reads it word for word."
    )
    every_run = forms.BooleanField(label="Also on the other runs of this source by this author on this board", required=False, initial=True)

    def __init__(self, *args: object, evaluation: Evaluation, **kwargs: object) -> None:
        super().__init__(*args, **kwargs, label_suffix="")  # type: ignore[arg-type, misc]
        open_now = [kind for kind in Kind if evaluation.verdict in OPEN_TO[kind]]
        if Kind.HIDE in open_now and not may_be_hidden(evaluation.submission):
            open_now.remove(Kind.HIDE)
        kinds = self.fields["kind"]
        assert isinstance(kinds, forms.ChoiceField)
        kinds.choices = [(kind.value, WORDS[kind]) for kind in open_now]


class WithdrawForm(forms.Form):
    reason = forms.CharField(label="Why it is withdrawn", max_length=MAX_REASON, widget=forms.Textarea(attrs={"rows": 3}))


def staff_only(view: View) -> View:
    """404 for everybody else, as for all that a reader may not see."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not is_staff(request.user):
            raise Http404("There is no such page.")
        return view(request, *args, **kwargs)

    return wrapped


@require_safe
@never_cache
@staff_only
def moderation(request: HttpRequest) -> HttpResponse:
    held = queue()
    context = {"queue": held, "since": since(held), "decisions": latest_decisions(), "section": "moderation"}
    return render(request, "leaderboard/moderation.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@staff_only
def moderate(request: HttpRequest, evaluation_id: str) -> HttpResponse:
    """The evidence about one evaluation (`?with=<submission>`: the difference to that one), or decide on it."""
    evaluation = access_evaluation(request.user, evaluation_id)
    if evaluation.state != State.DONE:
        raise Http404("This evaluation is not done.")
    if request.method != "POST":
        return _page(request, evaluation, DecisionForm(evaluation=evaluation, initial=_likely(evaluation)))
    form = DecisionForm(request.POST, evaluation=evaluation)
    if form.is_valid():
        given = form.cleaned_data
        try:
            made = decide(_actor(request), evaluation.pk, Kind(given["kind"]), given["reason"], every_run=given["every_run"])
        except DecisionError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{made[0].get_kind_display().capitalize()}: {len(made)} evaluation{'s' if len(made) > 1 else ''}.")
            return redirect("moderate", evaluation.pk)
    return _page(request, evaluation, form, 422)


@require_POST
@never_cache
@staff_only
def take_back(request: HttpRequest, decision_id: str) -> HttpResponse:
    form = WithdrawForm(request.POST)
    decision = Decision.objects.filter(pk=decision_id).first()
    if decision is None:
        raise Http404("There is no such decision.")
    try:
        withdraw(_actor(request), decision_id, form.data.get("reason", ""))
        messages.success(request, "Withdrawn: everything is again as it was before the decision.")
    except DecisionError as error:
        messages.error(request, str(error))
    return redirect("moderate", decision.evaluation_id)


def _page(request: HttpRequest, evaluation: Evaluation, form: DecisionForm, status: int = 200) -> HttpResponse:
    chosen = request.GET.get("with", "")
    other = access_submission(request.user, chosen) if chosen else None
    if other is not None and other.op != evaluation.op:
        raise Http404("That submission is for another op.")
    context = {
        "found": evidence(evaluation),
        "evaluation": evaluation,
        "submission": evaluation.submission,
        "words": words.of(evaluation.verdict, evaluation.state),
        "flags": [(flag, words.FLAGS.get(flag, "")) for flag in evaluation.flags],
        "similar": similar_to(evaluation.submission),
        "other": other,
        "difference": kept_diff(other.source, evaluation.submission.source) if other else None,
        "form": form,
        "withdraw_form": WithdrawForm(label_suffix=""),
        "section": "moderation",
    }
    return render(request, "leaderboard/moderate.html", context, status=status)


def _likely(evaluation: Evaluation) -> dict[str, object]:
    """Nothing is chosen beforehand: a moderator must choose."""
    return {"every_run": evaluation.verdict in (Verdict.SUSPECT, Verdict.ACCEPTED)}


def _actor(request: HttpRequest) -> AbstractBaseUser:
    assert isinstance(request.user, AbstractBaseUser)
    return request.user
