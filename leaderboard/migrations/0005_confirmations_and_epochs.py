import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

CONFIRMATIONS = [
    ("provisional", "provisional"),
    ("confirming", "confirming"),
    ("confirmed", "confirmed"),
    ("not_confirmed", "not confirmed"),
]
ENDS = [
    ("beaten", "beaten"),
    ("withdrawn", "withdrawn: a run of it does not count any more"),
    ("epoch", "closed with its epoch: the evaluator changed"),
]


class Migration(migrations.Migration):
    """What was called confirmed before had been run again by its author, not by the site: it becomes provisional.

    It cannot be reversed once an author stands on a board in two epochs: the old rule allows one entry.
    """

    dependencies = [
        ("leaderboard", "0004_results_of_baselines"),
        ("submissions", "0004_purposes_and_epochs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveField(model_name="entry", name="confirmed"),
        migrations.AddField(
            model_name="entry",
            name="confirmation",
            field=models.CharField(choices=CONFIRMATIONS, default="provisional", max_length=13),
        ),
        migrations.AddField(
            model_name="entry",
            name="confirming_runs",
            field=models.PositiveIntegerField(default=0, help_text="Those that were accepted and count."),
        ),
        migrations.AddField(
            model_name="entry",
            name="stopped_by",
            field=models.ForeignKey(
                blank=True,
                help_text="The confirming run that refused the source. Empty, though it is not confirmed, where too many did not count.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="submissions.evaluation",
            ),
        ),
        migrations.AddField(model_name="entry", name="epoch", field=models.PositiveSmallIntegerField(default=1)),
        migrations.RemoveConstraint(model_name="entry", name="one_entry_per_author_and_board"),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                fields=("op", "device", "author", "interpreted", "epoch"), name="one_entry_per_author_board_and_epoch"
            ),
        ),
        migrations.AddField(model_name="record", name="epoch", field=models.PositiveSmallIntegerField(default=1)),
        migrations.AddField(
            model_name="record", name="ended_by", field=models.CharField(blank=True, choices=ENDS, default="", max_length=10)
        ),
    ]
