"""`/competitions/new/`, `/competitions/<slug>/edit/`: make and change a competition."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django import forms
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from evaluator.devices import DEVICES
from submissions.competitions.access import access_competition, groups_to_manage, may_change
from submissions.competitions.models import MAX_BOARDS, MAX_RULES, Admission, Competition
from submissions.competitions.organise import Plan, change_competition, make_competition
from submissions.pages.way_back import login_required
from submissions.readers import is_staff

MINUTE = "%Y-%m-%dT%H:%M"
MAX_OPS = 100 * MAX_BOARDS
"""Characters of the slugs of as many ops as a competition may have."""


class CompetitionForm(forms.Form):
    """Gathers a plan, which `submissions/competitions/organise.py` judges. `groups`: slugs and names, where there is a choice."""

    title = forms.CharField(label="Title", max_length=80)
    group = forms.ChoiceField(label="Group", required=False)
    admission = forms.ChoiceField(label="Who may see it and take part", choices=Admission.choices, widget=forms.RadioSelect)
    ops = forms.CharField(
        label="Ops",
        max_length=MAX_OPS,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "autocapitalize": "off", "placeholder": "softmax\nlayer_norm"}),
    )
    devices = forms.MultipleChoiceField(
        label="Devices", choices=[(device.slug, device.title) for device in DEVICES.values()], widget=forms.CheckboxSelectMultiple
    )
    opens_at = forms.DateTimeField(label="Opens (UTC)")
    closes_at = forms.DateTimeField(label="Closes (UTC)")
    rules = forms.CharField(label="Rules", required=False, max_length=MAX_RULES, widget=forms.Textarea(attrs={"rows": 12}))

    def __init__(self, *args: object, groups: Sequence[tuple[str, str]] | None, public: bool, **kwargs: object) -> None:
        super().__init__(*args, **kwargs, label_suffix="")  # type: ignore[arg-type, misc]
        for name in ("opens_at", "closes_at"):
            self.fields[name].widget = forms.DateTimeInput(format=MINUTE, attrs={"type": "datetime-local"})
        group, admission = self.fields["group"], self.fields["admission"]
        assert isinstance(group, forms.ChoiceField)
        assert isinstance(admission, forms.ChoiceField)
        if groups is None:
            del self.fields["group"]
        else:
            group.choices = list(groups)
        if not public:
            admission.choices = [(value, words) for value, words in Admission.choices if value != Admission.PUBLIC]

    def plan(self) -> Plan:
        sent = self.cleaned_data
        return Plan(
            title=sent["title"],
            admission=sent["admission"],
            ops=tuple(sent["ops"].replace(",", " ").split()),
            devices=tuple(sent["devices"]),
            opens_at=sent["opens_at"].replace(second=0, microsecond=0),  # as it is shown
            closes_at=sent["closes_at"].replace(second=0, microsecond=0),
            rules=sent["rules"],
        )


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_competition(request: HttpRequest) -> HttpResponse:
    """For who owns a group (`?group=` chooses it), and for staff."""
    user = request.user
    assert isinstance(user, AbstractBaseUser)
    staff = is_staff(user)
    owned = [(group.pk, group.name) for group in groups_to_manage(user)]
    if not owned and not staff:
        raise Http404("Make a group first: a competition by invitation is for its members.")
    choices = [("", "none: the site's own"), *owned] if staff else owned
    initial = {"group": request.GET.get("group", ""), "admission": Admission.INVITATION, "devices": []}
    form = CompetitionForm(request.POST or None, groups=choices, public=staff, initial=initial)
    return _answer(request, form, lambda plan: make_competition(user, form.cleaned_data["group"], plan), None)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit_competition(request: HttpRequest, slug: str) -> HttpResponse:
    """For whoever organises it. Its group stays."""
    user = request.user
    assert isinstance(user, AbstractBaseUser)
    found = access_competition(user, slug)
    if not may_change(user, found):
        raise Http404("Only whoever organises a competition may change it.")
    public = is_staff(user) or found.is_public
    form = CompetitionForm(request.POST or None, groups=None, public=public, initial=_as_sent(found))
    return _answer(request, form, lambda plan: change_competition(user, slug, plan), found)


def _answer(request: HttpRequest, form: CompetitionForm, act: Callable[[Plan], Competition], found: Competition | None) -> HttpResponse:
    if request.method == "POST" and form.is_valid():
        try:
            return redirect("competition", act(form.plan()).slug)
        except ValidationError as error:
            _tell(form, error)
    context = {"section": "competitions", "form": form, "competition": found}
    return render(request, "submissions/competition_form.html", context, status=422 if form.errors else 200)


def _tell(form: CompetitionForm, error: ValidationError) -> None:
    """Put each message beside its field, where the form has it."""
    for name, said in (error.message_dict if hasattr(error, "error_dict") else {"": error.messages}).items():
        form.add_error(name if name in form.fields else None, list(said))


def _as_sent(competition: Competition) -> dict[str, object]:
    return {
        "title": competition.title,
        "admission": competition.admission,
        "ops": "\n".join(competition.ops),
        "devices": competition.devices,
        "opens_at": competition.opens_at,
        "closes_at": competition.closes_at,
        "rules": competition.rules,
    }
