"""The shapes of `/api/v1/suites` and `/api/v1/results`: field by field what `leaderboard/results.py` gives."""

from __future__ import annotations

from typing import get_args

from rest_framework import serializers

from leaderboard.figures import THRESHOLDS
from leaderboard.results import By


class SuiteSerializer(serializers.Serializer[object]):
    slug = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField(help_text="What it is for, in a sentence.")
    ops = serializers.IntegerField(source="size", help_text="How many ops belong to it: `ops?suite=` lists them.")


class FastPSerializer(serializers.Serializer[object]):
    p = serializers.FloatField(help_text=f"{', '.join(map(str, THRESHOLDS))}.")
    ops = serializers.IntegerField(help_text="Ops that are accepted and whose speedup over torch_eager is greater than p.")
    of_suite = serializers.FloatField(help_text="fast_p: their share of all ops of the suite, 0 to 1.")
    of_attempted = serializers.FloatField(allow_null=True, help_text="Their share of the ops attempted.")


class FiguresSerializer(serializers.Serializer[object]):
    ops = serializers.IntegerField(help_text="Ops of the suite.")
    attempted = serializers.IntegerField(help_text="Ops with an evaluation that ended with a verdict on the kernel.")
    accepted = serializers.IntegerField(help_text="Ops with an accepted evaluation, in any mode.")
    evaluations = serializers.IntegerField(help_text="The best of how many evaluations, all ops together.")
    correctness_rate = serializers.FloatField(help_text="accepted / ops: an op never attempted counts as not correct.")
    correctness_rate_of_attempted = serializers.FloatField(allow_null=True, help_text="accepted / attempted.")
    correctness_score = serializers.FloatField(
        allow_null=True, help_text="Mean over attempted ops of the share of cases that the best evaluation passed; accepted is 1."
    )
    correctness_score_of_suite = serializers.FloatField(help_text="The same over all ops, 0 for those never attempted.")
    fast_p = FastPSerializer(many=True)
    geomean_speedup = serializers.FloatField(
        allow_null=True, help_text="Geometric mean of the speedups over torch_eager, over accepted ops that stand on a board."
    )
    geomean_ops = serializers.IntegerField(help_text="Ops that geomean_speedup is over.")


class AttemptSerializer(serializers.Serializer[object]):
    evaluation = serializers.CharField()
    submission = serializers.CharField()
    author = serializers.CharField()
    agent = serializers.CharField()
    verdict = serializers.CharField()
    mode = serializers.CharField()
    correctness_score = serializers.FloatField(help_text="As it counts: 1 when accepted, 0 when held for review or rejected.")
    evaluations = serializers.IntegerField(help_text="It is the best of this many.")


class SpeedSerializer(serializers.Serializer[object]):
    evaluation = serializers.CharField()
    submission = serializers.CharField()
    author = serializers.CharField()
    agent = serializers.CharField()
    speedup = serializers.FloatField(help_text="Over torch_eager; median over the runs of the source.")
    low = serializers.FloatField(help_text="95 % interval.")
    high = serializers.FloatField()


class OpResultSerializer(serializers.Serializer[object]):
    op = serializers.CharField()
    title = serializers.CharField()
    attempt = AttemptSerializer(allow_null=True, help_text="The best evaluation; null when never attempted.")
    speed = SpeedSerializer(allow_null=True, help_text="The best that stands on a board; null when nothing does.")


class ResultRowSerializer(serializers.Serializer[object]):
    author = serializers.CharField(help_text="Empty when the row is about several.")
    agent = serializers.CharField(
        help_text="Agent label; empty when the row is about several, or (with by=agent) about kernels without one."
    )
    interpreted = serializers.BooleanField()
    figures = FiguresSerializer()
    per_op = OpResultSerializer(many=True, help_text="One for each op of the suite, in order. Empty with `by`.")


class ResultsSerializer(serializers.Serializer[object]):
    suite = serializers.CharField()
    device = serializers.CharField()
    author = serializers.CharField(help_text="As asked for.")
    agent = serializers.CharField(help_text="As asked for.")
    by = serializers.CharField(help_text="author, agent, or empty.")
    rows = ResultRowSerializer(
        many=True, help_text="One per author or agent label, best first; without `by` one of all. Empty when all was interpreted."
    )
    interpreted = ResultRowSerializer(many=True, help_text="The same of what ran in Triton's interpreter: counted apart.")


class ResultsFilter(serializers.Serializer[object]):
    """Query parameters of the results."""

    suite = serializers.CharField(max_length=80, help_text="Slug of a suite: `suites` lists them.")
    device = serializers.CharField(max_length=32, help_text="Slug of a device: `devices` lists them.")
    author = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=150, help_text="Only kernels by this author. Left out: by anybody."
    )
    agent = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=80, help_text="Only kernels handed in with this agent label."
    )
    by = serializers.ChoiceField(
        choices=get_args(By),
        required=False,
        default="",
        allow_blank=True,
        help_text="One row per author or per agent label. Left out: the best of all for each op.",
    )
