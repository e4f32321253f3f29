"""What the lists of submissions and evaluations can be narrowed by, under the names that their rows use."""

from __future__ import annotations

from django.db.models import QuerySet
from django_filters import rest_framework as filters

from submissions.competitions.access import visible_competitions
from submissions.models import Evaluation, Submission


class SubmissionFilters(filters.FilterSet):  # type: ignore[misc] # django-filter has no types
    author = filters.CharFilter(field_name="author__username", help_text="Only by this author.")
    agent = filters.CharFilter(help_text="Only with this agent label.")
    competition = filters.CharFilter(method="of_competition", help_text="Only those handed in to this competition, by its slug.")

    class Meta:
        model = Submission
        fields = ("op", "kernel_type", "author", "agent", "competition")

    def of_competition(self, found: QuerySet[Submission], _: str, slug: str) -> QuerySet[Submission]:
        """One that the reader may not see does not exist for them, not even on their own submissions."""
        return found.filter(competition__in=visible_competitions(self.request.user).filter(slug=slug))


class EvaluationFilters(filters.FilterSet):  # type: ignore[misc] # django-filter has no types
    submission = filters.CharFilter(field_name="submission_id", help_text="Only of this submission.")
    author = filters.CharFilter(field_name="author__username", help_text="Only by this author.")
    agent = filters.CharFilter(field_name="submission__agent", help_text="Only with this agent label.")

    class Meta:
        model = Evaluation
        fields = ("submission", "op", "device", "author", "agent", "mode", "state", "verdict", "purpose")
