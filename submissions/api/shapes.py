"""What goes into and comes out of the endpoints, for validation and for the OpenAPI description."""

from __future__ import annotations

from rest_framework import serializers

from evaluator.contract import KernelType, Mode, Policy, Timer, Verdict
from kbweb.models import Scope, printable
from submissions.api.fields import DeviceField, ShortListField, SourceField
from submissions.confirming import Confirmation
from submissions.decisions.models import Kind as DecisionKind
from submissions.models import Evaluation, Purpose, Submission, Visibility

MOST_RUNS = 50
"""So many evaluations stand in a submission's document, the newest: anybody may ask for it, and a submission may be run again for ever."""


class HandIn(serializers.Serializer[object]):
    """A submission as it is handed in. Values are judged by intake, so that every door says the same."""

    op = serializers.CharField(max_length=200, help_text="Slug of the op: softmax, layer_norm, …")
    source = SourceField()  # type: ignore[assignment] # a field's own attribute of that name
    device = DeviceField()
    kernel_type = serializers.CharField(
        required=False, allow_null=True, allow_blank=True, help_text=f"{', '.join(KernelType)}; found from the source when left out."
    )
    mode = serializers.CharField(default=Mode.RANKED.value, help_text=f"{', '.join(Mode)}.")
    visibility = serializers.CharField(default=Visibility.PUBLIC.value, help_text=f"{', '.join(Visibility.values)}.")
    filename = serializers.CharField(default="", allow_blank=True)
    agent = serializers.CharField(default="", allow_blank=True, help_text="The program or model that wrote it.")
    seed = serializers.IntegerField(required=False, allow_null=True, help_text="Reproduces the public cases; not for ranked.")
    policy = serializers.CharField(
        default=Policy.SCALED.value, help_text=f"How far an output may be off: {', '.join(Policy)}. Only {Policy.SCALED} is ranked."
    )
    timer = serializers.CharField(
        default=Timer.ABBA.value,
        help_text=f"{', '.join(Timer)}. Only {Timer.ABBA} is ranked; the others time as other tools do, for comparison with them.",
    )
    competition = serializers.CharField(
        required=False,
        allow_null=True,
        allow_blank=True,
        max_length=60,
        help_text="Slug of an open competition. `visibility` does not apply then: who may see the competition sees the result, and once "
        "it has closed the source of your entries.",
    )
    parent = serializers.CharField(  # type: ignore[assignment] # a field's own attribute of that name
        default="", allow_blank=True, help_text="Id of the earlier submission that this one was made from, whose source you may read."
    )
    idempotency_key = serializers.CharField(
        required=False, allow_null=True, help_text="The same key with the same content hands in once. The header Idempotency-Key wins."
    )


class Wait(serializers.Serializer[object]):
    wait = serializers.IntegerField(
        default=0, min_value=0, max_value=60, help_text="Answer when all evaluations are done, after at most this many seconds."
    )


class After(serializers.Serializer[object]):
    after = serializers.IntegerField(default=0, min_value=0, max_value=2**62, help_text="Only events with a greater seq.")
    limit = serializers.IntegerField(default=500, min_value=1, max_value=1000)


class Reason(serializers.Serializer[object]):
    code = serializers.CharField()
    message = serializers.CharField()
    detail = serializers.CharField(help_text="Traceback or compiler output.")
    hint = serializers.CharField(help_text="What to do about it.")


class QueuePlace(serializers.Serializer[object]):
    ahead = serializers.IntegerField(help_text="Evaluations that go first as things stand. Fair share between authors can move it.")
    estimate_s = serializers.FloatField(
        allow_null=True, help_text="Seconds until it starts; null when no worker is there to build it or to judge it."
    )


class ConfirmingRunShape(serializers.Serializer[object]):
    number = serializers.IntegerField(allow_null=True, help_text="Null for a run that did not count and was replaced.")
    evaluation = serializers.CharField()
    submission = serializers.CharField()
    state = serializers.CharField()
    verdict = serializers.CharField()
    speedup = serializers.FloatField(allow_null=True)


class ConfirmingShape(serializers.Serializer[object]):
    """The site's own runs of a source that would take a record."""

    confirmation = serializers.ChoiceField(choices=Confirmation.choices)
    counted = serializers.IntegerField(help_text="Accepted so far.")
    needed = serializers.IntegerField()
    why = serializers.CharField(help_text="Why it is not confirmed; empty where it is or may be yet.")
    runs = ConfirmingRunShape(many=True)


class DecisionShape(serializers.Serializer[object]):
    """What a moderator decided."""

    kind = serializers.ChoiceField(choices=DecisionKind.choices)
    reason = serializers.CharField()
    by = serializers.CharField(help_text="Empty when the account is gone.")
    at = serializers.DateTimeField()


