from django.db import migrations, models


class Migration(migrations.Migration):
    """What staff have hidden until now is known by the decision that stands."""

    dependencies = [
        ("submissions", "0013_submissions_to_competitions"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="hidden_at",
            field=models.DateTimeField(
                blank=True, editable=False, help_text="Since when staff hide it: its author's and theirs alone.", null=True
            ),
        ),
        migrations.RunSQL(
            "UPDATE submissions_submission SET hidden_at = decision.made_at"
            " FROM submissions_decision AS decision JOIN submissions_evaluation AS evaluation ON evaluation.id = decision.evaluation_id"
            " WHERE evaluation.submission_id = submissions_submission.id AND decision.kind = 'hide' AND decision.withdrawn_at IS NULL",
            migrations.RunSQL.noop,
        ),
    ]
