import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """The open boards' entries have no competition, and NULL counts as a value of its own in the constraint."""

    dependencies = [
        ("leaderboard", "0006_runs_by_tag"),
        ("submissions", "0013_submissions_to_competitions"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="entry", name="one_entry_per_author_board_and_epoch"),
        migrations.AddField(
            model_name="entry",
            name="competition",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="entries",
                to="submissions.competition",
                db_index=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                fields=("op", "device", "author", "interpreted", "epoch", "competition"),
                name="one_entry_per_author_board_and_epoch",
                nulls_distinct=False,
            ),
        ),
        migrations.RemoveIndex(model_name="entry", name="leaderboard_op_id_aee934_idx"),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(fields=["competition", "op", "device", "interpreted", "-speedup"], name="entries_of_a_board"),
        ),
    ]
