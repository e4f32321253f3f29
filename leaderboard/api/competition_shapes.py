"""The shapes of competitions in answers, field by field what `leaderboard/competition_boards.py` holds."""

from __future__ import annotations

from django.urls import reverse
from rest_framework import serializers

from submissions.competitions.models import Admission, Competition, Phase


class CompetitionFilter(serializers.Serializer[object]):
    """Query parameters of the list."""

    phase = serializers.ChoiceField(choices=[p.value for p in Phase], required=False, help_text="Left out: all.")
    op = serializers.CharField(required=False, default="", max_length=200, help_text="Only those that cover this op.")
    device = serializers.CharField(required=False, default="", max_length=32, help_text="Only those held on this device.")


class CompetitionSerializer(serializers.ModelSerializer[Competition]):
    """A competition in a list. Times are UTC."""

    url = serializers.SerializerMethodField(help_text="Its page.")
    phase = serializers.ChoiceField(choices=[p.value for p in Phase], read_only=True)
    admission = serializers.ChoiceField(choices=Admission.choices, read_only=True)
    group = serializers.CharField(source="group.name", default=None, allow_null=True, read_only=True, help_text="Who organises it.")
    ops = serializers.ListField(child=serializers.CharField(), read_only=True)
    devices = serializers.ListField(child=serializers.CharField(), read_only=True)
    participants = serializers.IntegerField(read_only=True, help_text="Authors who have handed something in.")
    submissions = serializers.IntegerField(source="handed_in", read_only=True)

    class Meta:
        model = Competition
        fields: tuple[str, ...] = (
            "slug", "url", "title", "phase", "admission", "group", "ops", "devices", "opens_at", "closes_at", "participants", "submissions",
        )  # fmt: skip
        read_only_fields = ("slug", "title", "opens_at", "closes_at")

    def get_url(self, competition: Competition) -> str:
        request = self.context["request"]
        return str(request.build_absolute_uri(reverse("competition", args=[competition.slug])))


class LeaderShape(serializers.Serializer[object]):
    author = serializers.CharField()
    speedup = serializers.FloatField()
    speedup_low = serializers.FloatField(source="low")
    speedup_high = serializers.FloatField(source="high")
    confirmed = serializers.BooleanField()
    evaluation = serializers.CharField()
    submission = serializers.CharField()
    tied = serializers.IntegerField(help_text="Entries that the measurement cannot tell from it, itself included.")


class CompetitionBoardShape(serializers.Serializer[object]):
    """A board of a competition; its rows are at `leaderboards/<op>/<device>?competition=<slug>`."""

    op = serializers.CharField()
    device = serializers.CharField()
    entries = serializers.IntegerField(help_text="Interpreted ones included.")
    leader = LeaderShape(allow_null=True)


class StandingShape(serializers.Serializer[object]):
    """A participant over all boards."""

    rank = serializers.IntegerField(source="standing.rank", help_text="Shared by those whose scores the measurement cannot tell apart.")
    author = serializers.CharField()
    score = serializers.FloatField(
        source="standing.score.speedup", help_text="Geometric mean over all boards of max(1, speedup); 1 for a board without an entry."
    )
    score_low = serializers.FloatField(source="standing.score.low", help_text="95 % interval.")
    score_high = serializers.FloatField(source="standing.score.high")
    boards = serializers.IntegerField(source="standing.boards", help_text="Boards with an entry.")
    led = serializers.IntegerField(source="standing.led", help_text="Boards led, alone or tied.")
    speedups = serializers.SerializerMethodField(help_text="One for each of `boards` of the competition, in that order; null: no entry.")

    def get_speedups(self, participant: object) -> list[float | None]:
        standing = getattr(participant, "standing")  # noqa: B009 (a participant of competition_boards)
        return [result.speedup if result else None for result in standing.results]


class StandingsShape(serializers.Serializer[object]):
    """Boards and standings alone."""

    slug = serializers.CharField(source="competition.slug")
    boards = CompetitionBoardShape(many=True)
    standings = StandingShape(many=True)


class CompetitionDetailShape(CompetitionSerializer):
    """A competition with its boards and standings (`competition_views.py` puts it together)."""

    rules = serializers.CharField(read_only=True, help_text="Markdown.")
    may_take_part = serializers.BooleanField(read_only=True, help_text="Whether you may hand in to it while it is open.")
    sources_readable = serializers.BooleanField(read_only=True, help_text="Whether it has closed: the source of its entries can be read.")
    epoch = serializers.IntegerField(read_only=True, help_text="Of the evaluator, in which it is ranked.")
    boards = CompetitionBoardShape(many=True, read_only=True)
    standings = StandingShape(many=True, read_only=True)

    class Meta(CompetitionSerializer.Meta):
        fields = (*CompetitionSerializer.Meta.fields, "rules", "may_take_part", "sources_readable", "epoch", "boards", "standings")
