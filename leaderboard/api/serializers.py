"""The shapes of the answers. Field by field what `leaderboard/ranking.py` and the catalogue hold."""

from __future__ import annotations

from rest_framework import serializers

from evaluator.contract import EPOCH
from leaderboard.models import Device, Op
from submissions.confirming import Confirmation


class OpSerializer(serializers.ModelSerializer[Op]):
    """An op in a list."""

    class Meta:
        model = Op
        fields = ("slug", "title", "summary", "signature", "precision", "suites", "tags")
        extra_kwargs = {name: {"read_only": True} for name in fields}


class OpDetailSerializer(OpSerializer):
    """An op with its definition: entry point, reference, starters, public cases per device with bytes and FLOPs."""

    definition = serializers.DictField(read_only=True)
    document = serializers.DictField(
        source="given.document",
        read_only=True,
        default=None,
        allow_null=True,
        help_text="An imported op as data, for `python -m evaluator run --ops-file`; null for an op that the evaluator has itself.",
    )

    class Meta(OpSerializer.Meta):
        fields = (*OpSerializer.Meta.fields, "definition", "document", "active")  # type: ignore[assignment]
        extra_kwargs = {}


class DeviceSerializer(serializers.ModelSerializer[Device]):
    facts = serializers.DictField(read_only=True)

    class Meta:
        model = Device
        fields = ("slug", "title", "kind", "facts")


class RowSerializer(serializers.Serializer[object]):
    kind = serializers.CharField(help_text="`entry`.")
    rank = serializers.IntegerField(
        allow_null=True, help_text="Shared by a band: 1 + the number of entries in better bands. Null where it is not confirmed."
    )
    band = serializers.IntegerField(allow_null=True)
    band_size = serializers.IntegerField()
    author = serializers.CharField()
    agent = serializers.CharField(help_text="Label of the bot that handed it in; empty for a person.")
    kernel_type = serializers.CharField()
    time_us = serializers.FloatField(help_text="Geometric mean of the performance cases' median times.")
    time_error_us = serializers.FloatField(allow_null=True, help_text="Half-width of its 95 % interval.")
    speedup = serializers.FloatField(help_text="Geometric mean of the cases' median speedups over torch_eager; median over runs.")
    speedup_low = serializers.FloatField()
    speedup_high = serializers.FloatField()
    cases = serializers.IntegerField()
    cases_won = serializers.IntegerField()
    sol_share = serializers.FloatField(allow_null=True, help_text="Share of the speed of light.")
    runs = serializers.IntegerField(help_text="All runs of the source.")
    confirmed = serializers.BooleanField(help_text="Whether the figures are medians over the site's own confirming runs.")
    confirmation = serializers.ChoiceField(choices=Confirmation.choices)
    confirming_runs = serializers.IntegerField(help_text="Confirming runs that were accepted.")
    stopped_by = serializers.CharField(
        source="stopped_by.pk", default=None, allow_null=True, help_text="The confirming run that refused the source."
    )
    why = serializers.CharField(help_text="Why it is not confirmed and has no rank; empty for all others.")
    interpreted = serializers.BooleanField()
    visibility = serializers.CharField()
    may_read_source = serializers.BooleanField(help_text="Whether you may read the source.")
    evaluation = serializers.CharField()
    submission = serializers.CharField()
    at = serializers.DateTimeField()


class BaselineSerializer(serializers.Serializer[object]):
    """What kernels are compared with. Figures are null where `status` is `unavailable`."""

    kind = serializers.CharField(help_text="`baseline`.")
    name = serializers.CharField(help_text="torch_eager, torch_compile, tvm, xla, tensorrt, glow or pyc.")
    status = serializers.CharField(help_text="`ok` or `unavailable`.")
    why = serializers.CharField(help_text="Why it is unavailable.")
    clock = serializers.CharField(help_text="`interleaved`: the judge's, beside torch_eager. `own`: the tool's, at another time.")
    time_us = serializers.FloatField(allow_null=True, help_text="Geometric mean of the performance cases' median times.")
    speedup = serializers.FloatField(allow_null=True, help_text="Over torch_eager; null where there is nothing to compare with.")
    speedup_low = serializers.FloatField(allow_null=True, help_text="95 % interval; null where nothing was interleaved.")
    speedup_high = serializers.FloatField(allow_null=True)
    cases = serializers.IntegerField()
    per_case = serializers.ListField(child=serializers.DictField(), help_text="Figures of each performance case.")
    flags = serializers.ListField(child=serializers.CharField())
    measured = serializers.IntegerField(help_text="Entries that torch_eager was timed beside.")
    stale = serializers.CharField(help_text="What has changed on the device since it was measured; empty when nothing has.")
    at = serializers.DateTimeField(allow_null=True, help_text="When it was measured; null where it is a median over the board's entries.")