class EvaluationRow(serializers.Serializer[Evaluation]):
    """One run of a submission on one device, in a list."""

    id = serializers.CharField()
    url = serializers.CharField(help_text="Its page.")
    submission = serializers.CharField()
    op = serializers.CharField()
    author = serializers.CharField()
    agent = serializers.CharField(help_text="The program or model that wrote the submission; empty for a person.")
    kernel_type = serializers.CharField()
    device = serializers.CharField()
    mode = serializers.ChoiceField(choices=[m.value for m in Mode])
    policy = serializers.ChoiceField(choices=[p.value for p in Policy])
    timer = serializers.ChoiceField(choices=[t.value for t in Timer])
    purpose = serializers.ChoiceField(choices=Purpose.choices, help_text="confirming and house: handed in by the site itself.")
    epoch = serializers.IntegerField(allow_null=True, help_text="Of the evaluator that ended it; boards compare within one epoch.")
    state = serializers.CharField()
    verdict = serializers.CharField(help_text=f"Empty until done; then one of {', '.join(Verdict)}.")
    flags = serializers.ListField(child=serializers.CharField())
    correctness_score = serializers.FloatField(allow_null=True)
    performance_score = serializers.FloatField(allow_null=True, help_text="Geometric mean speedup over torch_eager.")
    speedup_low = serializers.FloatField(allow_null=True)
    speedup_high = serializers.FloatField(allow_null=True)
    time_us = serializers.FloatField(allow_null=True)
    attempt = serializers.IntegerField()
    worker = serializers.CharField()
    queued_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class EvaluationShape(EvaluationRow):
    """One run of a submission on one device, with its outcome."""

    stage = serializers.CharField(allow_null=True, help_text="Where it ended.")
    reasons = Reason(many=True)
    decision = DecisionShape(allow_null=True, help_text="The standing one, for the author and staff; null for others.")
    confirming = ConfirmingShape(allow_null=True, help_text="Null unless the site has run the source again to confirm it.")
    queue = QueuePlace(allow_null=True)
    outcome = serializers.DictField(allow_null=True, help_text="The evaluator's whole outcome, without raw samples.")


class SubmissionRow(serializers.ModelSerializer[Submission]):
    """A submission in a list."""

    author = serializers.CharField(source="author.username", read_only=True)
    competition = serializers.CharField(
        source="competition_shown",
        allow_null=True,
        read_only=True,
        help_text="Slug of the competition that it was handed in to; null for none and for one that you may not see.",
    )

    class Meta:
        model = Submission
        fields = ("id", "op", "kernel_type", "author", "visibility", "competition", "agent", "filename", "created_at")
        read_only_fields = fields


class SubmissionShape(serializers.Serializer[object]):
    """A submission with its newest evaluations. `source` is there for those who may read it."""

    id = serializers.CharField()
    url = serializers.CharField()
    op = serializers.CharField()
    kernel_type = serializers.CharField()
    author = serializers.CharField()
    visibility = serializers.CharField()
    competition = serializers.CharField(
        allow_null=True, help_text="Slug of the competition that it was handed in to; null for none and for one that you may not see."
    )
    agent = serializers.CharField()
    filename = serializers.CharField()
    source_sha256 = serializers.CharField()
    created_at = serializers.DateTimeField()
    parent = serializers.CharField(  # type: ignore[assignment]
        allow_null=True, help_text="The earlier submission that this one was made from, if you can see it."
    )
    source = serializers.CharField(required=False)  # type: ignore[assignment]
    evaluations_count = serializers.IntegerField(help_text="All evaluations, the site's own too.")
    evaluations_url = serializers.CharField(help_text="The list of all of them.")
    evaluations = EvaluationShape(many=True, help_text=f"The newest {MOST_RUNS}, oldest first.")


class EventShape(serializers.Serializer[object]):
    seq = serializers.IntegerField()
    at = serializers.DateTimeField()
    kind = serializers.CharField(help_text="state, case, timing, log, note, verdict, decision.")
    data = serializers.DictField()  # type: ignore[assignment]


class Events(serializers.Serializer[object]):
    events = EventShape(many=True)
    last_seq = serializers.IntegerField(help_text="Give it as `after` next time.")
    done = serializers.BooleanField(help_text="It has ended, and these are its last events, unless a moderator decides on it later.")


class TokenWish(serializers.Serializer[object]):
    name = serializers.CharField(max_length=80, validators=[printable])
    scopes = ShortListField(
        child=serializers.ChoiceField(choices=Scope.choices),
        max_length=16,
        default=lambda: ["read", "submit"],
        min_length=1,
        help_text="Every token may read.",
    )
    agent = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=80,
        validators=[printable],
        help_text="Agent label of what is handed in with it, unless the submission names another.",
    )
    expires_in_days = serializers.IntegerField(default=90, min_value=1, max_value=366)


class TokenShape(serializers.Serializer[object]):
    id = serializers.CharField()
    name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.CharField())
    agent = serializers.CharField()
    created = serializers.DateTimeField()
    expiry = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="To the minute.")


class NewToken(TokenShape):
    token = serializers.CharField(help_text="Shown this once; only its hash is kept.")


class QuotaShape(serializers.Serializer[object]):
    open_evaluations = serializers.IntegerField()
    open_evaluations_allowed = serializers.IntegerField()
    submissions_this_hour = serializers.IntegerField(help_text="Submissions and reruns.")
    submissions_per_hour_allowed = serializers.IntegerField()


class Me(serializers.Serializer[object]):
    username = serializers.CharField()
    is_staff = serializers.BooleanField()
    scopes = serializers.ListField(child=serializers.CharField(), help_text="What the credentials of this request may do.")
    quota = QuotaShape()


class Problem(serializers.Serializer[object]):
    """RFC 9457."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    errors = serializers.DictField(child=serializers.ListField(child=serializers.CharField()), required=False)  # type: ignore[assignment]
