"""What webhooks hear of the end of an evaluation, in the transaction that ends it."""

from __future__ import annotations

from evaluator.contract import Verdict
from submissions.models import Evaluation
from submissions.webhooks.documents import evaluation_data
from submissions.webhooks.models import Topic
from submissions.webhooks.outbox import tell


def on_evaluation_done(sender: object, *, evaluation: Evaluation, **kwargs: object) -> None:
    """Tell its author. Of the site's own runs only that one is suspect: the others say nothing about what the author did."""
    if not evaluation.is_house:
        tell(evaluation.author_id, Topic.DONE, f"done:{evaluation.pk}", evaluation_data(evaluation))
    if evaluation.verdict == Verdict.SUSPECT:
        tell(evaluation.author_id, Topic.SUSPECT, f"suspect:{evaluation.pk}", evaluation_data(evaluation))