class BoardSerializer(serializers.Serializer[object]):
    op = serializers.CharField()
    device = serializers.CharField()
    rows = RowSerializer(many=True)
    interpreted = RowSerializer(many=True, help_text="Triton's interpreter: ranked apart.")
    not_confirmed = RowSerializer(many=True, help_text="What the site ran again and could not confirm: apart, without a rank.")
    baselines = BaselineSerializer(many=True, help_text="torch_eager first. None of them has a rank.")
    baseline = BaselineSerializer(allow_null=True, help_text="torch_eager, as in `baselines`.")
    competition = serializers.CharField(allow_null=True, help_text="Slug of the competition whose board it is.")
    standing = serializers.IntegerField(help_text="Entries on the board before filters.")
    epoch = serializers.IntegerField(help_text="Of the evaluator. Results of different epochs cannot be compared.")


class QueueSerializer(serializers.Serializer[object]):
    name = serializers.CharField()
    waiting = serializers.IntegerField()
    running = serializers.IntegerField()
    oldest_s = serializers.FloatField(allow_null=True)


class WorkerStateSerializer(serializers.Serializer[object]):
    name = serializers.CharField()
    queue = serializers.CharField()
    device = serializers.CharField()
    device_name = serializers.CharField()
    alive = serializers.BooleanField()
    in_service = serializers.BooleanField()
    note = serializers.CharField()
    sandbox = serializers.DictField()
    probe = serializers.DictField(help_text="What the probe of the sandbox found: overall, at, failures, table.")
    seen_at = serializers.DateTimeField()
    calibration = serializers.DictField(help_text="Ceilings as measured there: note, bytes_per_s, flops_per_s, launch_us.")
    versions = serializers.DictField(child=serializers.CharField(), help_text="Of what judges there: driver, cuda, torch, triton, python.")


class DeviceStateSerializer(serializers.Serializer[object]):
    slug = serializers.CharField()
    title = serializers.CharField()
    standing = serializers.ChoiceField(choices=("judging", "ready", "paused", "no worker"))
    why = serializers.CharField(help_text="What its workers that are out of service say.")
    workers = serializers.IntegerField(help_text="Workers seen lately.")
    in_service = serializers.IntegerField()
    waiting = serializers.IntegerField()
    running = serializers.IntegerField()
    oldest_s = serializers.FloatField(allow_null=True)
    done = serializers.IntegerField(help_text="Evaluations that ended in the last 24 hours.")


class StatusSerializer(serializers.Serializer[object]):
    judging = serializers.BooleanField(help_text="Whether a device worker is in service.")
    building = serializers.BooleanField(help_text="Whether a build worker is in service: without one nothing new comes to a device.")
    queues = QueueSerializer(many=True)
    workers = WorkerStateSerializer(many=True)
    devices = DeviceStateSerializer(many=True)
    versions = serializers.DictField(child=serializers.CharField())


class StatsSerializer(serializers.Serializer[object]):
    submissions = serializers.IntegerField()
    evaluations = serializers.DictField(child=serializers.IntegerField(), help_text="Finished evaluations by verdict.")
    entries = serializers.IntegerField()
    ops = serializers.IntegerField()
    authors = serializers.IntegerField()


class BoardFilter(serializers.Serializer[object]):
    """Query parameters of a board."""

    kernel_type = serializers.CharField(required=False, default="", allow_blank=True, max_length=16)
    mine = serializers.BooleanField(required=False, default=False, help_text="Only your own entries.")
    baselines = serializers.BooleanField(required=False, default=True, help_text="Whether to list baselines.")
    epoch = serializers.IntegerField(
        required=False,
        default=EPOCH,
        min_value=1,
        max_value=EPOCH,
        help_text="An earlier epoch of the evaluator. Left out: the present one.",
    )
    competition = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=60, help_text="The board of this competition, by its slug."
    )
    group = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=60, help_text="Only members of this group of yours, by its slug."
    )
    author_kind = serializers.ChoiceField(choices=("human", "bot"), required=False, help_text="People, or bots (with an agent label).")
    agent = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=80, help_text="Only what was handed in with this agent label."
    )


class OpFilter(serializers.Serializer[object]):
    """Query parameters of the list of ops."""

    suite = serializers.CharField(required=False, default="", allow_blank=True, max_length=80)
    tag = serializers.CharField(required=False, default="", allow_blank=True, max_length=80)
    text = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=200, help_text="Words in slug, title, summary or signature."
    )
