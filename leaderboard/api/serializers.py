"""The shapes of the answers. Field by field what `leaderboard/ranking.py` and the catalogue hold."""

from __future__ import annotations

from rest_framework import serializers

from leaderboard.models import Device, Op


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
    rank = serializers.IntegerField(help_text="Shared by a band: 1 + the number of entries in better bands.")
    band = serializers.IntegerField()
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
    runs = serializers.IntegerField()
    confirmed = serializers.BooleanField()
    interpreted = serializers.BooleanField()
    visibility = serializers.CharField()
    may_read_source = serializers.BooleanField(help_text="Whether you may read the source.")
    evaluation = serializers.CharField()
    submission = serializers.CharField()
    at = serializers.DateTimeField()


class BaselineSerializer(serializers.Serializer[object]):
    name = serializers.CharField()
    time_us = serializers.FloatField(help_text="Median over the board's entries of the time measured beside each.")
    speedup = serializers.FloatField()
    measured = serializers.IntegerField(help_text="Entries that it was measured beside.")


class BoardSerializer(serializers.Serializer[object]):
    op = serializers.CharField()
    device = serializers.CharField()
    rows = RowSerializer(many=True)
    interpreted = RowSerializer(many=True, help_text="Triton's interpreter: ranked apart.")
    baseline = BaselineSerializer(allow_null=True)
    standing = serializers.IntegerField(help_text="Entries on the board before filters.")


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


class StatusSerializer(serializers.Serializer[object]):
    judging = serializers.BooleanField()
    queues = QueueSerializer(many=True)
    workers = WorkerStateSerializer(many=True)
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
    author_kind = serializers.ChoiceField(choices=("human", "bot"), required=False, help_text="People, or bots (with an agent label).")


class OpFilter(serializers.Serializer[object]):
    """Query parameters of the list of ops."""

    suite = serializers.CharField(required=False, default="", allow_blank=True, max_length=80)
    tag = serializers.CharField(required=False, default="", allow_blank=True, max_length=80)
    text = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=200, help_text="Words in slug, title, summary or signature."
    )
